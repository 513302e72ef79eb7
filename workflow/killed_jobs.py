"""Find the jobs that the kernel or SLURM killed, most likely for lack of memory; they cannot report it themselves."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

# These messages in Snakemake's log say that a job was killed.  They come before or after the line that names the rule:
# signal 9 of a program that the shell ran or that replaced the shell, the state of the job in SLURM, or SLURM's message
# in the log of a job step.
_KILLED = re.compile(
    r"""(?:exit\ status\ 137|<Signals\.SIGKILL:\ 9>)\.\n .*\nError\ in\ rule\ (\w+):
    | ^Error\ in\ rule\ (\w+):\n (?:(?!RuleException:|Error\ in\ rule).*\n)*?
      .*(?:'OUT_OF_MEMORY'|Out\ Of\ Memory|oom-kill|exceeded\ memory\ limit)""",
    re.VERBOSE | re.MULTILINE,
)
_MEMORY = re.compile(r"^(?:local)?rule (\w+):\n(?:    .*\n)*?    resources: .*\bmem_mb=(\d+)", re.MULTILINE)


def killed_jobs(logs: Iterable[Path | str]) -> Iterator[str]:
    """Yield one line of advice for each rule that has a killed job in the ``logs`` of a failed Snakemake run."""
    text = "".join(Path(log).read_text(encoding="utf-8", errors="replace") for log in logs)
    memory = dict(_MEMORY.findall(text))
    for rule in sorted({before or after for before, after in _KILLED.findall(text)}):
        more = 2 * int(memory.get(rule, 1000))
        yield (
            f"error: {rule} was killed, most likely because memory ran out; on a cluster give it more, e.g. "
            f"--set-resources {rule}:mem_mb={more}; on one machine run fewer jobs at a time, e.g. --cores 1"
        )
