import hashlib
from pathlib import Path

import pytest
import yaml
from sacrebleu.dataset import DATASETS

from transformer.common.errors import UserError
from transformer.corpus.registry import load_registry, read_sources, verify_downloads

REPOSITORY = Path(__file__).parents[2]


def entry(**changes: object) -> dict[str, object]:
    known = {"path": "corpus/train.en.gz", "url": "https://example.org/train.en.gz", "sum": f"md5:{'0' * 32}"}
    return known | changes


def registry(folder: Path, files: list[dict[str, object]], name: str = "corpus") -> Path:
    about = {"title": "T", "homepage": "https://example.org", "licence": "L", "citation": "C"}
    path = folder / "sources.yaml"
    path.write_text(yaml.safe_dump({name: about | {"files": files}}))
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
    assert len({file.sum for file in files.values()}) == len(files)


@pytest.mark.parametrize(
    ("source", "split", "name"),
    [
        ("newstest2013", "dev", "wmt13"),
        ("newstest2014", "test", "wmt14/full"),
        ("newstest2014-filtered", "test", "wmt14"),
    ],
)
def test_the_sums_and_members_of_test_sets_are_sacrebleu_s(source: str, split: str, name: str) -> None:
    registered, known = read_sources(REPOSITORY / "resources" / "sources.yaml")[source], DATASETS[name]
    assert known.md5
    assert known.data
    assert [file["sum"] for file in registered["files"]] == [f"md5:{known.md5[0]}"]
    assert registered["files"][0]["url"].replace("//www.", "//") == known.data[0].replace("http:", "https:")
    splits = registered.get("pairs", {"en-de": registered.get("splits"), "en-fr": registered.get("splits")})
    for pair, sides in splits.items():
        assert [sides[split][side]["member"] for side in pair.split("-")] == known.langpairs[pair][:2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sum": "0" * 64}, "corpus.files.0.sum is .*; it must "),
        ({"url": "file:///etc/passwd"}, "corpus.files.0.url is 'file:///etc/passwd'; it must "),
        *(
            ({"path": path}, "corpus.files.0.path is .*; it must ")
            for path in ("a/../../b", "/etc/passwd", "a\n")
        ),
        ({"path": "a" * 201}, "corpus.files.0.path is .* with names of at most 200 characters"),
        ({"size": 0}, "corpus.files.0: unknown key 'size'; valid: path, url, sum"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=f"sources.yaml: {message}"):
        load_registry(registry(tmp_path, [entry(**changes)]))
    with pytest.raises(UserError, match=r"corpus: corpus/train\.en\.gz is listed twice"):
        load_registry(registry(tmp_path, [entry(), entry()]))
    with pytest.raises(UserError, match="sum"):
        load_registry(registry(tmp_path, [{key: value for key, value in entry().items() if key != "sum"}]))


def test_a_download_that_was_there_already_is_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against the registry, which the user's own adds to; what is below no folder of downloads is not."""
    monkeypatch.chdir(tmp_path)
    downloads = tmp_path / "downloads"
    for folder in (downloads, tmp_path / "config"):
        folder.mkdir()
    sums = {kind: f"{kind}:{hashlib.new(kind, b'good').hexdigest()}" for kind in ("sha256", "md5")}
    registry(tmp_path / "config", [entry(path=kind, sum=known) for kind, known in sums.items()], "own")
    paths = [downloads / kind for kind in sums]
    for path in (*paths, downloads / "unknown"):
        path.write_bytes(b"good")
    verify_downloads(paths, downloads)
    verify_downloads([downloads / "unknown"], None)
    with pytest.raises(
        UserError, match=r"unknown is in no registry; give its address and sum in config/sour"
    ):
        verify_downloads([downloads / "unknown"], downloads)
    for path in paths:
        path.write_bytes(b"bad")
        with pytest.raises(
            UserError, match=f"{path}: {path.name} .*, but the registry says .* to download it again"
        ):
            verify_downloads([path / "member"], downloads)
