"""The user's own files, as a scale names them."""

import zipfile
from pathlib import Path
from typing import Any

import pytest

from transformer.common.errors import UserError
from transformer.settings.own_files import OwnCorpus, TextFile, own_corpora, own_corpus

WHERE = "config/mine.yaml: translation.el-en.files"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("b.el", "a.el", "a.en", "b.en", "c.en", "text.tsv", "text.zip", "a{b}", "-a"):
        Path(name).write_text("x\n")
    with zipfile.ZipFile("old.zip", "w") as zipped:
        zipped.writestr("a", "x\n")
    Path("linked-a").symlink_to("a.el")
    Path("lost-1").symlink_to("/nowhere/1")
    return tmp_path


def corpus(pair: str = "el-en", **files: Any) -> OwnCorpus:
    return own_corpus(files, pair, WHERE)


def paths(corpus: OwnCorpus, split: str = "train") -> list[tuple[str, str]]:
    return [(source.path, target.path) for source, target in corpus.parts[split]]


def test_two_files_and_what_is_cut_from_them() -> None:
    found = corpus(train={"en": "a.en", "el": "a.el"})
    assert paths(found) == [("a.el", "a.en")]  # the source comes first, whatever the order of the keys
    assert found.held_out == {"dev": None, "test": None}
    found = corpus(train={"en": "a.en", "el": "a.el"}, dev=12, test={"en": "b.en", "el": "b.el"})
    assert (found.held_out, paths(found, "test")) == ({"dev": 12}, [("b.el", "b.en")])


def test_wildcards_and_lists_are_joined_in_order() -> None:
    both = {"el": "*.el", "en": "[ab].en"}
    assert paths(corpus(train=both)) == [("a.el", "a.en"), ("b.el", "b.en")]
    assert paths(corpus(train=[both, {"el": "a.el", "en": "c.en"}]))[2] == ("a.el", "c.en")
    members = corpus(train={"archive": "[ab].el", "el": "d/x", "en": "d/y"})
    assert paths(members) == [("a.el/d/x", "a.el/d/y"), ("b.el/d/x", "b.el/d/y")]


def test_several_test_sets_are_refused() -> None:
    sets = [{"el": "a.el", "en": "a.en"}, {"el": "b.el", "en": "c.en"}]
    with pytest.raises(
        UserError, match="test: 2 texts; give one test set, and translate any text with translate.py"
    ):
        corpus(train=sets, dev=sets, test=sets)
    assert list(corpus(train=sets, test=sets[:1]).parts) == ["train", "test"]
    assert list(corpus(train=sets, test=sets[0]).parts) == ["train", "test"]


def test_numbers_without_leading_zeros_are_in_order(folder: Path) -> None:
    for number in (1, 2, 10):
        Path(f"p-{number}.el").write_text("x\n")
        Path(f"P-{number:02}.en").write_text("x\n")
    found = paths(corpus(train={"el": "p-*.el", "en": "P-*.en"}))
    assert found == [("p-1.el", "P-01.en"), ("p-2.el", "P-02.en"), ("p-10.el", "P-10.en")]


def test_names_that_differ_in_case_only_are_paired(folder: Path) -> None:
    for name in ("News", "news"):
        for language in ("el", "en"):
            Path(f"{name}.{language}").write_text("x\n")
    found = paths(corpus(train={"el": "*ews.el", "en": "*ews.en"}))
    assert found == [("News.el", "News.en"), ("news.el", "news.en")]


def test_columns() -> None:
    ((source, target),) = corpus(train={"tsv": "text.tsv", "columns": {"en": 1, "el": 3}}).parts["train"]
    assert (source, target) == (TextFile("text.tsv", column=3), TextFile("text.tsv", column=1))


def test_members_and_addresses() -> None:
    """Of an address, only host and path are written down."""
    texts = [
        {"archive": "old.zip", "tsv": "d/a.tsv", "columns": {"el": 1, "en": 2}},
        {"el": "https://me:word@x.org/a/b.el.gz?token=1", "en": "https://x.org:8080/a/b.en.gz#top"},
        {"archive": "https://x.org/get/../b.tgz?f=1", "el": "b.el", "en": "b.en"},
    ]
    paths = [text.path for part in corpus(train=texts).parts["train"] for text in part]
    assert paths == [
        "old.zip/d/a.tsv",
        "old.zip/d/a.tsv",
        "data/downloads/x.org/a/b.el.gz",
        "data/downloads/x.org_8080/a/b.en.gz",
        "data/downloads/x.org/get/b.tgz/b.el",
        "data/downloads/x.org/get/b.tgz/b.en",
    ]


