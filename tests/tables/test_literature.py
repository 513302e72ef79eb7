"""resources/literature.yaml says what the paper says."""

import re
from pathlib import Path

import pytest
from configuration import load
from rendered import PAPER

from transformer.planning.host_memory import model_of
from transformer.planning.plan import step_flops
from transformer.tables.table2 import scientific

REFERENCES = Path(__file__).parents[2] / "resources" / "references.bib"


def test_every_work_that_a_table_cites_has_an_entry() -> None:
    cited = {row["reference"] for row in (*PAPER.models, *PAPER.parsers) if "reference" in row}
    entries = re.findall(r"^@\w+\{ref(\d+),$", REFERENCES.read_text(), re.MULTILINE)
    assert [int(number) for number in entries] == sorted(cited)


def test_the_formula_gives_the_estimates_that_the_paper_prints() -> None:
    """Hours × GPUs × 9.5 TFLOPS of a P100 (sections 5.2 and 6.1, footnote 5)."""
    for row in (row for row in PAPER.models if "run" in row):
        trained = row["trained"]
        assert trained["device"] == "P100"
        flops = 3600 * trained["hours"] * trained["devices"] * 9.5e12
        assert scientific(int(flops)) == row["training_cost"]["both"]


def test_our_count_of_the_paper_s_runs() -> None:
    """literature.yaml has what the plan counts for the paper's steps, batches and models."""
    settings = load(scale="paper")
    models = {row["run"]: row for row in PAPER.models if "run" in row}
    for run, steps in (("base", 100_000), ("big", 300_000)):
        for pair in ("en-de", "en-fr"):
            training, corpus = settings.run(run, pair)["training"], settings.expected[pair]
            assert (training["steps"], training["batch_tokens"]) == (steps, 25_000)
            counted = steps * step_flops(corpus, model_of(settings, run, pair), 25_000)
            assert float(models[run]["counted_cost"][pair]) == pytest.approx(counted, rel=0.01)
