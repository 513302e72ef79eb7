"""Which files the jobs of the rules read, and under which terms these are."""

import hashlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from configuration import load

from transformer.common.errors import UserError
from transformer.settings.own_files import OwnCorpus, TextFile
from transformer.workflow.data_terms import DataTerms
from transformer.workflow.job_inputs import JobInputs

SMALL = load(scale="small", seeds=[1, 2])
HELD_OUT = OwnCorpus(parts={}, held_out={"dev": None})
PAIR = {"source": "en", "target": "de"}


def wildcards(**values: str) -> SimpleNamespace:
    return SimpleNamespace(**PAIR | values)


def test_where_the_texts_of_a_split_are(tmp_path: Path) -> None:
    """Downloaded, the user's own, or made by the grammar; of the user's own, the content counts."""
    own = [TextFile(str(tmp_path / f"a.{side}"), column=n) for n, side in enumerate(("en", "de"), start=1)]
    for text in own:
        Path(text.file).write_text("a")
    corpus = OwnCorpus(parts={"train": [(own[0], own[1])]}, held_out={"dev": None})
    job = wildcards(split="train")
    for inputs, expected, ours in [
        (JobInputs(SMALL, {}), TextFile("data/downloads/multi30k/train.de.gz"), True),
        (JobInputs(replace(SMALL, downloads={}), {"en-de": corpus}), own[1], False),
        (JobInputs(replace(SMALL, downloads={}), {}), TextFile("data/small/raw/en-de/train.de"), True),
    ]:
        assert inputs.texts_of(job, "de") == [expected]
        assert inputs.is_ours(expected) == ours
        columns = [] if ours else ["--columns", 1, 2]
        assert inputs.columns_options(job) == columns
        assert inputs.sums_of_own_texts(job) == [] if ours else [hashlib.sha256(b"a").hexdigest()] * 2


@pytest.mark.parametrize(
    ("target", "split", "trees", "copies"),
    [
        ("trees", "train", "clean/trees/train", 4),
        ("silver", "train", "silver/train", 4),
        ("silver", "dev", "clean/trees/dev", 1),
    ],
)
def test_only_training_trees_are_silver_and_copied(target: str, split: str, trees: str, copies: int) -> None:
    assert SMALL.parsing
    inputs = JobInputs(replace(SMALL, parsing=SMALL.parsing | {"copies": 4, "input_tags": "predicted"}), {})
    job = wildcards(target=target, split=split)
    assert inputs.trees_of(job) == f"data/small/{trees}.trees"
    assert inputs.tree_encoding(job)[1] == copies
    assert inputs.tags_of(job) == ([] if split == "train" else [f"data/small/silver/{split}.pcfg.trees"])
    assert inputs.symbols_of(job) == [f"data/small/subwords/en-{target}/symbols.json"]
    assert inputs.symbols_of(wildcards()) == []


@pytest.mark.parametrize("key", ["treebank", "silver_text", "silver_trees"])
def test_data_of_parsers_is_where_the_user_says(key: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    there = {"treebank": tmp_path}.get(key, tmp_path / "file")
    given: dict[str, Any] = {key: str(there)}
    missing: dict[str, Any] = {key: "nowhere"}
    JobInputs(replace(SMALL, **given), {}).check()
    with pytest.raises(UserError, match=f"{key}: nowhere: no such"):
        JobInputs(replace(SMALL, **missing), {}).check()


def test_the_terms_of_the_users_own_text_say_what_was_cut_from_it() -> None:
    terms = DataTerms(SMALL, {})
    assert terms.of_pair(wildcards()) == ["multi30k"]
    own = DataTerms(
        replace(SMALL, corpus="Mine", own_terms={"licence": "L", "citation": "C"}), {"en-de": HELD_OUT}
    )
    assert own.options("en-de")[-3:] == ["Mine, dev cut from the training text", "L", "C"]