def test_a_test_set_of_sacrebleu() -> None:
    found = corpus("en-fr", train={"en": "a.en", "fr": "a.el"}, test={"sacrebleu": "wmt13"})
    assert paths(found, "test") == [
        ("data/own/sacrebleu/wmt13/en-fr.en", "data/own/sacrebleu/wmt13/en-fr.fr")
    ]


def test_a_home_folder_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert paths(corpus(train={"el": "~/a.el", "en": "a.en"})) == [(f"{folder}/a.el", "a.en")]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ({"el": "a.el", "en": "nein.en"}, "nein.en is not a file (relative paths start at "),
        ({"el": "*.fr", "en": "*.en"}, "*.fr is not a file (relative paths start at "),
        ({"el": "*.el", "en": "*.en"}, "2 files in el and 3 files in en; each file needs its translation"),
        ({"el": "a.el"}, "give el and en, not el; a text is two files (a path for each language), "),
        ({"el": "a.el", "en": "a.en", "de": "a.de"}, "give el and en, not el, en, de; a text is "),
        ({"el": ".", "en": "a.en"}, ". is not a file (relative paths start at "),
        ({"tsv": "text.tsv"}, "give tsv and columns, not tsv; a text is "),
        ({"sacrebleu": "wmt13"}, "sacreBLEU's wmt13 has no el-en; these have: "),
        ({"sacrebleu": "wmt1314"}, "unknown test set of sacreBLEU 'wmt1314'; valid: "),
        (7, "7 is not a text; a text is "),
        ({"el": "a{b}", "en": "a.en"}, "a{b} has a brace, by which Snakemake marks wildcards; rename "),
        ({"archive": "old.zip", "el": "{a}", "en": "a"}, "{a} has a brace, by which Snakemake marks "),
        ({"el": "-a", "en": "a.en"}, "'-a' begins with '-', as an option does; "),
        ({"el": "ftp://x.org/a", "en": "a.en"}, "ftp://x.org/a is not a file (relative paths start at "),
        ({"el": "a.el", "en": "a.el"}, "a.el is named for both el and en; correct one"),
        ({"el": "a.*", "en": "a.*"}, "a.el is named for both el and en; correct one"),
        ({"el": "a.el", "en": "./a.el"}, "a.el is named for both el and en; correct one"),
        ({"el": "a.el", "en": "linked-a"}, "a.el is named for both el and en; correct one"),
        ({"el": "lost-*", "en": "*.en"}, "lost-1 is not a file (relative paths start at "),
        ({"archive": "old.zip", "el": "a", "en": "a"}, "a is named for both el and en; correct one"),
        ({"tsv": "text.tsv", "columns": {"el": 2, "en": 2}}, "text.tsv, column 2 is named for both el and "),
    ],
)  # fmt: skip
def test_mistakes(text: Any, line: str) -> None:
    with pytest.raises(UserError) as caught:
        corpus(train=text)
    assert str(caught.value).startswith((f"{WHERE}.train: {line}", f"{WHERE}.train.archive: {line}"))


def test_a_column_that_no_language_has() -> None:
    with pytest.raises(UserError, match=r"files\.train\.columns: give el and en, not el; a text is "):
        corpus(train={"tsv": "text.tsv", "columns": {"el": 1}})


def test_two_addresses_cannot_be_one_file() -> None:
    """What tells them apart may be secret."""
    train = {"el": "https://x.org/export.txt?lang=e:l", "en": "https://x.org/export.txt?lang=e+l"}
    with pytest.raises(
        UserError, match="two addresses would be one file, data/downloads/x.org/export.txt, since"
    ):
        own_corpora({"el-en": {"train": train}}, "mine")
    own_corpora({"el-en": {"train": [train | {"el": "https://x.org/el.txt"}] * 2}}, "mine")
