"""Files that no rule can make, and why: Snakemake's own message for these does not say what to do."""

import contextlib
import io
from collections.abc import Iterable, Mapping, Sequence

from snakemake.cli import get_argument_parser
from snakemake.exceptions import CliException

from transformer.common.errors import UserError, unknown
from transformer.settings.runs_file import PARSERS, name_and_seed
from transformer.settings.settings import Settings


def check_targets(
    words: Sequence[str], settings: Settings, scales: Iterable[str], left_out: Mapping[str, str]
) -> None:
    """Raise UserError when a target among the words of a command is a file that cannot be made as the settings are.

    It is one of another scale, of a run or a language pair that the scale does not have, or a result in ``left_out``
    (beginning of its path → a line that names it and says why).
    """
    try:
        _check(words, settings, scales, left_out)
    except UserError:
        # It may be about the value of an option.  To know the targets takes a while, so only now.
        _check(targets_of(words), settings, scales, left_out)


def targets_of(words: Sequence[str]) -> list[str]:
    """Return the targets among the words of Snakemake's command; none of the command of another program."""
    end = words.index("--") if "--" in words else len(words)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            parsed, _ = get_argument_parser().parse_known_args(words[:end])
    except (SystemExit, CliException):
        return []
    return [*parsed.targets, *words[end + 1 :]]


def check_config_once(words: Iterable[str]) -> None:
    """Raise UserError when the option --config is given twice: Snakemake forgets the first without a word."""
    if sum(word in ("--config", "-C") or word.startswith("--config=") for word in words) > 1:
        raise UserError(
            "--config is given twice, and Snakemake takes the last one only; give all keys behind one"
        )


def _check(
    words: Iterable[str], settings: Settings, scales: Iterable[str], left_out: Mapping[str, str]
) -> None:
    for word in words:
        path = word.removeprefix("./")
        top, *inner = path.split("/")
        if top not in ("data", "results", "logs") or not inner:
            continue
        if inner[0] in scales and inner[0] != settings.scale and len(inner) > 1:
            raise UserError(
                f"{word}: the active scale is {settings.scale}; add --config scale={inner[0]} to the command"
            )
        if inner[0] == settings.scale and inner[1:2] in (["runs"], ["export"]):
            _check_run(word, inner[2:], settings)
        for start, reason in left_out.items():
            if path.startswith(start):
                raise UserError(reason)


def _check_run(word: str, names: list[str], settings: Settings) -> None:
    """Raise UserError when ``names`` begin with a run or a language pair that the scale does not have."""
    if not names:
        return
    run, _ = name_and_seed(names[0], 0)
    parsers = [parser for parser, _ in settings.merged if parser in PARSERS]
    if run not in (runs := [*settings.runs, *parsers]):
        raise UserError(f"{word}: {unknown('run', run, runs)}")
    pairs = [PARSERS[run]] if run in PARSERS else settings.pairs
    if len(names) > 1 and names[1] not in pairs:
        raise UserError(f"{word}: {unknown('language pair', names[1], pairs)}")
