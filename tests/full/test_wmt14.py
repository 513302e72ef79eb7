"""The paper's own corpora through the real rules: archives of the real names and shapes, from a local server."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from micro_project import VERBOSE, copy_project
from web import served

SIDES = {"de-en": ("de", "en"), "fr-en": ("fr", "en")}
PAIRS = 300


def sentences(corpus: str, side: str, lines: int = PAIRS) -> bytes:
    """Lines of a made-up side; the last has no line end, as in some of the real files."""
    words = {"en": "the house number", "de": "das Haus Nummer", "fr": "la maison numéro"}[side]
    return "\n".join(f"{corpus}: {words} {n} & {n + 1}\u2028 ." for n in range(lines)).encode()


def sgm(kind: str, side: str) -> bytes:
    """newstest2014 as SGM, with bare ampersands as in the real files."""
    lines = sentences("news", side, 20).decode().split("\n")
    segments = "\n".join(f'<seg id="{n}">{line}</seg>' for n, line in enumerate(lines, start=1))
    return f'<{kind}set setid="newstest2014">\n<doc docid="d">\n{segments}\n</doc>\n</{kind}set>'.encode()


def archives() -> dict[str, dict[str, bytes]]:
    """Path of each archive → its members, in the shapes of resources/sources.yaml, and members that nobody asks for."""
    both = [(pair, side) for pair, sides in SIDES.items() for side in sides]
    sets = {
        f"test-full/newstest2014-{pair}-{kind}.{side}.sgm": sgm(kind, side)
        for pair, sides in (("deen", ("de", "en")), ("fren", ("fr", "en")))
        for kind in ("src", "ref")
        for side in sides
    }
    return {
        "wmt13/training-parallel-europarl-v7.tgz": {
            f"training/europarl-v7.{pair}.{side}": sentences("europarl", side) for pair, side in both
        },
        "wmt13/training-parallel-commoncrawl.tgz": {
            f"commoncrawl.{pair}.{side}": sentences("crawl", side) for pair, side in both
        }
        | {"commoncrawl.de-en.annotation": b"nobody needs this"},
        "wmt14/training-parallel-nc-v9.tgz": {
            f"training/news-commentary-v9.{pair}.{side}": sentences("news", side) for pair, side in both
        },
        "wmt13/training-parallel-un.tgz": {
            f"un/undoc.2000.fr-en.{side}": sentences("un", side) for side in ("fr", "en")
        },
        "wmt10/training-giga-fren.tar": {
            f"giga-fren.release2.fixed.{side}.gz": gzip.compress(sentences("giga", side))
            for side in ("fr", "en")
        },
        "wmt14/dev.tgz": {
            f"dev/newstest2013.{side}": sentences("dev", side, 30) for side in ("de", "en", "fr")
        },
        "wmt14/test-full.tgz": sets,
        "wmt14/test-filtered.tgz": {name: content for name, content in sets.items() if "deen" in name},
    }


def write_tar(path: Path, members: dict[str, bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz" if path.suffix == ".tgz" else "w") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A folder with the archives, and the address at which it is served."""
    folder = tmp_path_factory.mktemp("web")
    for path, members in archives().items():
        write_tar(folder / path, members)
    with served(folder) as address:
        yield folder, address


def build(
    project: Path, mirror: str | None, targets: list[str], *options: str, settings: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    config = ["scale=paper", *([f"mirror={mirror}"] if mirror else []), *settings]
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        "2",
        *options,
        "--config",
        *config,
        "--",
        *targets,
    ]
    environment = os.environ | VERBOSE
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=600)


def project_without_sums(folder: Path) -> Path:
    """A copy of the project that does not know the checksums of the real archives."""
    registry = copy_project(folder) / "resources" / "sources.yaml"
    registry.write_text(re.sub(r"\n +(sha256|size): .*", "", registry.read_text()))
    return folder


TARGETS = [
    f"data/paper/clean/{pair}/{split}.en" for pair in ("en-de", "en-fr") for split in ("train", "dev", "test")
]


def count(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def test_from_the_archives_to_clean_text(web: tuple[Path, str], tmp_path: Path) -> None:
    project = project_without_sums(tmp_path)
    run = build(project, web[1], TARGETS)
    assert run.returncode == 0, run.stdout + run.stderr
    raw = project / "data" / "paper" / "clean"
    assert count(raw / "en-de" / "train.en") == count(raw / "en-de" / "train.de") == 3 * PAIRS
    assert count(raw / "en-fr" / "train.en") == count(raw / "en-fr" / "train.fr") == 5 * PAIRS
    assert count(raw / "en-de" / "dev.de") == 30
    names = ["europarl-v7.fr-en", "commoncrawl.fr-en", "news-commentary-v9.fr-en", "undoc.2000.fr-en"]
    files = [(f"{name}.en", f"{name}.fr", PAIRS) for name in names]
    files.append(("giga-fren.release2.fixed.en.gz", "giga-fren.release2.fixed.fr.gz", PAIRS))
    report = json.loads((raw / "en-fr" / "train.json").read_text())
    read = [(Path(text["source"]).name, Path(text["target"]).name, text["pairs"]) for text in report["texts"]]
    assert read == files
    texts = {side: (raw / "en-de" / f"test.{side}").read_text(encoding="utf-8") for side in ("en", "de")}
    assert len({text.count("\n") for text in texts.values()}) == 1
    assert "&" in texts["en"]
    assert "<seg" not in texts["de"]
    lock = (project / "resources" / "sources.lock.yaml").read_text()
    assert lock.count("sha256:") == 7
    assert "Nothing to be done" in (again := build(project, web[1], TARGETS)).stdout + again.stderr
