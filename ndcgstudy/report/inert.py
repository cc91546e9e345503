"""What makes the page inert: figures that are pictures, and a policy that lets nothing else run."""

import base64
import hashlib
import re

LARGEST = 20_000_000
"""Bytes of the largest figure that the page takes."""

_SVG = re.compile(
    rb"\s*(<\?xml[^>]*\?>)?\s*(<!--.*?-->\s*)*(<!DOCTYPE[^>\[]*>)?\s*<svg[\s/>]", re.DOTALL
)


def picture(data: bytes) -> str:
    """Return an SVG file as the address of an image.

    A browser draws an SVG that is an image's source and neither runs a script in it nor loads what it
    refers to, whatever it holds. Entities are refused, since they may expand without end.

    Raises
    ------
    ValueError
        If the file is not an SVG, declares entities, or has more than `LARGEST` bytes.

    Examples
    --------
    >>> picture(b"<svg></svg>")
    'data:image/svg+xml;base64,PHN2Zz48L3N2Zz4='
    """
    if len(data) > LARGEST:
        raise ValueError(f"a figure has {len(data):,} bytes, more than {LARGEST:,}")
    if b"<!ENTITY" in data or not _SVG.match(data.removeprefix(b"\xef\xbb\xbf")):
        raise ValueError("a figure is not a plain SVG")
    return f"data:image/svg+xml;base64,{base64.b64encode(data).decode()}"


def policy(style: str, script: str) -> str:
    """Return the content security policy of a page with one style sheet and one script of its own.

    Each is allowed by the hash of its text, as it stands between its tags; images come from the page
    itself; nothing is loaded, sent or framed, and no base address is changed.

    Examples
    --------
    >>> policy("", "").split("; ")[:2]
    ["default-src 'none'", "style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"]
    """
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
