"""Write the API reference, a page a module, from the docstrings: `make docs`."""

import pkgutil
import sys
import warnings
from pathlib import Path

import ndcgstudy


def modules() -> list[str]:
    """Return the package and its modules but for the command line, which has `--help`."""
    found = pkgutil.walk_packages(ndcgstudy.__path__, "ndcgstudy.")
    names = [module.name for module in found]
    return ["ndcgstudy", *(n for n in names if ".cli" not in n and not n.endswith("__main__"))]


def write(folder: Path) -> None:
    """Write the pages into a folder."""
    import pdoc

    for name in ndcgstudy.__all__:  # loaded when first used, and pdoc does not use them
        setattr(ndcgstudy, name, getattr(ndcgstudy, name))
    pdoc.render.configure(docformat="numpy")
    # Packages bring modules along that are named too; pandas' generic types exist for checkers alone.
    warnings.filterwarnings("ignore", module="pdoc")
    pdoc.pdoc(*modules(), output_directory=folder)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
