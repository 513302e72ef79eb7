"""Further test sets: their scores in the frame, in a table of their own, and nowhere else."""

from pathlib import Path

import pytest
from fake_runs import MakeRun, make_further_test
from made_artifacts import change

from transformer.common.errors import UserError
from transformer.common.files import sha256_of
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


def test_scores_that_cannot_be_read(folders: tuple[list[Path], list[Path]]) -> None:
    scores = folders[1][0] / "scores.json"
    change(scores, files={"config": {"name": "config.json", "sha256": "0" * 64}})
    with pytest.raises(UserError, match=f"{scores}: of another config than"):
        read_further_tests(folders[1])
    scores.unlink()
    with pytest.raises(UserError, match=f"{scores}: no such file"):
        read_further_tests(folders[1])


def test_the_published_scores_have_each_number_once(folders: tuple[list[Path], list[Path]]) -> None:
    runs, tests = folders
    own = all_scores(read_runs(runs), [])
    both = all_scores([*read_runs(runs), *read_further_tests(tests)], [])
    assert len(both) == len(own) + len(tests) * 6
    assert both[~both["test_set"].isin(SETS)].reset_index(drop=True).equals(own)
