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
    sums = [hashlib.sha256(b"a").hexdigest()] * 2
    columns = ["--columns", 1, 2]
    for inputs, expected, options, contents in [
        (JobInputs(SMALL, {}), TextFile("data/downloads/multi30k/train.de.gz"), [], []),
        (JobInputs(SMALL, {"en-de": corpus}), own[1], columns, sums),
        (JobInputs(replace(SMALL, downloads={}), {}), TextFile("data/small/raw/en-de/train.de"), [], []),
    ]:
        assert inputs.texts("en-de", "train", "de") == [expected]
        assert inputs.columns_options(job) == options
        assert inputs.sums_of_own_texts(job) == contents


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
    assert JobInputs(SMALL, {}).terms("en-de") == ["multi30k"]
    mine = replace(SMALL, corpus="Mine", own_terms={"licence": "L", "citation": "C"})
    terms = JobInputs(mine, {"en-de": HELD_OUT}).terms("en-de")
    assert terms[-3:] == ["Mine, dev cut from the training text", "L", "C"]
