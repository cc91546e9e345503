"""Rules that every page must obey, found with the standard library's parser; see `broken`."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise

VOID = {"meta", "link", "br", "hr", "img", "input"}
LOADING = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src")}


@dataclass
class Element:
    """An element with its text and what it lies in."""

    tag: str
    attrs: dict[str, str]
    above: "Element | None"
    text: str = ""
    inside: list["Element"] = field(default_factory=list)

    def all(self, *tags: str) -> list["Element"]:
        """Return the elements within, in the order of the page."""
        found = []
        for element in self.inside:
            found += [element] if element.tag in tags or not tags else []
            found += element.all(*tags)
        return found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.at = Element("", {}, None)
        self.unbalanced: list[str] = []

    def handle_starttag(self, tag, attrs):
        element = Element(tag, {name: value or "" for name, value in attrs}, self.at)
        self.at.inside.append(element)
        if tag not in VOID:
            self.at = element

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.at = self.at.above

    def handle_endtag(self, tag):
        if tag != self.at.tag:
            self.unbalanced.append(f"</{tag}> closes <{self.at.tag}>")
        elif self.at.above:
            self.at = self.at.above

    def handle_data(self, data):
        element = self.at
        while element:
            element.text += data
            element = element.above


def parsed(html: str) -> Element:
    """Return the page as a tree."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.root


def broken(html: str) -> list[str]:
    """Return every rule that a page breaks, in words."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    rules = (_names, _headings, _figures, _tables, _closed, _document)
    return reader.unbalanced + [text for rule in rules for text in rule(reader.root)]


def _names(page: Element) -> Iterator[str]:
    """Ids are unique and hold no blank; what refers to one finds it."""
    ids = Counter(e.attrs["id"] for e in page.all() if "id" in e.attrs)
    yield from (f"id {name!r} twice" for name, count in ids.items() if count > 1)
    yield from (f"id {name!r}" for name in ids if not name or len(name.split()) != 1)
    for element in page.all():
        named = (
            [element.attrs.get("href", "")[1:]] if element.attrs.get("href", "")[:1] == "#" else []
        )
        named += element.attrs.get("aria-labelledby", "").split()
        for value in element.attrs.values():
            named += [part.partition(")")[0] for part in value.split("url(#")[1:]]
        yield from (f"nothing is called {name!r}" for name in named if name not in ids)


def _headings(page: Element) -> Iterator[str]:
    """One h1, first; no level is left out."""
    levels = [int(e.tag[1]) for e in page.all("h1", "h2", "h3", "h4", "h5", "h6")]
    if levels[:1] != [1] or levels.count(1) != 1:
        yield "not one h1, first"
    pairs = pairwise(levels)
    yield from (f"h{b} below h{a}" for a, b in pairs if b > a + 1)
    yield from (f"empty <{e.tag}>" for e in page.all("h1", "h2", "h3", "a") if not e.text.strip())


def _figures(page: Element) -> Iterator[str]:
    """Each figure is an image with a name, and has a caption."""
    yield from ("a figure without a name" for e in page.all("img") if not e.attrs.get("alt"))
    yield from ("a figure without a caption" for e in page.all("figure") if not e.all("figcaption"))
    yield from (f"<{e.tag}> stands in the page" for e in page.all("svg", "iframe", "object"))


def _tables(page: Element) -> Iterator[str]:
    """Each table has a caption, heads with a scope and a button, and rows of one length."""
    for table in page.all("table"):
        if not table.all("caption"):
            yield "a table without a caption"
        heads = table.all("th")
        yield from ("a head without scope" for e in heads if "scope" not in e.attrs)
        columns = [e for e in heads if e.attrs.get("scope") == "col"]
        yield from ("a column without a button" for e in columns if not e.all("button"))
        for row in table.all("tr"):
            if len(row.all("td", "th")) != len(columns):
                yield "a row of another length"
        region = table.above
        if (
            region is None
            or region.attrs.get("tabindex") != "0"
            or not region.attrs.get("aria-label")
        ):
            yield "a table that cannot be scrolled by key"


def _closed(page: Element) -> Iterator[str]:
    """Nothing is loaded from elsewhere, and no element holds a script of its own."""
    for element in page.all():
        for name, value in element.attrs.items():
            if (element.tag, name) in LOADING and not value.startswith(("#", "data:")):
                yield f"<{element.tag}> loads {value}"
            if name.startswith("on") or value.strip().lower().startswith("javascript:"):
                yield f"<{element.tag}> holds a script"


def _document(page: Element) -> Iterator[str]:
    """The page names its language, its title, its main part, and a way to skip to it."""
    for tag, name in (("html", "lang"), ("main", "id")):
        if not [e for e in page.all(tag) if e.attrs.get(name)]:
            yield f"no <{tag} {name}>"
    if not [e for e in page.all("title") if e.text.strip()]:
        yield "no title"
    body = page.all("body")
    first = body[0].all("a", "button")[:1] if body else []
    if not first or first[0].attrs.get("href") != "#main":
        yield "no link that skips to the main part"
