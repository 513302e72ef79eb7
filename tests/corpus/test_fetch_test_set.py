"""Test sets by their names in sacreBLEU."""

from pathlib import Path

import pytest
from sacrebleu.dataset import DATASETS

from transformer.common.errors import UserError
from transformer.corpus.fetch_test_set import check_name, fetch


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where sacreBLEU keeps wmt13, without anything there, nor a connection."""
    monkeypatch.setattr(DATASETS["wmt13"], "_outdir", str(tmp_path))
    monkeypatch.setattr(DATASETS["wmt13"], "_rawdir", str(tmp_path / "raw"))
    monkeypatch.setattr(DATASETS["wmt13"], "data", ["http://127.0.0.1:9/test.tgz"])
    return tmp_path


def test_what_sacrebleu_has_is_not_downloaded(folder: Path) -> None:
    for field in ("src", "ref", "docid", "genre", "origlang"):
        (folder / f"wmt13.en-fr.{field}").write_text(f"{field}\n")
    assert [path.read_text() for path in fetch("wmt13", "en-fr")] == ["src\n", "ref\n"]


def test_other_references_than_the_first_are_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(DATASETS["wmt13"], "get_source_file", lambda pair: "src")
    monkeypatch.setattr(DATASETS["wmt13"], "get_reference_files", lambda pair: ["one", "two"])
    assert fetch("wmt13", "en-fr") == (Path("src"), Path("one"))
    assert "note: sacreBLEU's wmt13 has 2 references; the first is taken" in capsys.readouterr().err


INCOMPLETE = "wmt13: sacreBLEU cannot complete it.*this folder"


def test_the_part_of_an_archive_that_a_killed_download_left(folder: Path) -> None:
    """SacreBLEU takes it for whole; without it, there is no connection."""
    with pytest.raises(UserError, match=INCOMPLETE):
        fetch("wmt13", "en-fr")
    (folder / "raw").mkdir(exist_ok=True)
    (folder / "raw" / "wmt13.test.tgz").write_bytes(b"part")
    with pytest.raises(UserError, match=INCOMPLETE):
        fetch("wmt13", "en-fr")


def test_names_and_pairs_that_do_not_exist() -> None:
    expected = r"unknown test set of sacreBLEU 'wmt31'; did you mean 'wmt.*valid: .*wmt13,"
    with pytest.raises(UserError, match=expected):
        check_name("wmt31", "en-fr")
    with pytest.raises(UserError, match=r"sacreBLEU's wmt13 has no fr-de; these have: .*wmt20"):
        check_name("wmt13", "fr-de")
    with pytest.raises(UserError, match=r"sacreBLEU's wmt13 has no xx-yy; no test set of sacreBLEU has"):
        check_name("wmt13", "xx-yy")
