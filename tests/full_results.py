"""Results at full scale, to which some tests hold texts and defaults."""

import json
from pathlib import Path

import pytest

RESULTS = Path(__file__).parents[1] / "results"


def at_full_scale(*studies: str) -> Path:
    """Return the results folder; skip where a study's results there are those of `make study`."""
    for study in studies:
        manifest = json.loads((RESULTS / study / "manifest.json").read_text(encoding="utf-8"))
        if manifest["scale"] != "full":
            pytest.skip(
                f"results/{study} is of scale {manifest['scale']}, as `make study` writes it"
            )
    return RESULTS
