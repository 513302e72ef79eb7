"""Make results again by the rules, in a copy of the working folder, from the translations, trees and checkpoints there.

The copy has links to everything; what is made again replaces a link, and no file behind one is written to.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from transformer.common.errors import visible
from transformer.verification.snakemake_records import FOLDER as RECORDS

AVERAGE = "average_checkpoints"
TABLES = ("table1", "table2", "table3", "table4", "claims")
# Their jobs take seconds and have the same bits everywhere.  Other rules train, translate, parse or measure times.
COPIES = ("copy_table", "copy_figure")
SHOWN_BY = (*TABLES, "scores", "metrics", "plot", "plot_attention", *COPIES)
RULES = (AVERAGE, "score_bleu", "score_parses", *SHOWN_BY)
LINKED = ("checkpoints",)  # folders, of which a rule reads the files only
# Of a line that differs, so many characters are shown, and so many of them before the difference.
SHOWN, BEFORE = 60, 20


def link_results(results: Path, copy: Path) -> None:
    """Fill the folder ``copy`` with links to the files of the working folder and of ``results``, one scale's.

    What is there already stays: what was made again, and other links.  Snakemake's records are copied, since Snakemake
    makes nothing without them, and writes there.
    """
    if RECORDS.exists() and not (copy / RECORDS).exists():
        shutil.copytree(RECORDS, copy / RECORDS)
    links = [
        path for path in Path().iterdir() if path.name[0] != "." and path.name not in ("results", "logs")
    ]
    for folder, folders, files in os.walk(results):
        links += [Path(folder, name) for name in (*files, *(name for name in folders if name in LINKED))]
        folders[:] = [name for name in folders if name not in LINKED]
    for path in links:
        if not os.path.lexists(copy / path):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            (copy / path).symlink_to(path.absolute())


def made_again(copy: Path) -> Iterator[Path]:
    """Yield the results that are files in the ``copy``, not links, by their paths in there."""
    for path in sorted((copy / "results").rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(copy)


def make_again(copy: Path, targets: Sequence[str], rules: Sequence[str], config: Sequence[str]) -> list[str]:
    """Let ``rules`` make ``targets`` in the ``copy`` from what other rules made; return what went wrong."""
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", "workflow/Snakefile"),
        *("--profile", "none", "--workflow-profile", "none", "--cores", "all", "--keep-going", "--nolock"),
        *("--forceall", "--allowed-rules", *rules, "--quiet", "all", "--config", *config, "--", *targets),
    ]
    run = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    if run.returncode == 0:
        return []
    said = run.stdout + run.stderr
    logs = [log.read_text("utf-8", "replace") for log in sorted((copy / "logs").rglob("*.log"))]
    errors = re.findall(r"^error: (.*)", "\n".join(logs), re.MULTILINE)
    errors += [f"{missing}: missing" for missing in re.findall(r"affected files:\s+(\S+)", said)]
    return errors or [
        " ".join(re.findall(r"^\s*(?:error:|\w+(?:Error|Exception)\b).*", said, re.M)) or said[-300:]
    ]


def difference(path: Path, again: Path) -> str:
    """Return where a file first differs from the one made ``again``, with both texts; nothing if it does not.

    The two texts are never the same: they begin shortly before the first character that differs, and characters that
    cannot be seen are written by their codes.
    """
    if not path.exists():
        return "missing; it can be made again"
    contents = [file.read_bytes() for file in (path, again)]
    if contents[0] == contents[1]:
        return ""
    if path.suffix not in (".safetensors", ".pdf"):
        sides = (content.decode("utf-8", "backslashreplace").split("\n") for content in contents)
        for number, pair in enumerate(itertools.zip_longest(*sides), start=1):
            shown = [None if line is None else visible(line) for line in pair]
            if shown[0] != shown[1]:
                characters = enumerate(itertools.zip_longest(*(line or "" for line in shown)))
                start = next((place for place, (one, other) in characters if one != other), 0)
                texts = [_quoted(line, max(0, start - BEFORE)) for line in shown]
                return f"line {number} is {texts[0]}, and made again {texts[1]}"
    return "not the bytes made again"


def _quoted(line: str | None, start: int) -> str:
    """Return the part of a line that is shown; nothing has no quotes."""
    if line is None:
        return "nothing"
    end = start + SHOWN
    return f"'{'…' * (start > 0)}{line[start:end]}{'…' * (end < len(line))}'"
