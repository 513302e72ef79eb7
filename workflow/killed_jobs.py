"""Jobs that were killed and could not say why: by the kernel, or by SLURM, most likely because memory ran out."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

# How Snakemake's own log tells, before or after the line that names the rule: signal 9 of a program that a shell ran,
# or of one that took the shell's place; SLURM's state of the job; what SLURM writes into the log of a job step.
_KILLED = re.compile(
    r"""(?:exit\ status\ 137|<Signals\.SIGKILL:\ 9>)\.\n .*\nError\ in\ rule\ (\w+):
    | ^Error\ in\ rule\ (\w+):\n (?:(?!RuleException:|Error\ in\ rule).*\n)*?
      .*(?:'OUT_OF_MEMORY'|Out\ Of\ Memory|oom-kill|exceeded\ memory\ limit)""",
    re.VERBOSE | re.MULTILINE,
)
_MEMORY = re.compile(r"^(?:local)?rule (\w+):\n(?:    .*\n)*?    resources: .*\bmem_mb=(\d+)", re.MULTILINE)


def killed_jobs(logs: Iterable[Path | str]) -> Iterator[str]:
    """For each rule that the ``logs`` of a failed Snakemake call killed, one line for the user with a way out."""
    text = "".join(Path(log).read_text(encoding="utf-8", errors="replace") for log in logs)
    memory = dict(_MEMORY.findall(text))
    for rule in sorted({before or after for before, after in _KILLED.findall(text)}):
        more = 2 * int(memory.get(rule, 1000))
        yield (
            f"error: {rule} was killed, most likely because memory ran out; on a cluster give it more, e.g. "
            f"--set-resources {rule}:mem_mb={more}; on one machine run fewer jobs at a time, e.g. --cores 1"
        )
