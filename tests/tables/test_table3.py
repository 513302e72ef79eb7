"""Table 3: its rows are the paper's, and ours stand beside them."""

import contextlib
import json
import re
import shutil
from pathlib import Path

import pytest
import tiny
import torch
from fake_runs import PAPER, PAPER_SETTINGS, make_last_run
from made_artifacts import change, write_training
from rendered import PAPER as LITERATURE
from rendered import compile_table, csv_rows, formats, needs_latex

from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.model.config import TransformerConfig
from transformer.model.transformer import Transformer, parameter_count
from transformer.tables.runs import LAST, Run, read_runs
from transformer.tables.table3 import TARGET_SPACES, VOCABULARY, build_table3, parameters_2017

ROWS = LITERATURE.variations
NAMES = list(ROWS["run"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run for each row; not to be written to."""
    folder = tmp_path_factory.mktemp("rows")
    with contextlib.chdir(folder):
        for n, name in enumerate(NAMES):
            make_last_run(Path("runs", name, "en-de"), name, bleu=20 + n / 4)
    return folder


def read_rows() -> list[Run]:
    return read_runs([Path("runs", name, "en-de") for name in NAMES], LAST)


@pytest.fixture
def runs(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """Copies of these runs, in the working directory."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return read_rows()


def build(runs: list[Run], pair: str = "en-de") -> dict[str, str]:
    """The table in its formats: tex, csv and md."""
    return formats(build_table3(LITERATURE, runs, PAPER_SETTINGS, pair))


@pytest.fixture(scope="module")
def table(folder: Path) -> dict[str, str]:
    """The table of one run a row."""
    with contextlib.chdir(folder):
        return build(read_rows())


def test_the_cells_that_the_paper_fills_are_what_the_runs_change() -> None:
    """config/runs.yaml against the paper's printed table."""
    for row in ROWS.to_dict("records"):
        run = row["run"]
        changes = PAPER_SETTINGS[run] if run in ("base", "big") else PAPER[run]
        cells = {
            str(key).removeprefix("changes."): row[key] for key in row if "changes." in str(key) and row[key]
        }
        printed = {name: float(value.replace("K", "000")) for name, value in cells.items()}
        if run == "E-learned":
            assert changes == {"positions": "learned"}
        else:
            assert printed == {name: changes[name] for name in printed}
            assert run in ("base", "big") or set(printed) == set(changes)


def test_a_blank_cell_means_base(table: dict[str, str]) -> None:
    body = [line.split("|")[1:-1] for line in table["md"].splitlines() if line.startswith("| (A)")]
    assert [cell.strip() for cell in body[0][1:10]] == ["", "", "", "1", "512 [128]", "512 [128]", "", "", ""]


def test_every_rendering_says_what_ours_are(table: dict[str, str]) -> None:
    for text in table.values():
        assert "demo scale, fp32 numerics, grammar corpus, development set; the paper's: newstest2013" in text


def test_ours_stand_beside_the_paper(folder: Path, table: dict[str, str]) -> None:
    rows = csv_rows(table["csv"])
    assert [row["run"] for row in rows] == NAMES
    assert len(rows) == 20
    last = rows[-1]
    assert (last["bleu"], last["bleu_paper"], last["perplexity_paper"]) == ("24.7500", "26.4", "4.33")
    assert (last["parameters"], last["parameters_2017_code"]) == ("1639936", "218333184")
    assert last["scores_sha256"] == sha256_of(folder / last["scores"])


def test_several_seeds_are_mean_and_standard_deviation(runs: list[Run]) -> None:
    more = [
        make_last_run(Path("runs", f"{name}-seed2", "en-de"), name, seed=2, bleu=22 + n / 4, perplexity=6.0)
        for n, name in enumerate(NAMES)
    ]
    table = build(runs + more)
    assert re.search(r"\| 5.50 ± 0.71 +\| 25.8 +\| 21.0 ± 1.4 +\|", table["md"])
    assert "21.0 $\\pm$ 1.4" in table["tex"]
    row = csv_rows(table["csv"])[0]
    assert (row["bleu"], row["bleu_sd"], row["bleu_low"], row["seeds"]) == ("21.0000", "1.4142", "", "1 2")


def test_a_row_without_a_run(runs: list[Run]) -> None:
    with pytest.raises(UserError, match="a run for each row of the paper; give D-smoothing0.2, big as well"):
        build([run for run in runs if run.name not in ("big", "D-smoothing0.2")])


def test_a_row_that_differs_from_base_is_marked(table: dict[str, str]) -> None:
    """The runs' BLEU rises by 1/4 from row to row, and the matches of their sentences by 1 each twenty rows."""
    rows = csv_rows(table["csv"])
    assert [row["bleu_p"] for row in rows[:2]] == ["", "1"]
    assert rows[-1]["bleu_p"] == "0.000999001"
    (big,) = (line for line in table["md"].splitlines() if line.startswith("| big"))
    assert " 24.8<sup>†</sup> " in big
    assert table["tex"].count(r"24.8\rlap{\textsuperscript{\dag{}}}") == 1
    assert rows[-1]["bleu_p_holm"] == "0.018981"  # of nineteen comparisons
    assert {row["perplexity_p_holm"] for row in rows[1:]} == {"1"}  # all runs have the same
    note = (
        "Perplexity or BLEU differs from that of base (p < 0.05 after Holm's correction for 19 comparisons,"
    )
    assert note in table["md"]


def test_another_pair_than_the_paper_s(runs: list[Run]) -> None:
    """Settings and parameters are the paper's, which do not depend on the pair; its scores are blank."""
    for run in runs:
        run.content["config"]["pair"] = "el-en"
    table = build(runs, "el-en")
    rows = csv_rows(table["csv"])
    assert {row["bleu_paper"] + row["perplexity_paper"] for row in rows} == {""}
    assert (rows[-1]["bleu"], rows[-1]["parameters_paper_millions"]) == ("24.7500", "213")
    said = (
        "demo scale, fp32 numerics, grammar corpus, development set, EL-EN, for which the paper has no scores"
    )
    assert said in table["md"]
    assert "Variations of the Transformer, EL-EN." in table["tex"]


@pytest.fixture
def own(runs: list[Run]) -> list[Run]:
    """A run of the user's own, with a setting that has a column and one that has none."""
    folder = Path("runs", "my_run", "en-de")
    return [make_last_run(folder, "my_run", bleu=33, d_model=96, attention_dropout=0.3, keep_checkpoints=9)]


def test_runs_of_the_user_follow_as_ours_only(table: dict[str, str], runs: list[Run], own: list[Run]) -> None:
    without, table = table, build(own + runs)
    *papers, last = csv_rows(table["csv"])
    assert papers == csv_rows(without["csv"])
    said = "for 19 comparisons and, apart from these, for one comparison of rows that the paper does not have"
    assert said in table["md"]
    cells = [last[name] for name in ("block", "run", "d_model", "bleu")]
    assert cells == ["ours only", "my_run", "96", "33.0000"]
    blank = {name for name, value in last.items() if not value}
    assert blank >= {"row", "perplexity_paper", "bleu_paper", "parameters_2017_code", "d_model_paper"}
    (line,) = (line for line in table["md"].splitlines() if line.startswith("| my_run, ours only"))
    cells = [cell.strip() for cell in line.split("|")[1:-1]]
    assert cells[1:] == ["", "96", *[""] * 8, "5.00", "", "33.0<sup>†</sup>", "", "", "1.64"]
    assert "blank where they equal our base; my_run also differs in attention_dropout 0.3." in table["md"]
    lines = table["tex"].splitlines()
    above = next(i for i, line in enumerate(lines) if "Ours only: not in the paper" in line)
    assert lines[above + 1].startswith(r"my\_run &  & 96 &")
    assert not any("Ours only" in text for text in without.values())


def test_what_else_differs_is_said(runs: list[Run]) -> None:
    """A row of the paper with other settings, other numerics, as of another processor, and another beam."""
    make_last_run(Path("runs", "A-h1", "en-de"), "A-h1", warmup_steps=1)
    write_training(Path("runs", "A-h4", "en-de"), numerics="portable")
    own = make_last_run(Path("runs", "my_run", "en-de"), "my_run")
    scores = json.loads(Path("runs/my_run/en-de/last/scores.json").read_text())
    scores["decoding"]["search"]["beam_size"] = 1
    config = Path("runs/my_run/en-de/config.json")
    change(config, model=json.loads(config.read_text())["model"] | {"max_length": 64})
    write_training(config.parent)
    scores["files"]["config"]["sha256"] = sha256_of(config)
    change(config.parent / "last/scores.json", decoding=scores["decoding"], files=scores["files"])
    own = read_runs([Path("runs", "my_run", "en-de")], LAST)[0]
    text = build([*read_rows(), own])["md"]
    assert "demo scale, fp32 and portable numerics" in text
    assert "A-h1 also differs from base in warmup_steps 1." in text
    assert "A-h16 also differs" not in text
    assert "my_run also differs in beam_size 1, max_positions 64." in text


def test_a_setting_that_the_config_of_one_run_leaves_out(runs: list[Run]) -> None:
    """A config.json has newer settings only where they are not at their defaults."""
    base = make_last_run(Path("runs", "base", "en-de"), "base", window="wide")
    others = [run for run in runs if run.name != "base"]
    own = make_last_run(Path("runs", "my_run", "en-de"), "my_run", kernel="square")
    table = build([base, *others, own])
    assert "my_run also differs in window default, kernel square." in table["md"]


@needs_latex
def test_tex_compiles_in_a_minimal_document(runs: list[Run], tmp_path: Path) -> None:
    """With two seeds, which make its cells the widest."""
    more = [make_last_run(Path("runs", f"{name}-seed2", "en-de"), name, seed=2, bleu=30) for name in NAMES]
    own = [make_last_run(Path("runs", f"mine-seed{n}", "en-de"), "mine", seed=n, h=4) for n in (1, 2)]
    assert "Overfull" not in compile_table(build(runs + more + own)["tex"], tmp_path)


PRINTED = list(LITERATURE.variations.itertuples())


@pytest.mark.parametrize("row", [row for row in PRINTED if row.parameters], ids=lambda row: row.run)
def test_it_rounds_to_the_paper(row) -> None:  # type: ignore[no-untyped-def]
    """All but big's, of which docs/protocol.md says what is known."""
    printed = "218" if row.run == "big" else row.parameters
    assert f"{parameters_2017(PAPER_SETTINGS[row.run]) / 1e6:.0f}" == printed


@pytest.mark.parametrize("run", [row.run for row in PRINTED])
def test_it_counts_what_a_model_has(run: str) -> None:
    names = ("N", "d_model", "d_ff", "h", "d_k", "d_v")
    settings = {name: PAPER_SETTINGS[run][name] for name in names}
    with torch.device("meta"):  # shapes only
        others = tiny.model_config(**settings, attention_bias=True)
        model = Transformer(TransformerConfig(vocab_size=VOCABULARY, **others))
    assert parameters_2017(settings) == parameter_count(model) + TARGET_SPACES * settings["d_model"]
