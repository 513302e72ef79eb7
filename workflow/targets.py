"""Files that no rule can make, and why: Snakemake's own message for these does not say what to do."""

from collections.abc import Iterable, Mapping

from transformer.common.errors import UserError
from transformer.common.yaml_files import unknown
from transformer.settings.runs_file import PARSERS, name_and_seed
from transformer.settings.settings import Settings


def check_targets(
    words: Iterable[str], settings: Settings, scales: Iterable[str], left_out: Mapping[str, str]
) -> None:
    """Raise UserError when a word of the command line is a file that cannot be made as the settings are.

    It is one of another scale, of a run or a language pair that the scale does not have, or a result in ``left_out``
    (beginning of its path → a line that names it and says why).
    """
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
