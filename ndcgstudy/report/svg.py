"""Matplotlib's SVG files made fit to stand in one HTML page, many of them, with no name in common."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_NAMESPACE = re.compile(r"\{[^}]*\}")
_DROPPED = ("metadata", "style")


class Shapes:
    """Glyphs and markers that the figures of a page share: each is written once.

    Examples
    --------
    >>> shapes = Shapes()
    >>> path = ET.fromstring('<path d="M 0 0"/>')
    >>> shapes.name(path), shapes.name(path), shapes.markup()
    ('shape-0', 'shape-0', '<path d="M 0 0" id="shape-0" />')
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self, path: ET.Element) -> str:
        """Return the id of a shape, whatever it was called in its file."""
        bare = ET.Element(path.tag, {k: v for k, v in path.attrib.items() if k != "id"})
        key = ET.tostring(bare, encoding="unicode")
        return self._names.setdefault(key, f"shape-{len(self._names)}")

    def markup(self) -> str:
        """Return all shapes, to be put into the ``defs`` of one hidden SVG."""
        return "".join(
            key.removesuffix(" />") + f' id="{name}" />' for key, name in self._names.items()
        )


def inline(data: bytes, *, prefix: str, title: str, shapes: Shapes) -> str:
    """Return an SVG file as an element for an HTML page.

    Its paths that are used by name go to `shapes`; its other ids are kept where something refers to
    them, and begin with `prefix`; title and role tell those who do not see it what it shows.

    Raises
    ------
    ValueError
        If the file is no SVG, or has a script in it or a reference beyond itself.
    """
    root = _parsed(data)
    _flatten(root)
    names = _shared(root, shapes)
    used = {name for element in root.iter() for name in _references(element)}
    names |= {name: f"{prefix}-{name}" for name in used if name not in names}
    for element in root.iter():
        _rename(element, names)
    return ET.tostring(_titled(root, prefix, title), encoding="unicode")


def _parsed(data: bytes) -> ET.Element:
    try:
        root = ET.fromstring(data)
    except ET.ParseError as error:
        raise ValueError(f"a figure is no SVG: {error}") from None
    if _NAMESPACE.sub("", root.tag) != "svg":
        raise ValueError(f"a figure is no SVG but {root.tag}")
    return root


def _flatten(root: ET.Element) -> None:
    """Take away namespaces, metadata, styles and line breaks inside attributes."""
    for parent in list(root.iter()):
        for child in list(parent):
            if _NAMESPACE.sub("", child.tag) in _DROPPED:
                parent.remove(child)
    for element in root.iter():
        element.tag = _NAMESPACE.sub("", element.tag)
        element.text = element.tail = (element.text or "").strip() or None
        items = element.attrib.items()
        flat = {_NAMESPACE.sub("", name): " ".join(value.split()) for name, value in items}
        element.attrib.clear()
        element.attrib.update(flat)
        _refuse(element)


def _refuse(element: ET.Element) -> None:
    href = element.get("href", "#")
    if element.tag in ("script", "foreignObject") or any(
        n.startswith("on") for n in element.attrib
    ):
        raise ValueError(f"a figure holds a script, in <{element.tag}>")
    if not href.startswith(("#", "data:")):
        raise ValueError(f"a figure refers beyond itself, to {href}")


def _shared(root: ET.Element, shapes: Shapes) -> dict[str, str]:
    """Move the paths among the definitions to `shapes`; return their new names by their old ones."""
    names = {}
    for parent in list(root.iter()):
        for defs in [child for child in parent if child.tag == "defs"]:
            for path in [child for child in defs if child.tag == "path" and child.get("id")]:
                names[path.attrib["id"]] = shapes.name(path)
                defs.remove(path)
            if not len(defs):
                parent.remove(defs)
    return names


def _references(element: ET.Element) -> Iterator[str]:
    for name, value in element.attrib.items():
        yield from _REFERENCE.findall(value)
        if name == "href" and value.startswith("#"):
            yield value[1:]


def _rename(element: ET.Element, names: dict[str, str]) -> None:
    """Give an element and what it refers to their new names; an id that nothing uses goes."""
    for name, value in list(element.attrib.items()):
        if name == "id":
            del element.attrib[name]
            if value in names:
                element.set(name, names[value])
        elif name == "href" and value.startswith("#"):
            element.set(name, f"#{names[value[1:]]}")
        else:
            element.set(name, _REFERENCE.sub(lambda m: f"url(#{names[m[1]]})", value))


def _titled(root: ET.Element, prefix: str, title: str) -> ET.Element:
    """Return the figure with a title that names it, at the size it was drawn for."""
    figure = ET.Element("svg", {"role": "img", "aria-labelledby": f"{prefix}-title"})
    for name in ("width", "height", "viewBox"):
        figure.set(name, root.get(name, ""))
    ET.SubElement(figure, "title", {"id": f"{prefix}-title"}).text = title
    figure.extend(list(root))
    return figure
