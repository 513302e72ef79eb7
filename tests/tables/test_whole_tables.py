"""Whole made tables of made-up runs, in every rendering, beside recorded ones.

A change of a table is read in the difference of its files.  To record them anew:

    RECORD_TABLES=1 pytest tests/tables/test_whole_tables.py
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rendered
import tiny
from fake_runs import LITERATURE, PAPER, ROOT, make_last_run, make_parser, make_run
from made_artifacts import change, write_training
from rendered import numbers_of

from transformer.common.artifacts import read_artifact, write_artifact
from transformer.settings.runs_file import LAYER_RUNS, T2T_RUNS
from transformer.tables.cells import read_table
from transformer.tables.render import renderings

RECORDED = Path(__file__).with_name("recorded")
MINE: dict[str, Any] = {
    "h": 3,
    "attention_dropout": 0.3,
    "keep_checkpoints": 9,
    "warmup_steps": 1,
    "max_length": 64,
}
PAPER_RUNS = [run for run in PAPER if run in {"base", "big", "E-learned"} or re.match("[A-D]-", run)]
PAIRS = ("en-de", "en-fr")


def table1() -> list[object]:
    """Of one term and of two, with whole and with broken exponents."""
    figures = {
        "flops": [(4.0, {"n": 2.0, "d": 1.0}), (8.0, {"n": 1.0, "d": 2.0})],
        "sequential_operations": [(7.0, {"n": 0.0})],
        "path_length": [(23.34, {"n": 0.9996, "r": -1.0668, "log_k(n)": 0.9734})],
    }
    measured = {
        name: {
            "terms": [{"coefficient": number, "exponents": exponents} for number, exponents in terms],
            "deviation": 0.123 * (len(terms) - 1),
            "points": [{"n": 1, "value": 1}],
        }
        for name, terms in figures.items()
    }
    layers = [row["layer"] for row in rendered.PAPER.layer_types]
    write_artifact("layers.json", {"format": 1, "layers": dict.fromkeys(layers, measured)})
    return ["--layers", "layers.json"]


def table2() -> list[object]:
    """A training of each row, among them rows of the user and those that config/ has; one of them without French."""
    runs = [make_run(run, pair, bleu=bleu) for run, bleu in (("base", 60), ("big", 40)) for pair in PAIRS]
    runs += [make_run(run, "en-de", bleu=55 + n) for n, run in enumerate(T2T_RUNS)]
    runs += [make_run(run, "en-de", bleu=50, encoder_layer=run) for run in LAYER_RUNS]
    return [
        "--runs",
        *runs,
        *(make_run("my_run", pair, bleu=61, encoder_layer="recurrent") for pair in PAIRS),
    ]


def table2_seeds() -> list[object]:
    """Several seeds, of which one row has another number; at the paper's scale, on its test set."""
    facts: dict[str, Any] = {"scale": "paper", "corpus": "WMT14, newstest2014"}
    runs = [
        make_run(run, pair, bleu=bleu + seed * spread, seed=seed, **facts)
        for run, bleu, spread, seeds in (("base", 50, 1, 3), ("big", 60, 2, 3), ("mine", 45, 3, 2))
        for pair in PAIRS
        for seed in range(1, seeds + 1)
    ]
    return ["--runs", *runs, "--data", "multi30k"]


def table2_own_pairs() -> list[object]:
    """Pairs that the paper does not have, beside one that it has."""
    runs = [make_run(run, pair) for run in ("base", "mine") for pair in ("el-en", "en-fr")]
    measures = read_artifact(runs[0] / "scores.json", "scores")["measures"]
    measures["multi_bleu"]["signature"] = "nrefs:1|case:mixed|tok:13a|sacrebleu:2.5.1"
    for run in runs[::2]:
        change(run / "scores.json", measures=measures)
    return ["--runs", *runs, "--pairs", "el-en", "en-fr"]


def table2_of_another_pair() -> list[object]:
    """Nothing of it is in the paper."""
    runs = [make_run(run, "de-ka", bleu=50.0) for run in ("base", "big", "mine")]
    return ["--runs", *runs, "--pairs", "de-ka"]


def options_of_table3(*more: object) -> list[object]:
    settings = ROOT / "config/runs.yaml"
    return ["--runs", *sorted(Path("runs").glob("*/*")), "--paper-settings", settings, *more]


def table3() -> list[object]:
    """A training of each row, one of the user, and what else may differ."""
    for n, run in enumerate([*PAPER_RUNS, "mine"]):
        changes = MINE if run == "mine" else {}
        make_last_run(Path("runs", run, "en-de"), run, bleu=20 + n / 4, perplexity=5 + n / 8, **changes)
    write_training(Path("runs", "A-h4", "en-de"), numerics="portable")
    scores = Path("runs/A-h16/en-de/last/scores.json")
    decoding = read_artifact(scores, "scores")["decoding"]
    change(scores, decoding=decoding | {"search": decoding["search"] | {"beam_size": 1}})
    return options_of_table3()


