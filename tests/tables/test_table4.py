"""Table 4: the paper's rows, ours beside them, and what keeps ours from being taken for WSJ's."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from fake_runs import MakeRun
from made_artifacts import change
from rendered import PAPER, compile_table, csv_rows, formats, needs_latex

from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.tables.runs import PARSES, read_runs
from transformer.tables.table4 import build_table4


def table_of(*folders: Path) -> dict[str, str]:
    """The table in its formats: tex, csv and md."""
    return formats(build_table4(PAPER, read_runs(folders, PARSES)))


def test_csv_holds_the_papers_rows_then_ours_by_decoding(make_parser: MakeRun) -> None:
    folder = make_parser("parser", f1=95.25)
    rows = csv_rows(table_of(folder)["csv"])
    assert len(rows) == 12 + 2
    luong, constrained, unconstrained = rows[10], rows[12], rows[13]
    assert (luong["parser"], luong["training"], luong["f1"]) == (
        "Luong et al. (2015) [23]",
        "multi-task",
        "93.0",
    )
    assert luong["note"] == "row added by later versions of the paper"
    assert (constrained["decoding_method"], unconstrained["decoding_method"]) == (
        "constrained",
        "unconstrained, repaired",
    )
    assert (constrained["f1"], constrained["f1_low"], constrained["f1_high"], constrained["f1_paper"]) == (
        "95.2500",
        "94.0000",
        "96.0000",
        "91.3",
    )
    assert (unconstrained["f1"], unconstrained["malformed"], unconstrained["errors"]) == (
        "94.2500",
        "12",
        "3",
    )
    assert constrained["malformed"] == ""
    assert unconstrained["scores_sha256"] == sha256_of(folder / "unconstrained.json")


def test_our_line_of_the_tex_names_its_score_files(make_parser: MakeRun) -> None:
    folder = make_parser("parser-semi", f1=96.0)
    ours = [line for line in table_of(folder)["tex"].splitlines() if "sha256:" in line]
    files = "; ".join(
        f"{path} sha256:{sha256_of(path)}" for path in (folder / "parses.json", folder / "unconstrained.json")
    )
    assert ours == [
        "Transformer (4 layers) & semi-supervised & 92.7 & "
        rf"96.0 [94.0, 96.0]\rlap{{\textsuperscript{{b}}}} \\ % {files}"
    ]


def test_a_row_that_differs_from_the_first_parser_is_marked(make_parser: MakeRun) -> None:
    """Besides the letter of its note; only the decoding that the table shows is tested."""
    table = table_of(make_parser("parser", f1=70.0), make_parser("parser-semi", f1=96.0))
    assert "| 96.0 [94.0, 96.0]<sup>†c</sup> |" in table["md"]
    assert r"96.0 [94.0, 96.0]\rlap{\textsuperscript{\dag{}c}}" in table["tex"]
    assert "<sup>†</sup> F1 differs from that of parser (p < 0.05 after Holm's correction" in table["md"]
    assert [row["f1_p"] for row in csv_rows(table["csv"])[12:]] == ["", "", "0.000999001", ""]
    assert "†" not in table_of(make_parser("parser", f1=70.0))["md"]


def test_several_seeds_are_mean_and_standard_deviation(make_parser: MakeRun) -> None:
    """Of F1; the other numbers are means, so that no test set is said to have more sentences than it has."""
    table = table_of(*(make_parser("parser", f1=90.0 + seed, seed=seed) for seed in (1, 2)))
    assert "91.5 ± 0.7<sup>" in table["md"]
    assert "12 of 500 outputs (2.4%) malformed; repaired, F1 90.5 ± 0.7;" in table["md"]
    constrained, unconstrained = csv_rows(table["csv"])[12:]
    assert (constrained["f1"], constrained["f1_sd"], constrained["f1_low"]) == ("91.5000", "0.7071", "")
    cells = [constrained[name] for name in ("precision", "sentences", "seeds")]
    assert cells == ["92.5000", "500", "1 2"]
    assert unconstrained["malformed"] == "12"
    assert "Counts are means over seeds. Constrained decoding; 500 sentences scored, 0 errors" in table["md"]
    assert len(constrained["scores"].split()) == len(constrained["scores_sha256"].split()) == 2


def test_rules_stand_where_the_paper_has_them(make_parser: MakeRun) -> None:
    """Above and below each line of the Transformer."""
    lines = table_of(make_parser("parser"))["tex"].splitlines()
    body = lines[lines.index(r"\midrule") : lines.index(r"\bottomrule")]
    blocks = [block.count(r"\\") for block in "\n".join(body).split(r"\midrule")[1:]]
    assert blocks == [4, 1, 4, 1, 2, 2]


def test_the_other_decoding_is_a_note(make_parser: MakeRun) -> None:
    table = table_of(make_parser("parser", f1=95.25))
    note = (
        "Constrained decoding; 500 sentences scored, 0 errors, 0 skipped. Unconstrained decoding: 12 of 500 "
        "outputs (2.4%) malformed; repaired, F1 94.2 [92.5, 95.0]; 497 sentences scored, 3 errors, 0 skipped"
    )
    notes = [line for line in table["md"].splitlines() if line.startswith("<sup>")]
    assert notes == ["<sup>a</sup> Row added by later versions of the paper.", f"<sup>b</sup> {note}."]
    assert note.replace("%", r"\%") in table["tex"]


def test_a_parser_that_is_not_the_paper_s_says_so(make_parser: MakeRun) -> None:
    same = table_of(make_parser("parser"))
    assert "Transformer (4 layers), ours" in same["md"]
    assert "With" not in same["md"]
    tags = {"input_tags": "predicted"}
    other = table_of(make_parser("parser", data=tags, N=2, d_model=256, positions="words"))
    said = "With d_model 256, positions that count words, predicted tags in the input. Constrained decoding"
    for text in other.values():
        assert "Transformer (2 layers)" in text
    assert said in other["md"]
    assert said.replace("_", r"\_") in other["tex"]
    assert csv_rows(table_of(make_parser("parser", N=1))["csv"])[-1]["parser"] == "Transformer (1 layer)"


def test_all_that_differs_is_named(make_parser: MakeRun) -> None:
    data = {"words": "XX", "shared_vocabulary": True, "constituents": 0.5}
    data |= {"copies": 4, "bpe_dropout": 0.1, "vocab_size": 2000}
    folder = make_parser("parser", data=data)
    assert (
        "With 2,000 subwords, subwords and tree symbols in one matrix, XX instead of tags in the output, 50% of the "
        "constituents as further sentences, 4 copies of each sentence with BPE-dropout 0.1. Constrained decoding; 500 "
    ) in table_of(folder)["md"]
    change(folder / "parses.json", tags="gold")
    said = "Constrained decoding; the treebank's tags put into our trees before scoring; 500 sentences scored"
    assert said in table_of(folder)["md"]


TWO_TEXTS = [{"source": "a", "split": "dev"}, {"source": "b", "split": "train"}]


@pytest.mark.parametrize(
    ("silver", "said"),
    [
        (
            {"text": "trees", "oversample": 1},
            "silver trees from a file of our own, and each tree of the treebank once.",
        ),
        (
            {"text": "grammar", "min_f1": 100, "oversample": 2},
            "sentences of the project's own grammar that two parsers of our own agree on, and each tree of the",
        ),
        (
            {"text": TWO_TEXTS, "min_f1": 95, "oversample": 3},
            "sentences of a and b that two parsers of our own agree on with an F1 of 95 or more, and each tree",
        ),
    ],
)
def test_what_replaces_the_silver_corpus(make_parser: MakeRun, silver: dict[str, Any], said: str) -> None:
    table = table_of(make_parser("parser"), make_parser("parser-semi", data={"silver": silver}))
    assert f"in its place ours has {said}" in table["md"]
    assert said in csv_rows(table["csv"])[-1]["note"]


def test_on_the_paper_s_own_test_set_nothing_warns(make_parser: MakeRun) -> None:
    table = table_of(make_parser("parser", scale="paper", treebank="Penn Treebank 3, WSJ 23"))
    assert csv_rows(table["csv"])[-1]["note"] == "Ours: paper scale, fp32 numerics, Penn Treebank 3, WSJ 23"


@pytest.mark.parametrize("name", ["parses", "unconstrained"])
def test_scores_that_cannot_stand_in_a_table(make_parser: MakeRun, name: str) -> None:
    folder = make_parser("parser")
    path = folder / f"{name}.json"
    with_interval = json.loads(path.read_text())["all"]
    without = {key: value for key, value in with_interval.items() if key != "interval"}
    for figures in (with_interval, without):
        change(path, all=figures | {"valid": 0, "f1": 0.0})
        with pytest.raises(UserError, match=f"{path}: there is no F1, as no sentence could be scored"):
            table_of(folder)
    change(path, files={"config": {"name": "config.json", "sha256": "0" * 64}})
    with pytest.raises(UserError, match=f"{path}: of another config"):
        table_of(folder)
    path.unlink()
    with pytest.raises(UserError, match=f"{path}: no such file"):
        table_of(folder)


def test_unconstrained_scores_need_the_number_of_malformed_outputs(make_parser: MakeRun) -> None:
    folder = make_parser("parser")
    shutil.copy(folder / "parses.json", folder / "unconstrained.json")
    with pytest.raises(UserError, match=r"unconstrained\.json: no 'decoding'"):
        table_of(folder)


@needs_latex
@pytest.mark.parametrize("options", ["", "12pt"])
def test_tex_compiles_in_a_minimal_document(make_parser: MakeRun, tmp_path: Path, options: str) -> None:
    treebank = "5% of R&D_#1 – a treebank whose name is longer than a line of the table, trees 0170–0199"
    runs = [make_parser(run, treebank=treebank) for run in ("parser", "parser-semi")]
    assert "Overfull" not in compile_table(table_of(*runs)["tex"], tmp_path, options)
