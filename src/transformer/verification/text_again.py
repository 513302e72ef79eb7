"""The text of a pair of languages prepared again: cleaned from the raw text, and tokenized from the clean one."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from transformer.common.files import read_json, sha256_of
from transformer.common.project import PROJECT
from transformer.corpus.cleaning import CleaningRules, clean_corpus
from transformer.verification.artifacts import vocabulary_files
from transformer.verification.checks import Check, file_check


def check_text(pair: str, data: Path) -> Iterator[Check]:
    """Clean and tokenize each split of a ``pair`` again and compare the bytes.

    Parsers' text has no raw side of its own, so nothing is checked for them.
    """
    if (data / "raw" / pair).is_dir():
        yield from _cleaned(pair, data)
        yield from _tokenized(pair, data)


def _cleaned(pair: str, data: Path) -> Iterator[Check]:
    raw, clean = data / "raw" / pair, data / "clean" / pair
    for report in sorted(clean.glob("*.json")):
        rules = read_json(report)["rules"]
        names = [f"{report.stem}.{language}" for language in pair.split("-")]
        with tempfile.TemporaryDirectory() as folder:
            again = [Path(folder, name) for name in names]
            clean_corpus(
                (raw / names[0], raw / names[1]),
                (again[0], again[1]),
                None if rules is None else CleaningRules(**rules),
            )
            for name, path in zip(names, again, strict=True):
                yield file_check(clean / name, sha256_of(path), f"{raw}, cleaned again,")


def _tokenized(pair: str, data: Path) -> Iterator[Check]:
    subwords, _ = vocabulary_files(pair, data)
    tokenized, clean = data / "tokenized" / pair, data / "clean" / pair
    source, target = pair.split("-")
    for header in sorted(tokenized.glob("*.json")):
        split = header.stem
        with tempfile.TemporaryDirectory() as folder:
            command = [
                sys.executable, PROJECT / "src/subwords/encode.py", "--subwords", subwords,
                "--source", clean / f"{split}.{source}", "--target", clean / f"{split}.{target}",
                "--output", Path(folder, split),
            ]  # fmt: skip
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
            if done.returncode:
                yield Check(str(header), f"{header}: cannot be made again: {done.stderr[-300:]}")
                continue
            for path in sorted(Path(folder).iterdir()):
                yield file_check(tokenized / path.name, sha256_of(path), f"{clean}, tokenized again,")