def table3_seeds() -> list[object]:
    for n, run in enumerate(PAPER_RUNS):
        for seed in (1, 2, 3):
            folder = Path("runs", f"{run}-seed{seed}", "en-de")
            make_last_run(folder, run, seed=seed, bleu=20 + 2 * n + seed, perplexity=5 + n / 4 + seed / 2)
    return options_of_table3()


def table3_of_another_pair() -> list[object]:
    """Its settings and parameters are the paper's, and its scores are not."""
    for run in PAPER_RUNS:
        make_last_run(Path("runs", run, "el-en"), run)
    return options_of_table3("--pair", "el-en")


def table4() -> list[object]:
    return ["--runs", make_parser("parser", f1=70.0), make_parser("parser-semi", f1=96.0)]


def table4_unlike_the_paper() -> list[object]:
    """All that may differ from the paper's parser."""
    data = {
        "input_tags": "predicted",
        "words": "XX",
        "shared_vocabulary": True,
        "constituents": 0.5,
        "copies": 4,
    }
    data |= {"bpe_dropout": 0.1, "vocab_size": 2000}
    texts = [{"source": "a", "split": "dev"}, {"source": "b", "split": "train"}]
    silver = {"silver": {"text": texts, "min_f1": 95, "oversample": 3}}
    runs = [make_parser("parser", data=data, N=2, d_model=256, positions="words")]
    change(runs[0] / "parses.json", tags="gold")
    return ["--runs", *runs, make_parser("parser-semi", data=silver)]


def table4_alone() -> list[object]:
    """Without the parser that the others are compared with, and with trees of the user's own."""
    silver = {"silver": {"text": "trees", "oversample": 1}}
    return ["--runs", make_parser("parser-semi", data=silver)]


def table4_seeds() -> list[object]:
    facts: dict[str, Any] = {"scale": "paper", "treebank": "Penn Treebank 3, WSJ 23"}
    silver = {"silver": {"text": "grammar", "min_f1": 100, "oversample": 2}}
    runs = [
        make_parser(run, f1=f1 + n, seed=n, data=data, **facts)
        for run, f1, data in (("parser", 80, {}), ("parser-semi", 90, silver))
        for n in (1, 2)
    ]
    return ["--runs", *runs]


CASES = [
    *(table1, table2, table2_seeds, table2_own_pairs, table2_of_another_pair),
    *(table3, table3_seeds, table3_of_another_pair),
    *(table4, table4_unlike_the_paper, table4_alone, table4_seeds),
]


def make(name: str, options: list[object]) -> None:
    """Make a table in the folder ``made``."""
    script = "make_claims" if name == "claims" else name
    done = tiny.run_captured(script, "--literature", LITERATURE, *options, "--output-dir", "made")
    assert done.returncode == 0, done.stderr


def assert_recorded(name: str, recorded_as: str) -> None:
    """Its formats are the recorded ones, and those of the table that is read from the file of its cells."""
    again = renderings(read_table(Path("made", f"{name}.json")))
    for path in (Path("made", f"{name}.{ending}") for ending in ("csv", "md", "tex")):
        assert path.read_text() == again[path.name]
        text = re.sub("[0-9a-f]{64}", "SHA256", again[path.name])
        recorded = RECORDED / (recorded_as + path.suffix)
        if os.environ.get("RECORD_TABLES"):
            recorded.write_text(text)
        assert text == recorded.read_text()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_a_table_is_the_recorded_one(case: Callable[[], list[object]]) -> None:
    """And each number of ours stands in the file, at the key, that the table's own file names."""
    name, _, _ = case.__name__.partition("_")
    make(name, case())
    assert_recorded(name, case.__name__)
    assert numbers_of(Path("made", f"{name}.json"))


def test_the_claims_are_the_recorded_ones() -> None:
    """Those on Table 3 with three seeds; others need runs that are not there."""
    make("table3", table3_seeds())
    make("claims", ["--tables", "made/table3.json", "--claims", ROOT / "resources/claims.yaml"])
    assert_recorded("claims", "claims")


@rendered.needs_latex
def test_their_latex_compiles(tmp_path: Path) -> None:
    """And fits on a page, but for one with further columns."""
    texts = [path.read_text() for path in sorted(RECORDED.glob("*.tex")) if path.stem != "table2_own_pairs"]
    assert len(texts) == len(CASES)
    assert "Overfull" not in rendered.compile_table("\n\\clearpage\n".join(texts), tmp_path)
