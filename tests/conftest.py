"""Fixtures that all tests share."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from shared_data import Collection, conformance_path, data_path

# The same examples on every machine, so that a failure is one of the code and not of the day;
# HYPOTHESIS_PROFILE=wide looks further, with fresh examples on each call.
settings.register_profile("house", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("wide", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))


def _present(folder: Path) -> Path:
    """Return a folder of the data; where it is absent, skip, or fail where data are required."""
    if not folder.is_dir():
        reason = f"no such folder: {folder} (set NDCGSTUDY_DATA to the folder of the data)"
        if os.environ.get("NDCGSTUDY_REQUIRE_DATA"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data."""
    return _present(data_path())


@pytest.fixture(scope="session")
def conformance_folder() -> Path:
    """The folder of the conformance cases."""
    return _present(conformance_path())


@pytest.fixture(scope="session")
def covid(data_folder: Path) -> Collection:
    """The 143 runs of TREC-COVID round 1."""
    return Collection(data_folder / "trec_covid_round1" / "round1.qrels.gz")


@pytest.fixture(scope="session")
def deep_learning(data_folder: Path) -> Collection:
    """The 63 runs of the TREC Deep Learning track 2021, passages."""
    return Collection(data_folder / "trec_dl2021_passage" / "nist.qrels.gz")


@pytest.fixture
def user_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds a user's file of parts, and from which modules are imported."""
    shutil.copy(Path(__file__).with_name("user_parts.py"), tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.delitem(sys.modules, "user_parts", raising=False)
    return tmp_path
