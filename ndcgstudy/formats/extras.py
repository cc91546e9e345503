"""Packages that only some files take: imported when such a file comes, and asked for when missing."""

import importlib
from typing import Any


def needed(module: str, name: str, what: str) -> Any:
    """Import a module of the extra ``files``.

    Parameters
    ----------
    module
        What to import.
    name, what
        The file and its format, for the message.

    Raises
    ------
    ValueError
        If it is not installed, with the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ValueError(
            f"{name}: {what} takes the package {package}: pip install 'ndcgstudy[files]'"
        ) from None
