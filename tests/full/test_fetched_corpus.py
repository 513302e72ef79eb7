"""A user's own corpus that the pipeline fetches: by URL, in archives, from a mirror, and by sacreBLEU's name of it."""

import gzip
import io
import re
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from micro_project import EVERYTHING, copy_project, jobs, snakemake
from web import served

from transformer.common.files import sha256_of

SIDES = ("en", "fr")
CLEAN = [f"data/mine/clean/en-fr/{split}.{side}" for split in ("train", "dev", "test") for side in SIDES]


def text(name: str, side: str, lines: int) -> str:
    return "".join(f"{name} {side} {number}\n" for number in range(lines))


def tar(members: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, member in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(member.encode())
            archive.addfile(info, io.BytesIO(member.encode()))
    return content.getvalue()


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A folder with texts by URL, and the address at which it is served."""
    folder = tmp_path_factory.mktemp("web")
    for side in SIDES:
        (folder / f"a.{side}.gz").write_bytes(gzip.compress(text("web", side, 30).encode()))
    (folder / "b.tgz").write_bytes(tar({f"v7/b.{side}": text("archive", side, 20) for side in SIDES}))
    with served(folder) as address:
        yield folder, address


@pytest.fixture(scope="module")
def built(web: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the scale `mine`, whose text has been fetched and cleaned."""
    folder = tmp_path_factory.mktemp("fetched")
    project = copy_project(folder / "project")
    with zipfile.ZipFile(project / "own.zip", "w") as archive:
        archive.writestr("own.tsv", "".join(f"local en {n}\tlocal fr {n}\n" for n in range(10)))
    # As sacreBLEU keeps a set that it has downloaded.
    (folder / "sacrebleu" / "wmt13").mkdir(parents=True)
    for field in ("src", "ref", "docid", "genre", "origlang"):
        kept = text("news", {"src": "en", "ref": "fr"}.get(field, field), 5)
        (folder / "sacrebleu" / "wmt13" / f"wmt13.en-fr.{field}").write_text(kept)
    mirrored = folder / "mirror" / "example.org" / "old"
    mirrored.mkdir(parents=True)
    for side in SIDES:
        (mirrored / f"dev.{side}").write_text(text("mirror", side, 7))
    files = {
        "train": [
            {side: f"{web[1]}/a.{side}.gz" for side in SIDES},
            {"archive": f"{web[1]}/b.tgz"} | {side: f"v7/b.{side}" for side in SIDES},
            {"archive": "own.zip", "tsv": "own.tsv", "columns": {"en": 1, "fr": 2}},
        ],
        "dev": {side: f"https://example.org/old/dev.{side}" for side in SIDES},
        "test": {"sacrebleu": "wmt13"},
    }
    scale = {"inherits": "micro", "corpus": "Fetched", "translation": {"en-fr": {"files": files}}}
    (project / "config" / "mine.yaml").write_text(yaml.safe_dump(scale))
    run = build(project, *CLEAN)
    assert run.returncode == 0, run.stdout + run.stderr
    fetching = {"download_url": 5, "fetch_test_set": 1, "gather": 3}
    assert fetching.items() <= jobs(run).items()
    return project


def build(project: Path, *asked: str, mirror: str = "../mirror") -> subprocess.CompletedProcess[str]:
    config, kept = [f"mirror={mirror}"], str(project.parent / "sacrebleu")
    return snakemake(project, *asked, scale="mine", config=config, command=EVERYTHING, SACREBLEU=kept)


def test_the_text_is_what_was_fetched(built: Path) -> None:
    for side in SIDES:
        found = {
            split: (built / f"data/mine/clean/en-fr/{split}.{side}").read_text()
            for split in ("train", "dev", "test")
        }
        assert found == {
            "train": text("web", side, 30) + text("archive", side, 20) + text("local", side, 10),
            "dev": text("mirror", side, 7),
            "test": text("news", side, 5),
        }


def test_every_download_is_recorded(built: Path) -> None:
    lock = yaml.safe_load((built / "resources" / "sources.lock.yaml").read_text())
    downloads = built / "data" / "own" / "downloads"
    files = {
        str(path.relative_to(downloads)): sha256_of(path) for path in downloads.rglob("*") if path.is_file()
    }
    assert len(files) == 5
    assert {path: entry["sha256"] for path, entry in lock.items()} == files


def test_a_second_run_has_nothing_to_do_with_another_mirror_either(built: Path) -> None:
    assert jobs(build(built, *CLEAN, "--dry-run", mirror="none")) == {}


def test_another_file_at_the_same_address_is_refused(
    built: Path, web: tuple[Path, str], tmp_path: Path
) -> None:
    project = shutil.copytree(built, tmp_path / "project")
    (path,) = (project / "data" / "own" / "downloads").rglob("a.en.gz")
    before = path.read_bytes()
    path.unlink()
    (web[0] / "a.en.gz").write_bytes(gzip.compress(text("other", "en", 30).encode()))
    refused = build(project, str(path.relative_to(project)))
    (web[0] / "a.en.gz").write_bytes(before)
    assert refused.returncode == 1
    assert re.search("^ *error: .*a.en.gz.*(sha256|more than)", refused.stdout + refused.stderr, re.MULTILINE)
    assert not path.exists()
