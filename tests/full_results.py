"""Results at full scale, to which some tests hold texts and defaults."""

import json
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "results"


def at_full_scale(*studies: str) -> Path:
    """Return the results folder; fail where a study's results there are not at full scale."""
    for study in studies:
        manifest = json.loads((RESULTS / study / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["scale"] == "full", f"results/{study} is of scale {manifest['scale']}"
    return RESULTS
