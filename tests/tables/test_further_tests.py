"""Further test sets: their scores in the frame, in a table of their own, and nowhere else."""

from pathlib import Path

import pytest
import tiny
from fake_runs import LITERATURE, MakeRun, make_further_test
from made_artifacts import change
from rendered import PAPER, compile_table, formats, needs_latex, numbers_of

from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.tables.cells import Table, read_table
from transformer.tables.further_tests import build_test_sets
from transformer.tables.render import csv_frame, renderings
from transformer.tables.runs import read_further_tests, read_runs
from transformer.tables.scores import all_scores, scores_of

OWN = "synthetic grammar corpus"
SETS = ["2017-flickr", "2017-mscoco"]


@pytest.fixture
def folders(make_run: MakeRun) -> tuple[list[Path], list[Path]]:
    """Base and big of both pairs, and their scores on two further test sets, of which one has no French."""
    runs = [make_run(run, pair) for run in ("base", "big") for pair in ("en-de", "en-fr")]
    tests = [make_further_test(run, "2017-flickr", 30 + n) for n, run in enumerate(runs)]
    tests += [
        make_further_test(run, "2017-mscoco", 20 + n) for n, run in enumerate(runs) if run.name == "en-de"
    ]
    return runs, tests


def build(folders: tuple[list[Path], list[Path]]) -> Table:
    runs, tests = folders
    return build_test_sets(PAPER, read_runs(runs), read_further_tests(tests))


def test_each_row_of_the_frame_names_its_test_set(folders: tuple[list[Path], list[Path]]) -> None:
    runs, tests = folders
    own, further = scores_of(read_runs(runs)), scores_of(read_further_tests(tests))
    assert own.groupby("split")["test_set"].unique().map(list).to_dict() == {"": [""], "test": [OWN]}
    scores = further[further["split"] == "test"]
    assert scores["test_set"].unique().tolist() == SETS
    assert scores["headline"].sum() == len(tests)
    for row in scores[scores["measure"] == "sacrebleu"].to_dict("records"):
        assert Path(row["path"]).parent.name == row["test_set"]
        assert row["sha256"] == sha256_of(row["path"])
        assert (row["checkpoint"], row["decoding_method"]) == ("averaged", "beam search")


def test_the_table_has_every_test_set_and_measure(folders: tuple[list[Path], list[Path]]) -> None:
    table = build(folders)
    assert len(csv_frame(table)) == (4 + 4 + 2) * 6
    of_one = csv_frame(table).query("test_set == '2017-flickr' and run == 'big' and pair == 'en-fr'")
    (row,) = of_one[of_one["measure"] == "multi_bleu"].to_dict("records")
    assert (row["bleu"], row["bleu_low"], row["bleu_high"]) == ("33.0000", "31.5000", "34.2500")
    assert (row["headline"], row["sentences"]) == (True, 40)
    assert row["scores"] == "results/demo/runs/big/en-fr/tests/2017-flickr/scores.json"
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in formats(table)["md"].splitlines()]
    lines = [line for line in lines if len(line) == 7][2:]
    assert [line[0] for line in lines] == [
        f"{name} (40 sentences)" for name in (OWN, *SETS) for _ in range(6)
    ]
    assert lines[6][1:3] == ["base", "Moses tokens, compounds split"]
    assert lines[6][3:5] == ["30.0 [28.5, 31.2]", "30.2 [28.8, 31.5]"]
    assert lines[-1][1:] == ["big", "sacreBLEU", "21.0 [19.5, 22.2]", "21.2 [19.8, 22.5]", "", ""]


def test_rows_say_where_they_are_from(folders: tuple[list[Path], list[Path]]) -> None:
    scores = folders[1][0] / "scores.json"
    traced = f"{scores} sha256:{sha256_of(scores)}"
    files = renderings(build(folders))
    (line,) = (line for line in files["test_sets.tex"].splitlines() if traced in line and "split" in line)
    assert "30.0 [28.5, 31.2]" in line
    assert all(
        "not comparable with newstest2014" in files[f"test_sets.{end}"] for end in ("tex", "md", "csv")
    )


@needs_latex
def test_tex_compiles_in_a_minimal_document(folders: tuple[list[Path], list[Path]], tmp_path: Path) -> None:
    assert "Overfull" not in compile_table(formats(build(folders))["tex"], tmp_path)


def test_scores_that_cannot_be_read(folders: tuple[list[Path], list[Path]]) -> None:
    scores = folders[1][0] / "scores.json"
    change(scores, files={"config": {"name": "config.json", "sha256": "0" * 64}})
    with pytest.raises(UserError, match=f"{scores}: of another config than"):
        read_further_tests(folders[1])
    scores.unlink()
    with pytest.raises(UserError, match=f"{scores}: no such file"):
        read_further_tests(folders[1])


def test_the_table_is_traceable(folders: tuple[list[Path], list[Path]]) -> None:
    runs, tests = folders
    inputs = ["--runs", *runs, "--tests", *tests, "--literature", LITERATURE]
    done = tiny.run_captured("make_table", "test_sets", *inputs, "--output-dir", "tables")
    assert done.returncode == 0, done.stderr
    assert len(numbers_of(Path("tables/test_sets.json"))) == (4 + 4 + 2) * 6
    behind = read_table(Path("tables/test_sets.json")).behind
    names = {folder.relative_to("results/demo/runs").as_posix() for folder in (*runs, *tests)}
    assert set(behind["runs"]) == names
    scores = behind["runs"]["base/en-de/tests/2017-mscoco"]["files"]["scores"]
    assert scores["sha256"] == sha256_of("results/demo/runs/base/en-de/tests/2017-mscoco/scores.json")


def test_the_published_scores_have_each_number_once(folders: tuple[list[Path], list[Path]]) -> None:
    runs, tests = folders
    own = all_scores(read_runs(runs), [])
    both = all_scores([*read_runs(runs), *read_further_tests(tests)], [])
    assert len(both) == len(own) + len(tests) * 6
    assert both[~both["test_set"].isin(SETS)].reset_index(drop=True).equals(own)
