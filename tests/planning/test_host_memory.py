"""What jobs ask for: the paper's models on eight GPUs, and the demo scale on a CPU."""

import os
from pathlib import Path
from typing import Any

import pytest
from configuration import copy_configuration, edit, load

from transformer.planning.host_memory import (
    averaging_mb,
    cache_bytes,
    decoding_mb,
    memory_here,
    model_of,
    scoring_mb,
    training_mb,
)

PAPER, DEMO = load(scale="paper"), load()

# Megabytes that a job took at the demo scale, all its processes together: trainings with portable numerics (AMD EPYC,
# Zen 5), the others as Snakemake's benchmark measured them on a Zen 4 in bf16.
MEASURED: dict[tuple[str, str], dict[Any, int]] = {
    ("base", "en-de"): {training_mb: 1580, decoding_mb: 898, scoring_mb: 341, averaging_mb: 243},
    ("big", "en-de"): {training_mb: 1643, decoding_mb: 1006, scoring_mb: 428, averaging_mb: 373},
    ("parser", "en-trees"): {training_mb: 3302},
}


def test_memory_is_that_of_all_processes(tmp_path: Any) -> None:
    project = copy_configuration(tmp_path)
    found = []
    for processes in (4, 8):
        edit(project, "paper.yaml", "settings", "processes", value=processes)
        found.append(training_mb(load(project, scale="paper"), "big", "en-de", on_gpu=True))
    assert found[1] == pytest.approx(2 * found[0], rel=0.02)


def test_the_pairs_of_en_fr_count(tmp_path: Any) -> None:
    """36 million pairs take each process about 1.8 GB, by which batches are planned."""
    more = training_mb(PAPER, "big", "en-fr", on_gpu=True) - training_mb(PAPER, "big", "en-de", on_gpu=True)
    assert 8 * 1000 < more < 8 * 3000


@pytest.mark.parametrize(("run", "pair"), MEASURED)
def test_the_demo_scale_asks_for_more_than_was_measured_and_not_for_far_more(run: str, pair: str) -> None:
    for estimate, measured in MEASURED[run, pair].items():
        asked = estimate(DEMO, run, pair, on_gpu=False)
        assert measured + 300 < asked <= max(2100, 2 * measured)


def test_the_cache_grows_with_the_longest_output() -> None:
    model, decoding = model_of(DEMO, "base", "en-de"), DEMO.decoding("base", "en-de")
    short, long = (
        cache_bytes(model, decoding | {"max_extra_tokens": extra}, parsing=False) for extra in (32, 96)
    )
    assert long == 2 * short


@pytest.mark.parametrize(
    ("own", "limits", "expected"),
    [
        ("0::/a/b", {"a/memory.max": "max", "a/b/memory.max": "3000000000"}, 3000),
        ("0::/a/b", {"a/memory.max": "2000000000", "a/b/memory.max": "3000000000"}, 2000),
        ("0::/", {"memory.max": "4000000000"}, 4000),
        ("9:cpu:/a\n4:memory:/a", {"memory/a/memory.limit_in_bytes": "1000000000"}, 1000),
        ("4:memory:/of/the/host", {"memory/memory.limit_in_bytes": "1000000000"}, 1000),
        (None, {}, None),
    ],
    ids=["group", "group above", "container", "version 1", "container, version 1", "not Linux"],
)
def test_the_memory_here_is_that_of_the_machine_or_less(
    own: str | None, limits: dict[str, str], expected: int | None, tmp_path: Path
) -> None:
    for name, text in limits.items():
        (tmp_path / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "groups" / name).write_text(f"{text}\n")
    if own is not None:
        (tmp_path / "own").write_text(f"{own}\n")
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 10**6
    assert memory_here(tmp_path / "groups", tmp_path / "own") == min(expected or machine, machine)
