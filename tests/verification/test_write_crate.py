"""The names in the crate of a run; tests/full/test_verify.py reads one of a whole project."""

from pathlib import Path

import pytest
from fake_runs import ROOT

from transformer.verification.write_crate import AVERAGE, COMPARE, MAKE_TABLE, SCORING, TRAIN, Crate

SCRIPTS = {TRAIN, AVERAGE, MAKE_TABLE, COMPARE, *SCORING["scores"], *SCORING["parses"]}


@pytest.mark.parametrize("script", sorted(SCRIPTS))
def test_scripts_are_named_by_their_paths_in_the_project(script: str) -> None:
    crate = Crate(Path("results/demo"), {"git": None, "software": {"snakemake": "9"}})
    crate.action("make", script, [], [])
    path = crate.actions["make"]["instrument"]["name"]
    assert path.startswith("src/transformer/")
    assert (ROOT / path).is_file()
