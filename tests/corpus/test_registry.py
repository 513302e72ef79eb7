import doctest
import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from transformer.common.errors import UserError
from transformer.corpus import registry as module
from transformer.corpus.registry import (
    RegisteredFile,
    apply_lock,
    is_unprotected,
    load_registry,
    read_sources,
    record,
    verify,
)

REPOSITORY = Path(__file__).parents[2]


def entry(**changes: object) -> dict[str, object]:
    return {
        "path": "corpus/train.en.gz",
        "url": "https://example.org/train.en.gz",
        "sha256": "0" * 64,
        "size": 3,
    } | changes


def registry(folder: Path, files: list[dict[str, object]], **changes: object) -> Path:
    source = {
        "title": "T",
        "homepage": "https://example.org",
        "licence": "L",
        "citation": "C",
        "files": files,
    } | changes
    path = folder / "sources.yaml"
    path.write_text(yaml.safe_dump({"corpus": source}))
    return path


def test_doctests() -> None:
    assert doctest.testmod(module).failed == 0


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
    assert {path.split("/")[0] for path in unpublished if "test_2017" not in path} == {
        "wmt10",
        "wmt13",
        "wmt14",
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sha256": "0" * 63}, r"corpus\.files\.0\.sha256: .* does not match"),
        ({"size": 0}, r"corpus\.files\.0\.size: 0 is less than the minimum"),
        ({"url": "file:///etc/passwd"}, r"corpus\.files\.0\.url: "),
        ({"path": "../train.en.gz"}, r"corpus\.files\.0\.path: "),
        ({"path": "a/../../b"}, r"corpus\.files\.0\.path: "),
        ({"path": "/etc/passwd"}, r"corpus\.files\.0\.path: "),
        ({"md5": "0"}, r"corpus\.files\.0: unknown key 'md5'; valid: path, url, sha256, size"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=rf"sources\.yaml: {message}"):
        load_registry(registry(tmp_path, [entry(**changes)]))


def test_a_missing_key(tmp_path: Path) -> None:
    incomplete = entry()
    del incomplete["sha256"]
    with pytest.raises(UserError, match=r"corpus\.files\.0: 'sha256' is a dependency of 'size'"):
        load_registry(registry(tmp_path, [incomplete]))


def test_a_path_that_is_listed_twice(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"corpus: corpus/train\.en\.gz is listed twice"):
        load_registry(registry(tmp_path, [entry(), entry()]))


def test_a_split_of_a_file_that_is_not_listed(tmp_path: Path) -> None:
    splits = {"train": {"en": "corpus/train.en.gz", "de": "corpus/train.de.gz"}}
    with pytest.raises(
        UserError, match=r"corpus\.splits\.train\.de: corpus/train\.de\.gz is not among the files"
    ):
        load_registry(registry(tmp_path, [entry()], splits=splits))


@pytest.mark.parametrize("path", ["a" * 201, "a/" * 501 + "b", "a\n", "a/../b"])
def test_a_path_that_no_file_system_takes(tmp_path: Path, path: str) -> None:
    with pytest.raises(
        UserError, match=r"sources\.yaml: corpus\.files\.0\.path: .* (does not match|is too long)"
    ):
        load_registry(registry(tmp_path, [entry(path=path)]))
    load_registry(registry(tmp_path, [entry(path="a/" * 499 + "b")]))
    load_registry(registry(tmp_path, [entry(path="a" * 200)]))


@pytest.mark.parametrize("side", [{}, {"member": "a"}, {"file": "a"}, 3, None, ["a"]])
def test_a_side_that_names_no_file(tmp_path: Path, side: object) -> None:
    splits = {"train": {"en": "corpus/train.en.gz", "de": side}}
    with pytest.raises(UserError, match=r"sources\.yaml: corpus\.splits\.train\.de: "):
        load_registry(registry(tmp_path, [entry()], splits=splits))


def test_what_is_not_yaml(tmp_path: Path) -> None:
    (tmp_path / "sources.yaml").write_text("a: b\nc: [\n")
    with pytest.raises(UserError, match=r"sources\.yaml, line 3: not valid YAML"):
        load_registry(tmp_path / "sources.yaml")


@pytest.mark.parametrize(
    ("url", "unprotected"),
    [
        ("http://example.org/a", True),
        ("http://127.evil.org/a", True),
        ("http://localhost.evil.org/a", True),
        ("http://user@10.0.0.1/a", True),
        ("http://[::2]/a", True),
        ("http://[broken/a", True),
        ("HTTP://example.org/a", True),
        ("https://example.org/a", False),
        ("http://127.0.0.1:80/a", False),
        ("http://[::1]/a", False),
        ("http://localhost/a", False),
    ],
)
def test_plain_http_is_protected_on_this_machine_only(url: str, unprotected: bool) -> None:
    assert is_unprotected(url) is unprotected


def test_a_file_by_plain_http_needs_a_sum(tmp_path: Path) -> None:
    sha256, url = "ab" * 32, "http://example.org/a.gz"
    path = registry(tmp_path, [{"path": "one/a.gz", "url": url}])
    with pytest.raises(UserError) as error:
        read_sources(path)
    assert str(error.value).startswith(
        f"{path}: corpus: {url} is plain http, so anyone on the way could change the file; give an https address, or "
        f"its sha256 and size ({tmp_path}/sources.lock.yaml: one/a.gz: "
    )
    (tmp_path / "sources.lock.yaml").write_text(f"one/a.gz: {{sha256: {sha256}, size: 12}}\n")
    assert list(read_sources(path)) == ["corpus"]
    (tmp_path / "sources.lock.yaml").unlink()
    registry(tmp_path, [{"path": "one/a.gz", "url": url, "sha256": sha256, "size": 12}])
    assert list(read_sources(path)) == ["corpus"]


# What a first download records.

UNKNOWN = RegisteredFile("wmt/a.tgz", "https://example.org/a.tgz")


def test_a_first_download_is_recorded_and_then_believed(tmp_path: Path) -> None:
    lock = tmp_path / "sources.lock.yaml"
    assert apply_lock(UNKNOWN, lock) == UNKNOWN
    (tmp_path / "download").write_bytes(b"content")
    recorded = record(UNKNOWN, tmp_path / "download", lock)
    assert recorded.sha256 == hashlib.sha256(b"content").hexdigest()
    assert recorded.size == 7
    assert apply_lock(UNKNOWN, lock) == recorded
    assert recorded.recorded_in == str(lock)


def test_a_published_checksum_needs_no_lock(tmp_path: Path) -> None:
    known = RegisteredFile("a", "https://example.org/a", "0" * 64, 1)
    (tmp_path / "lock").write_text(f"a: {{sha256: {'1' * 64}, size: 2}}\n")
    assert apply_lock(known, tmp_path / "lock") == known


def test_downloads_that_end_together_are_all_recorded(tmp_path: Path) -> None:
    lock = tmp_path / "sources.lock.yaml"
    lock.write_text("# comment without an end")
    files = [RegisteredFile(f"wmt/{n}.tgz", f"https://example.org/{n}") for n in range(20)]
    (tmp_path / "download").write_bytes(b"content")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda file: record(file, tmp_path / "download", lock), files))
    assert all(apply_lock(file, lock).size == 7 for file in files)
    assert lock.read_text().startswith("# comment without an end\n")


