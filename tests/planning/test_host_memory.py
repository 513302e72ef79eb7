"""What jobs ask for: the paper's models on eight GPUs, and the demo scale on a CPU."""

from typing import Any

import pytest
from configuration import copy_configuration, edit, load

from transformer.planning.host_memory import (
    averaging_mb,
    cache_bytes,
    decoding_mb,
    model_of,
    scoring_mb,
    training_mb,
)

PAPER, DEMO = load(scale="paper"), load()

# Megabytes that a job took at the demo scale, all its processes together, as Snakemake's benchmark measured them on an
# AMD EPYC (Zen 4, bf16).
MEASURED = {
    "base": {training_mb: 958, decoding_mb: 898, scoring_mb: 341, averaging_mb: 243},
    "big": {training_mb: 1212, decoding_mb: 1006, scoring_mb: 428, averaging_mb: 373},
}


@pytest.mark.parametrize(("run", "each"), [("base", (4000, 7000)), ("big", (7000, 10_000))])
def test_eight_processes_ask_for_eight_times_what_one_needs(run: str, each: tuple[int, int]) -> None:
    eight = training_mb(PAPER, run, "en-de", on_gpu=True)
    assert 8 * each[0] < eight < 8 * each[1]


def test_memory_is_that_of_one_node(tmp_path: Any) -> None:
    """SLURM's --mem is per node, so twice the nodes ask for no more on each."""
    project = copy_configuration(tmp_path)
    found = []
    for nodes, processes in ((1, 4), (2, 4), (2, 8)):
        edit(project, "paper.yaml", "settings", "nodes", value=nodes)
        edit(project, "paper.yaml", "settings", "processes", value=processes)
        found.append(training_mb(load(project, scale="paper"), "big", "en-de", on_gpu=True))
    assert found[0] == found[1]
    assert found[2] == pytest.approx(2 * found[1], rel=0.02)


def test_the_pairs_of_en_fr_count(tmp_path: Any) -> None:
    """36 million pairs take each process about 1.8 GB, by which batches are planned."""
    more = training_mb(PAPER, "big", "en-fr", on_gpu=True) - training_mb(PAPER, "big", "en-de", on_gpu=True)
    assert 8 * 1000 < more < 8 * 3000


@pytest.mark.parametrize("run", MEASURED)
def test_the_demo_scale_asks_for_more_than_was_measured_and_at_most_for_about_2_gb(run: str) -> None:
    for estimate, measured in MEASURED[run].items():
        options = () if estimate is averaging_mb else (False,)
        asked = estimate(DEMO, run, "en-de", *options)  # type: ignore[operator]
        assert measured + 300 < asked <= 2100


def test_the_cache_grows_with_the_longest_output() -> None:
    model, decoding = model_of(DEMO, "base", "en-de"), DEMO.decoding("base", "en-de")
    short, long = (
        cache_bytes(model, decoding | {"max_extra_tokens": extra}, parsing=False) for extra in (32, 96)
    )
    assert long == 2 * short
