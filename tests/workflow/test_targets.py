"""Files that are asked for but cannot be made are refused with what to do."""

import pytest
from configuration import load

from targets import check_config_once, check_targets, targets_of
from transformer.common.errors import UserError

SCALES = ["demo", "small", "paper"]
LEFT_OUT = {"results/table4.": "results/table4.tex is left out: there is no treebank"}


@pytest.mark.parametrize(
    ("word", "line"),
    [
        (
            "results/small/tables/table2.md",
            "the active scale is demo; add --config scale=small to the command",
        ),
        ("data/small/subwords/en-de/subwords.model", "the active scale is demo; add --config scale=small"),
        ("results/demo/runs/bse/en-de/last/scores.json", "unknown run 'bse'; did you mean 'base'?"),
        ("./results/demo/runs/bse-seed2/en-de/averaged", "unknown run 'bse'; did you mean 'base'?"),
        ("results/demo/runs/base/en-it/last/scores.json", "unknown language pair 'en-it'"),
        ("results/demo/export/base/de-en/huggingface", "unknown language pair 'de-en'; "),
        ("results/demo/runs/parser/en-de/last", "unknown language pair 'en-de'; "),
    ],
)
def test_what_the_scale_does_not_have(word: str, line: str) -> None:
    with pytest.raises(UserError) as caught:
        check_targets(["--cores", "1", word], load(), SCALES, LEFT_OUT)
    assert str(caught.value).startswith(f"{word}: {line}")


def test_what_is_left_out() -> None:
    with pytest.raises(UserError, match=r"^results/table4\.tex is left out: there is no treebank$"):
        check_targets(["results/table4.csv"], load(), SCALES, LEFT_OUT)


def test_what_can_be_made_and_other_words_pass() -> None:
    run, parser = "results/demo/runs/base-seed2/en-de", "results/demo/runs/parser-semi/en-silver"
    made = [f"{run}/averaged/model.json", f"{parser}/parses.trees", "data/demo/clean/en-de/train.en"]
    others = ["--report", "results/report.zip", "--config", "mirror=results/small/x", "table2"]
    words = [*others, "results", "results/small", "results/table2.tex", "results/demo/export", *made]
    check_targets(words, load(), SCALES, LEFT_OUT)


def test_the_value_of_an_option_is_no_target() -> None:
    values = [
        "--report",
        "results/small/r.html",
        "--until",
        "results/demo/runs/bse/x",
        "--directory",
        "data/small/x",
    ]
    config = ["-n", "--config", "mirror=results/small/x"]
    check_targets(["results/table2.tex", *values, *config], load(), SCALES, LEFT_OUT)
    assert targets_of(["data/a", *values, "--cores", "2", *config, "--", "data/b"]) == ["data/a", "data/b"]
    with pytest.raises(UserError, match=r"^results/small/x/y: the active scale is demo"):
        check_targets([*values, *config, "--", "results/small/x/y"], load(), SCALES, LEFT_OUT)


def test_a_program_that_starts_snakemake_has_words_of_its_own() -> None:
    check_targets(["--unheard-of", "--cores", "results/small/x/y"], load(), SCALES, LEFT_OUT)
    assert targets_of(["--cores"]) == []


def test_a_second_config_would_replace_the_first() -> None:
    check_config_once(["--config", "scale=small", "sentence=-C"])
    for words in (["--config", "a=1", "-C", "b=2"], ["--config=a=1", "--config", "b=2"]):
        with pytest.raises(UserError, match="--config is given twice"):
            check_config_once(words)
