r"""The part of the report's LaTeX that depends on results; ``workflow/report/report.tex`` inputs it as contents.tex."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from transformer.report.captions import Contents, caption_of
from transformer.tables.latex_text import escape

# The settings of a run that the report shows: its size, training and decoding, in the order of config/runs.yaml.
SETTINGS = (
    "N", "d_model", "d_ff", "h", "d_k", "d_v", "positions", "dropout", "attention_dropout", "label_smoothing",
    "learning_rate_scale", "warmup_steps", "batch_tokens", "steps", "average_checkpoints", "beam_size", "alpha",
    "max_extra_tokens",
)  # fmt: skip
Settings = Mapping[str, Any]


def contents(
    facts: Mapping[str, str],
    settings: Mapping[str, tuple[Settings, Settings]],
    tables: Sequence[Path],
    figures: Sequence[Path],
    captions: Contents,
    data: Sequence[str],
) -> str:
    r"""Return definitions of a macro for each of ``facts``, and of ``\settings``, ``\tables``, ``\figures``, ``\data``.

    ``settings`` has the paper's settings and ours, by run, and ``data`` a paragraph on the terms of each corpus.
    """
    lines = [rf"\newcommand{{\{name}}}{{{escape(text)}}}" for name, text in facts.items()]
    lines += _macro("settings", _settings(settings))
    lines += _macro("tables", [rf"\input{{{path.as_posix()}}}" for path in tables])
    lines += _macro("figures", [line for path in figures for line in _figure(path, captions)])
    lines += _macro("data", [rf"\item {escape(text)}" for text in data])
    return "\n".join(lines) + "\n"


def _macro(name: str, body: Sequence[str]) -> list[str]:
    return [rf"\newcommand{{\{name}}}{{%", *body, "}"]


def _settings(settings: Mapping[str, tuple[Settings, Settings]]) -> list[str]:
    heads = "".join(rf" & \multicolumn{{2}}{{c}}{{{escape(run)}}}" for run in settings)
    lines = [
        rf"\begin{{tabular}}{{@{{}}l{'rr' * len(settings)}@{{}}}}",
        r"\toprule",
        rf"{heads} \\",
        rf"setting{' & paper & here' * len(settings)} \\",
        r"\midrule",
    ]
    for name in SETTINGS:
        cells = [f"{side[name]}" for sides in settings.values() for side in sides]
        lines.append(" & ".join([rf"\texttt{{{escape(name)}}}", *cells]) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _figure(path: Path, captions: Contents) -> list[str]:
    return [
        r"\begin{figure}",
        r"\centering",
        rf"\drawing{{{path.as_posix()}}}",
        rf"\caption{{{escape(caption_of(path, captions))}}}",
        r"\end{figure}",
    ]
