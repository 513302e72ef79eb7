"""Make results again, in a copy of the working folder, from the text, translations, trees and checkpoints there.

Snakemake has recorded by which command each file was made.  The copy has links to everything that is not made again, so
nothing is written to a file of the working folder.
"""

import itertools
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from transformer.common.errors import visible
from transformer.tables.entries import ENTRIES
from transformer.verification.snakemake_records import record_of

ENCODE, AVERAGE, CLAIMS = ("encode", "encode_trees"), "average_checkpoints", "claims"
TABLES = (*(name for name in ENTRIES if name != CLAIMS), CLAIMS)
# The rules whose commands are run again, in this order: they take seconds and have the same bits everywhere.  Other
# rules train, translate, parse or measure times.
RULES = (
    *(*ENCODE, AVERAGE, "score_bleu", "score_parses", *TABLES, "scores", "metrics", "plot", "plot_attention"),
    *("copy_drawing", "copy_table", "copy_figure"),
)
PROGRAMS = re.compile(r"python -m transformer\.|cp ")  # that these rules run
AT_ONCE = 4  # commands
BINARY = (".safetensors", ".pdf", ".tokens", ".offsets")
# Of a line that differs, so many characters are shown, and so many of them before the difference.
SHOWN, BEFORE = 60, 20

Job = tuple[str, str]  # the rule and the command


def jobs_of(folders: Sequence[Path]) -> dict[Job, list[Path]]:
    """Return the jobs that can be done again for the files of a scale, whose folders are given, and their outputs.

    These are the files that are here, with the copies in ``results/``, and what they were made from, even if that is
    missing now.  The training text is not encoded again, which takes long; its tokens are known by their sums.
    """
    jobs: dict[Job, list[Path]] = {}
    here = [*Path("results").glob("*"), *Path("results").glob("figures/*")]
    here += [path for folder in folders for path in folder.rglob("*")]
    waiting, seen = [str(path) for path in here], set[str]()
    while waiting:
        path = waiting.pop()
        record = {} if path in seen else record_of(path) or {}
        seen.add(path)
        rule = record.get("rule")
        if rule not in RULES or (rule in ENCODE and "/train." in path):
            continue
        # In results/, there are copies of other scales, too.
        if any(file.startswith(f"{folder}/") for file in (path, *record["input"]) for folder in folders):
            jobs.setdefault((rule, record["shellcmd"]), []).append(Path(path))
            waiting += record["input"]
    return {job: sorted(jobs[job]) for job in sorted(jobs, key=lambda job: RULES.index(job[0]))}


def make_again(jobs: Mapping[Job, Sequence[Path]], folders: Sequence[Path], copy: Path) -> Iterator[str]:
    """Do jobs again in the folder ``copy``, which is empty, and yield why a file cannot be made.

    What follows from such a file is made from the one that is there.
    """
    for path in Path().iterdir():
        if path.name[0] != "." and path.name not in ("data", "results", "logs"):
            _link(path, copy)
    outputs = {path for made in jobs.values() for path in made}
    for folder, within, files in itertools.chain.from_iterable(map(os.walk, folders)):
        within[:] = [name for name in within if Path(folder, name) not in outputs]
        for path in {Path(folder, name) for name in files} - outputs:
            _link(path, copy)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        for _, of_rule in itertools.groupby(jobs.items(), key=lambda item: item[0][0]):
            yield from filter(None, threads.map(partial(_again, copy), of_rule))


def _link(path: Path, copy: Path) -> None:
    """Link a file or folder in the ``copy``."""
    (copy / path).parent.mkdir(parents=True, exist_ok=True)
    (copy / path).symlink_to(path.absolute())


def _again(copy: Path, job: tuple[Job, Sequence[Path]]) -> str:
    """Do a job again in the ``copy``, with links to those of its outputs that it does not make, and return why."""
    (_, command), outputs = job
    for path in outputs:
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
    problem = _run(copy, command)
    for path in outputs:
        if not (copy / path).exists():
            problem = problem or "its command does not make it"
            if path.exists():
                _link(path, copy)
    return problem and f"{outputs[0]}: cannot be made again: {problem}"


def _run(copy: Path, command: str) -> str:
    """Run a recorded command without a shell, and return its error."""
    command = command.removeprefix("(")
    if not PROGRAMS.match(command):
        return f"Snakemake has recorded another command than this project's: {command.partition(' ')[0]}"
    program, *options = itertools.takewhile(lambda word: word not in (">", "&&"), shlex.split(command))
    program = sys.executable if program == "python" else program
    variables = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONUTF8": "1"}
    run = subprocess.run([program, *options], cwd=copy, env=variables, capture_output=True, text=True)
    said = run.stderr.strip() or run.stdout.strip()
    errors = re.findall(r"^(?:.*: )?error: (.*)", said, re.MULTILINE)
    return "" if run.returncode == 0 else " ".join(errors) or said.rpartition("\n")[2]


def difference(path: Path, again: Path) -> str:
    """Return a line if a file is another than the one made ``again``: where it first differs, with both texts.

    The two texts are never the same: they begin shortly before the first character that differs, and characters that
    cannot be seen are written by their codes.
    """
    if not path.exists():
        return f"{path}: missing; it can be made again"
    contents = [file.read_bytes() for file in (path, again)]
    if contents[0] == contents[1]:
        return ""
    if path.suffix not in BINARY:
        for number, lines in enumerate(itertools.zip_longest(*map(_visible_lines, contents)), start=1):
            if lines[0] != lines[1]:
                return f"{path}: line {number} is {_shown(*lines)}, and made again {_shown(*reversed(lines))}"
    return f"{path}: not the bytes made again"


def _visible_lines(content: bytes) -> list[str]:
    """Return the lines of a file; what cannot be seen is written by its code."""
    return [visible(line) for line in content.decode("utf-8", "backslashreplace").split("\n")]


def _shown(line: str | None, other: str | None) -> str:
    """Return the part of a line where it differs from another, in quotes; nothing has none."""
    if line is None:
        return "nothing"
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(line, other or "", strict=False))
    start = max(0, len(list(same)) - BEFORE)
    end = start + SHOWN
    return f"'{'…' * (start > 0)}{line[start:end]}{'…' * (end < len(line))}'"
