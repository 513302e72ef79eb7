"""Make results again by the rules, in a copy of the working folder, from the translations, trees and checkpoints there.

The copy has links to everything; what is made again replaces a link, and no file behind one is written to.
"""

import itertools
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

AVERAGE = ("average_checkpoints",)
# Their jobs take seconds and have the same bits everywhere.  Other rules train, translate, parse or measure times.
TABLES = ("score_bleu", "score_parses", "score_baselines", "table")
OTHERS = ("scores", "metrics", "plot", "plot_attention", "copy_table", "copy_figure")
LINKED = ("checkpoints",)  # folders, of which a rule reads the files only


def link_results(results: Path, copy: Path) -> None:
    """Fill the folder ``copy`` with links to the files of the working folder and of ``results``, one scale's.

    What is there already stays: what was made again, and other links.
    """
    links = [
        entry for entry in Path().iterdir() if entry.name[0] != "." and entry.name not in ("results", "logs")
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
    return [] if run.returncode == 0 else _reasons(copy, run.stdout + run.stderr)


def _reasons(copy: Path, said: str) -> list[str]:
    """Return the errors of the jobs that failed, or else that of Snakemake."""
    logs = sorted((copy / "logs").rglob("*.log"))
    lines = [line for log in logs for line in log.read_text("utf-8", "replace").splitlines()]
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    missing = re.search(r"affected files:\s+(\S+)", said)
    if missing:
        errors.append(f"{missing[1]}: missing")
    stated = [
        line.strip() for line in said.splitlines() if re.match(r"(error:|\w+(Error|Exception)\b)", line)
    ]
    return errors or [" ".join(stated) or said.strip()[-300:]]


def difference(path: Path, again: Path) -> str:
    """Return the first line in which a file differs from the one made ``again``, with both; nothing if none does."""
    if not path.exists():
        return "missing; it can be made again"
    texts = [file.read_bytes() for file in (path, again)]
    if texts[0] == texts[1]:
        return ""
    if path.suffix in (".safetensors", ".pdf"):
        return "not the bytes made again"
    lines = itertools.zip_longest(*(text.decode("utf-8", "replace").split("\n") for text in texts))
    differ = ((number, pair) for number, pair in enumerate(lines, start=1) if pair[0] != pair[1])
    number, pair = next(differ, (1, ("", "")))
    said = ["nothing" if line is None else _cut(line.strip().rstrip(",")) for line in pair]
    return f"line {number} is {said[0]}, and made again {said[1]}"


def _cut(line: str) -> str:
    return line if len(line) <= 60 else f"{line[:59]}…"
