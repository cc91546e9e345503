"""The API reference: every public name is described, and the pages can be made."""

import importlib
import importlib.util
import inspect
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest
from part_examples import classes

import ndcgstudy
from ndcgstudy.parts import FAMILIES

ROOT = Path(__file__).parents[1]
PARTS = [(kind, name) for kind, family in FAMILIES.items() for name in sorted(classes(family))]


@pytest.mark.parametrize("name", ndcgstudy.__all__)
def test_each_name_of_the_front_door_is_described(name):
    text = inspect.getdoc(getattr(ndcgstudy, name)) or " "
    assert len(text.splitlines()[0].split()) >= 2


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_each_registered_part_is_described(kind, name):
    text = vars(classes(FAMILIES[kind])[name])["__doc__"]
    assert re.match(r"[A-Z].*\.$", text.splitlines()[0]), text
    assert not text.startswith(classes(FAMILIES[kind])[name].__name__ + "(")  # dataclass's own


def undescribed(module):
    """Yield the public classes, functions and methods of a module that say nothing of themselves."""
    for name, thing in vars(module).items():
        own = getattr(thing, "__module__", None) == module.__name__
        if (
            name.startswith("_")
            or not own
            or not (inspect.isclass(thing) or inspect.isfunction(thing))
        ):
            continue
        parts = vars(thing).items() if inspect.isclass(thing) else ()
        every = [(name, thing)] + [
            (f"{name}.{part}", getattr(thing, part))
            for part, what in parts
            if isinstance(what, property) or (inspect.isfunction(what) and what.__name__ == part)
        ]
        yield from (n for n, x in every if "._" not in n and not inspect.getdoc(x))


def test_every_public_name_of_the_pages_is_described():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "reference.py")
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    names = reference.modules()
    assert len(names) > 150
    assert not [n for n in names if ".cli" in n]
    missing = {n: [*undescribed(importlib.import_module(n))] for n in names}
    assert {n: found for n, found in missing.items() if found} == {}


def test_a_name_without_words_would_be_found():
    module = types.ModuleType("sample")
    code = 'def f(): ...\nclass C:\n    """Say."""\n    def g(self): ...\n    def h(self):\n        "Tell."'
    exec(code, vars(module))
    assert [*undescribed(module)] == ["f", "C.g"]


@pytest.mark.slow
def test_the_pages_are_made_whole_and_load_nothing(tmp_path):
    if importlib.util.find_spec("pdoc") is None:
        pytest.skip("pdoc is not installed (the extra `docs`)")
    command = [sys.executable, "docs/reference.py", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    front = (tmp_path / "ndcgstudy.html").read_text(encoding="utf-8")
    for name in ndcgstudy.__all__:
        assert f'id="{name}"' in front
    for page in tmp_path.rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        assert not re.search(r"<(script|img|link)[^>]+(src|href)=\"(https?:)?//", html), page