def test_another_download_has_recorded_something_else(tmp_path: Path) -> None:
    lock = tmp_path / "lock.yaml"
    for content in (b"one", b"two"):
        (tmp_path / "download").write_bytes(content)
        if content == b"one":
            record(UNKNOWN, tmp_path / "download", lock)
    with pytest.raises(UserError, match="lock.yaml recorded .*; download it again"):
        record(UNKNOWN, tmp_path / "download", lock)


def test_a_download_that_was_there_already_is_verified(tmp_path: Path) -> None:
    """Against the registry, or against what someone else recorded; what is below no such folder is not."""
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    known = entry(path="known", sha256=hashlib.sha256(b"good").hexdigest())
    sources = registry(tmp_path, [known, {"path": "first", "url": "https://example.org/first"}])
    paths = [downloads / "known", downloads / "first", tmp_path / "elsewhere"]
    for path in paths:
        path.write_bytes(b"good")
    for _ in range(2):  # the second time what the first one recorded is compared
        verify(paths, downloads, sources)
    assert "first:" in (tmp_path / "sources.lock.yaml").read_text()
    for path, said in zip(paths, ("the registry says", "sources.lock.yaml recorded", None), strict=True):
        path.write_bytes(b"bad")
        if said is None:
            verify(paths, downloads, sources)
            continue
        with pytest.raises(
            UserError, match=f"{path}: sha256 .*, but .*{said}.*; remove it to download it again"
        ):
            verify(paths, downloads, sources)
        path.write_bytes(b"good")


def test_a_lock_file_that_someone_spoiled(tmp_path: Path) -> None:
    (tmp_path / "lock.yaml").write_text("wmt/a.tgz: {sha256: abc, size: 3}\n")
    with pytest.raises(UserError, match=r"lock.yaml: .*sha256: 'abc' does not match"):
        apply_lock(UNKNOWN, tmp_path / "lock.yaml")
