"""The user's own files, as a scale names them."""

import zipfile
from pathlib import Path
from typing import Any

import pytest

from transformer.common.errors import UserError
from transformer.settings.own_files import OwnCorpus, TextFile, own_corpora

WHERE = "config/mine.yaml: translation.el-en.files"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("b.el", "a.el", "a.en", "b.en", "c.en", "text.tsv", "a{b}", "-a"):
        Path(name).write_text("x\n")
    with zipfile.ZipFile("old.zip", "w") as zipped:
        zipped.writestr("d/a.tsv", "x\n")
    Path("linked-a").symlink_to("a.el")
    Path("lost-1").symlink_to("/nowhere/1")
    return tmp_path


def corpus(**files: Any) -> OwnCorpus:
    return own_corpora({"el-en": files}, "mine")["el-en"]


def paths(corpus: OwnCorpus, split: str = "train") -> list[tuple[str, str]]:
    return [(source.path, target.path) for source, target in corpus.parts[split]]


def test_two_files_and_what_is_cut_from_them() -> None:
    text = corpus(train={"en": "a.en", "el": "a.el"})
    assert paths(text) == [("a.el", "a.en")]  # the source comes first, whatever the order of the keys
    assert text.held_out == {"dev": None, "test": None}
    text = corpus(train={"en": "a.en", "el": "a.el"}, dev=12, test={"en": "b.en", "el": "b.el"})
    assert (text.held_out, paths(text, "test")) == ({"dev": 12}, [("b.el", "b.en")])


def test_wildcards_are_joined_in_the_order_of_a_shell() -> None:
    assert paths(corpus(train={"el": "*.el", "en": "[ab].en"})) == [("a.el", "a.en"), ("b.el", "b.en")]


def test_columns_of_files_and_of_members() -> None:
    columns = {"columns": {"en": 1, "el": 3}}
    assert corpus(train={"tsv": "*.tsv"} | columns).parts["train"] == [
        (TextFile("text.tsv", column=3), TextFile("text.tsv", column=1))
    ]
    text = corpus(train={"tsv": "old.zip/d/a.tsv"} | columns)
    assert text.parts["train"][0][0] == TextFile("old.zip", "d/a.tsv", 3)
    assert paths(text) == [("old.zip/d/a.tsv", "old.zip/d/a.tsv")]


def test_a_home_folder_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert paths(corpus(train={"el": "~/a.el", "en": "a.en"})) == [(f"{folder}/a.el", "a.en")]


BOTH = "give a path for each of el and en, or `tsv` and `columns` with a number for each"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ({"el": "a.el", "en": "nein.en"}, "nein.en is not a file (relative paths start at "),
        ({"el": "*.fr", "en": "*.en"}, "*.fr is not a file (relative paths start at "),
        ({"el": "*.el", "en": "*.en"}, "2 files in el and 3 files in en; each file needs its translation"),
        ({"el": "a.el"}, BOTH),
        ({"el": "a.el", "en": "a.en", "de": "a.de"}, BOTH),
        ({"el": ".", "en": "a.en"}, ". is not a file (relative paths start at "),
        ({"tsv": "text.tsv"}, BOTH),
        ({"tsv": "text.tsv", "columns": {"el": 1}}, BOTH),
        ({"columns": {"el": 1, "en": 2}}, BOTH),
        (7, "give a text: a path for each language, or `tsv` with `columns`"),
        ({"el": "a{b}", "en": "a.en"}, "a{b} has a brace, by which Snakemake marks wildcards; rename "),
        ({"el": "-a", "en": "a.en"}, "'-a' begins with '-', as an option does; "),
        ({"el": "https://x.org/a", "en": "a.en"}, "https://x.org/a is not a file (relative paths start at "),
        ({"el": "a.el", "en": "a.el"}, "a.el is named for both el and en; correct one"),
        ({"el": "a.*", "en": "a.*"}, "a.el is named for both el and en; correct one"),
        ({"el": "a.el", "en": "./a.el"}, "a.el is named for both el and en; correct one"),
        ({"el": "a.el", "en": "linked-a"}, "a.el is named for both el and en; correct one"),
        ({"el": "lost-*", "en": "*.en"}, "lost-1 is not a file (relative paths start at "),
        ({"el": "old.zip/a", "en": "old.zip/a"}, "old.zip/a is named for both el and en; correct one"),
        ({"tsv": "text.tsv", "columns": {"el": 2, "en": 2}}, "text.tsv is named for both el and en; "),
    ],
)
def test_mistakes(text: Any, line: str) -> None:
    with pytest.raises(UserError) as caught:
        corpus(train=text)
    assert str(caught.value).startswith(f"{WHERE}.train: {line}")
