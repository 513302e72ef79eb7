"""The text behind a training made again, from the downloads or the grammar to the tokens, by the pipeline itself."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from transformer.common.files import sha256_of
from transformer.common.project import PROJECT
from transformer.verification.checks import Check, file_check

# What was fetched from elsewhere is not fetched again; the jobs that read it compare it with its recorded checksum.
FETCHED = ("downloads", "own/downloads", "own/sacrebleu")


def check_text(pair: str, data: Path) -> Iterator[Check]:
    """Make all text, vocabularies and tokens of a ``pair`` again in a temporary folder, and compare the bytes.

    ``data`` is the folder of a scale, e.g. data/demo.  Nothing is checked for ``en-silver``, whose trees are parses by
    a trained model.
    """
    files = _text_of(pair, data)
    if not files:
        return
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder)
        _link_inputs(again, data.parent)
        places = {path: Path("data", path.relative_to(data.parent)) for path in files}
        command = [
            *[sys.executable, "-m", "snakemake", "--snakefile", PROJECT / "Snakefile", "--directory", again],
            *["--workflow-profile", "none", "--cores", "all", "--config", f"scale={data.name}", "track="],
            *["--", *places.values()],
        ]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode:
            said = " / ".join((done.stderr or done.stdout).split("\n")[-6:])
            yield Check(str(data), f"{data}: the text of {pair} cannot be made again: {said}")
            return
        for path, place in places.items():
            yield file_check(path, sha256_of(again / place), "the one made again")


def _text_of(pair: str, data: Path) -> list[Path]:
    """Return the files of a pair that need no trained model: raw and clean text, vocabularies and tokens.

    Those of further test sets are not among them, because the settings that ask for them may have been given on the
    command line.
    """
    if (data / "raw" / pair).is_dir():
        sources = [data / "raw" / pair, data / "clean" / pair]
    elif pair == "en-trees":
        sources = [data / "raw" / "trees", data / "clean" / "trees", data / "clean" / pair]
    else:
        return []
    folders = [*sources, data / "subwords" / pair, data / "tokenized" / pair]
    return [path for folder in folders for path in sorted(folder.glob("*")) if path.is_file()]


def _link_inputs(again: Path, data: Path) -> None:
    """Let the folder ``again`` have the working folder's settings and files, and what was fetched into ``data``."""
    for path in Path.cwd().iterdir():
        if path.name not in ("data", "results", "logs") and not path.name.startswith("."):
            (again / path.name).symlink_to(path)
    for name in FETCHED:
        if (data / name).is_dir():
            (again / "data" / name).parent.mkdir(parents=True, exist_ok=True)
            (again / "data" / name).symlink_to((data / name).resolve())
