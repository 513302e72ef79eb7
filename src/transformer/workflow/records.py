"""Whether Snakemake knows how the files that are here were made: without its records, it takes them for up to date."""

from base64 import urlsafe_b64encode
from collections.abc import Sequence
from pathlib import Path

from transformer.common.artifacts import CHECKSUM, checksum, read_object
from transformer.common.errors import UserError
from transformer.settings.settings import Settings
from transformer.verification.snakemake_records import record_of

INCOMPLETE = Path(".snakemake", "incomplete")  # of jobs that were killed, which Snakemake does again
TOUCH = "snakemake --touch --forceall --cores 1 TARGET"


def check_recorded(settings: Settings, words: Sequence[str]) -> None:
    """Raise UserError if runs of this scale are here without a record, as after `dvc pull`.

    ``words`` are those of Snakemake's command.  With ``--touch``, by which it records all files as made by the present
    settings, raise UserError if they were made by others.
    """
    folder = Path("results", settings.scale, "runs")
    found = [str(path) for path in sorted(folder.glob("*/*/config.json"))]
    if {"--touch", "-t"} & {*words}:
        _tell(
            [path for path in found if not _is_of(settings, Path(path))],
            "was made with other settings than the present ones, and --touch would record these for it; take your "
            "changes back (git diff config), touch, and then make them again",
        )
    else:
        _tell(
            [path for path in found if not _is_recorded(path)],
            "Snakemake has no record of how this was made, as after `dvc pull`; if `dvc status` says that all is up "
            f"to date, run {TOUCH}, which records it; otherwise delete data/{settings.scale} and "
            f"results/{settings.scale}",
        )


def _tell(files: Sequence[str], problem: str) -> None:
    if files:
        raise UserError(f"{files[0]}{f' and {len(files) - 1} more' if files[1:] else ''}: {problem}")


def _is_recorded(path: str) -> bool:
    return record_of(path) is not None or (INCOMPLETE / urlsafe_b64encode(path.encode()).decode()).exists()


def _is_of(settings: Settings, config: Path) -> bool:
    """Return whether a config.json has the settings of its run; one that nothing names any more counts as such."""
    run, pair = config.parts[-3:-1]
    try:
        present = settings.run(run, pair)
    except (KeyError, UserError):
        return True
    return read_object(config).get(CHECKSUM) == checksum(present)
