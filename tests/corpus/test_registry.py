from pathlib import Path

import pytest
import yaml

from transformer.corpus.registry import load_registry
from transformer.errors import UserError

REPOSITORY = Path(__file__).parents[2]
SCHEMA = REPOSITORY / "workflow" / "schemas" / "sources.schema.yaml"


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


def test_the_project_s_registry() -> None:
    files = load_registry(REPOSITORY / "config" / "sources.yaml", SCHEMA)
    assert len(files) == 9
    for path, file in files.items():
        assert file.path == path
        assert (
            file.url == f"https://github.com/multi30k/dataset/raw/master/data/task1/raw/{path.split('/')[1]}"
        )
    assert len({file.sha256 for file in files.values()}) == len(files)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sha256": "0" * 63}, r"corpus\.files\[0\]\.sha256: .* does not match"),
        ({"size": 0}, r"corpus\.files\[0\]\.size: 0 is less than the minimum"),
        ({"url": "file:///etc/passwd"}, r"corpus\.files\[0\]\.url: "),
        ({"path": "../train.en.gz"}, r"corpus\.files\[0\]\.path: "),
        ({"path": "a/../../b"}, r"corpus\.files\[0\]\.path: "),
        ({"path": "/etc/passwd"}, r"corpus\.files\[0\]\.path: "),
        ({"md5": "0"}, r"corpus\.files\[0\]: .*'md5' was unexpected"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=rf"sources\.yaml, {message}"):
        load_registry(registry(tmp_path, [entry(**changes)]), SCHEMA)


def test_a_missing_key(tmp_path: Path) -> None:
    incomplete = entry()
    del incomplete["sha256"]
    with pytest.raises(UserError, match=r"corpus\.files\[0\]: 'sha256' is a required property"):
        load_registry(registry(tmp_path, [incomplete]), SCHEMA)


def test_a_path_that_is_listed_twice(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"corpus: corpus/train\.en\.gz is listed twice"):
        load_registry(registry(tmp_path, [entry(), entry()]), SCHEMA)


def test_a_split_of_a_file_that_is_not_listed(tmp_path: Path) -> None:
    splits = {"train": {"en": "corpus/train.en.gz", "de": "corpus/train.de.gz"}}
    with pytest.raises(
        UserError, match=r"corpus\.splits\.train\.de: corpus/train\.de\.gz is not among the files"
    ):
        load_registry(registry(tmp_path, [entry()], splits=splits), SCHEMA)


def test_what_is_not_yaml(tmp_path: Path) -> None:
    (tmp_path / "sources.yaml").write_text("a: b\nc: [\n")
    with pytest.raises(UserError, match=r"sources\.yaml, line 3: not valid YAML"):
        load_registry(tmp_path / "sources.yaml", SCHEMA)
