"""cost.csv: the paper's estimate beside the counted operations, for the paper's runs and for ours."""

from pathlib import Path
from typing import Any

import pytest
from configuration import load
from fake_runs import DEVICES, MakeRun
from rendered import PAPER

from transformer.common.yaml_files import read_yaml
from transformer.planning.host_memory import model_of
from transformer.planning.plan import Corpus, step_flops
from transformer.tables.cost import build_cost
from transformer.tables.literature import records
from transformer.tables.render import csv_frame, renderings
from transformer.tables.runs import read_runs

KNOWN = read_yaml(DEVICES)


def test_capacities_of_footnote_5() -> None:
    capacities = {name: KNOWN[name]["capacity"] / 1e12 for name in ("K80", "K40", "M40", "P100")}
    assert capacities == {"K80": 2.8, "K40": 3.7, "M40": 6.0, "P100": 9.5}


def rows(*folders: Path) -> list[dict[str, Any]]:
    return records(csv_frame(build_cost(read_runs(folders), PAPER, KNOWN)))


def test_a_pair_that_the_paper_does_not_have(make_run: MakeRun) -> None:
    assert [row["origin"] for row in rows(make_run("base", "el-en"))] == ["ours"]


@pytest.mark.parametrize(("run", "row"), [("base", -2), ("big", -1)])
def test_the_formula_gives_what_the_paper_prints(make_run: MakeRun, run: str, row: int) -> None:
    """8 P100 at 9.5 TFLOPS for 12 hours (base) and 3.5 days (big), sections 5.2 and 6.1."""
    paper, _ = rows(make_run(run, "en-de"))
    assert paper["origin"] == "paper, v7"
    estimate = f"{float(paper['estimated_flops']):.1e}".replace("+", "")
    assert estimate == PAPER.models["training_cost.both"].iloc[row]


def test_our_count_of_the_paper_s_runs() -> None:
    """literature.yaml has what the plan counts for the paper's steps, batches and models."""
    settings = load(scale="paper")
    models = PAPER.models.set_index("run")
    for run in ("base", "big"):
        for pair in ("en-de", "en-fr"):
            training, corpus = settings.run(run, pair)["training"], Corpus(**settings.expected[pair])
            assert (training["steps"], training["batch_tokens"]) == (
                100_000 if run == "base" else 300_000,
                25_000,
            )
            counted = training["steps"] * step_flops(corpus, model_of(settings, run, pair), 25_000)
            assert float(str(models.loc[run, f"counted_cost.{pair}"])) == pytest.approx(counted, rel=0.01)


def test_a_run_of_another_machine_is_left_out(make_run: MakeRun) -> None:
    """Nothing says how long it took."""
    run = make_run("base", "el-en")
    (run / "timing.json").unlink()
    assert rows(run) == []


def test_estimate(make_run: MakeRun) -> None:
    _, ours = rows(make_run("base", "en-de", wall_seconds=43200, device_name="Tesla P100"))
    assert ours["estimated_flops"] == "8.208e+17"  # 12 h × 2 devices × 9.5 TFLOPS
    assert ours["counted_flops"] == 123456789012345


def test_a_cpu_counts_its_threads(make_run: MakeRun) -> None:
    _, ours = rows(make_run("base", "en-de", wall_seconds=100, device_name="AMD EPYC"))
    assert float(ours["estimated_flops"]) == pytest.approx(100 * 2 * 3 * 2.2e11)


def test_an_unknown_device_is_blank_and_noted(make_run: MakeRun) -> None:
    run = make_run("base", "en-de", wall_seconds=100)
    _, ours = rows(run)
    assert (ours["capacity"], ours["estimated_flops"]) == ("", "")
    assert "no device named like 'Epyc 7763'" in ours["note"]
    page = renderings(build_cost(read_runs([run]), PAPER, KNOWN))["cost.md"]
    assert ours["note"] in page
    line = next(line for line in page.splitlines() if line.startswith("| base, ours"))
    cells = [cell.strip() for cell in line.split("|")[1:-1]]
    assert cells == ["base, ours", "EN-DE", "0.0278", "2 × Epyc 7763", "", "", "1.2e14", ""]


def test_a_run_that_the_paper_has_not_stands_alone(make_run: MakeRun) -> None:
    (ours,) = rows(make_run("recurrent", "en-de", encoder_layer="recurrent"))
    assert ours["origin"] == "ours"
