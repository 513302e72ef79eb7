import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from transformer.common.errors import UserError
from transformer.corpus.registry import RegisteredFile, load_registry, record, verified, with_locks

REPOSITORY = Path(__file__).parents[2]
LOCK = Path("config", "sources.lock.yaml")


def entry(**changes: object) -> dict[str, object]:
    return {
        "path": "corpus/train.en.gz",
        "url": "https://example.org/train.en.gz",
        "sha256": "0" * 64,
        "size": 3,
    } | changes


def registry(folder: Path, files: list[dict[str, object]]) -> Path:
    about = {"title": "T", "homepage": "https://example.org", "licence": "L", "citation": "C"}
    path = folder / "sources.yaml"
    path.write_text(yaml.safe_dump({"corpus": about | {"files": files}}))
    return path


def test_the_project_s_registry() -> None:
    files = load_registry(REPOSITORY / "resources" / "sources.yaml")
    for path, file in files.items():
        assert file.path == path
        assert file.url.endswith(f"/{path.split('/')[1]}")
        assert file.url.startswith(
            (
                "https://github.com/multi30k/dataset/",
                "https://www.statmt.org/wmt1",
                "https://raw.githubusercontent.com/nltk/nltk_data/",
            )
        )
    sums = [file.sha256 for file in files.values() if file.sha256]
    assert len(set(sums)) == len(sums)
    unpublished = [path for path, file in files.items() if not file.sha256]
    assert {path.split("/")[0] for path in unpublished if "test_2017" not in path} == {"wmt14"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sha256": "0" * 63}, "corpus.files.0: sha256 is .*; it must be in the form of "),
        ({"url": "file:///etc/passwd"}, "corpus.files.0: url is 'file:///etc/passwd'; it must be "),
        *(
            ({"path": path}, "corpus.files.0: path is .*; it must be ")
            for path in ("a/../../b", "/etc/passwd", "a\n")
        ),
        ({"path": "a" * 201}, "corpus.files.0: path is .* with names of at most 200 characters"),
        ({"md5": "0"}, "corpus.files.0: unknown key 'md5'; valid: path, url, sha256, size"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=f"sources.yaml: {message}"):
        load_registry(registry(tmp_path, [entry(**changes)]))
    with pytest.raises(UserError, match=r"corpus: corpus/train\.en\.gz is listed twice"):
        load_registry(registry(tmp_path, [entry(), entry()]))


# What a first download records.

UNKNOWN = RegisteredFile("wmt/a.tgz", "https://example.org/a.tgz")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a file ``download``, and a registry and a lock file of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("transformer.corpus.registry.lock_file", lambda: LOCK)
    (tmp_path / "config").mkdir()
    registry(tmp_path / "config", [entry()])
    (tmp_path / "download").write_bytes(b"content")
    return tmp_path


def test_downloads_that_end_together_are_all_recorded(folder: Path) -> None:
    LOCK.write_text("# comment without an end")
    files = [RegisteredFile(f"wmt/{n}.tgz", f"https://example.org/{n}") for n in range(20)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda file: record(file, folder / "download"), files))
    assert all(with_locks(file).size == 7 for file in files)
    assert LOCK.read_text().startswith("# comment without an end\n")


def read(paths: list[Path], downloads: Path | None) -> None:
    with verified(paths, downloads):
        assert all(path.exists() for path in paths)


def test_a_download_that_was_there_already_is_verified(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Against the registry, or against what someone else recorded; what is below no such folder is not."""
    downloads = folder / "downloads"
    downloads.mkdir()
    known = entry(path="known", sha256=hashlib.sha256(b"good").hexdigest())
    registry(folder / "config", [known, {"path": "first", "url": "https://example.org/first"}])
    paths = [downloads / name for name in ("known", "first", "own")] + [folder / "elsewhere"]
    for path in paths:
        path.write_bytes(b"good")
    for _ in range(2):  # the second time what the first one recorded is compared
        read(paths, downloads)
    assert capsys.readouterr().err.count("this first copy is trusted: sha256") == 2
    assert [line.partition(":")[0] for line in LOCK.read_text().splitlines()] == ["first", "own"]
    lock = "sources.lock.yaml says"
    for path, said in zip(paths, ("the registry says", lock, lock, None), strict=True):
        path.write_bytes(b"bad")
        read(paths, None)
        if said is None:
            read(paths, downloads)
            continue
        with pytest.raises(
            UserError, match=f"{path}: sha256 .*, but .*{said}.* remove it to download it again"
        ):
            read(paths, downloads)
        path.write_bytes(b"good")


def test_what_cannot_be_read_is_not_recorded(folder: Path) -> None:
    """A login page, or a truncated archive: the reader's error also says that the file may be removed."""
    for _ in range(2):
        with (
            pytest.raises(
                UserError, match=r"it is damaged; if .*/download is not the right file, remove it and"
            ),
            verified([folder / "download"], folder),
        ):
            raise UserError("it is damaged")
    assert not LOCK.exists()
    read([folder / "download"], folder)
    assert "download:" in LOCK.read_text()


def test_a_first_download_is_recorded_and_then_believed(folder: Path) -> None:
    """Another process may have recorded a different one in the meantime; a published checksum needs no lock."""
    assert with_locks(UNKNOWN) == UNKNOWN
    record(UNKNOWN, folder / "download")
    recorded = with_locks(UNKNOWN)
    assert (recorded.sha256, recorded.size) == (hashlib.sha256(b"content").hexdigest(), 7)
    assert recorded.recorded_in == "config/sources.lock.yaml"
    known = RegisteredFile(UNKNOWN.path, UNKNOWN.url, "0" * 64, 1)
    assert with_locks(known) == known
    (folder / "download").write_bytes(b"other")
    with pytest.raises(UserError, match=r"lock.yaml says .*; replace it"):
        record(UNKNOWN, folder / "download")
    LOCK.write_text("wmt/a.tgz: {sha256: abc, size: 3}\n")
    with pytest.raises(UserError, match=r"lock.yaml: .*: sha256 is 'abc'; it must be"):
        with_locks(UNKNOWN)
