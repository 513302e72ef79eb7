r"""Compile the report, which has all tables and figures of a scale, to PDF.

    python src/transformer/report/make_report.py --config '{"scale": "demo", "seed": 1}' \
        --template workflow/report/report.tex --contents workflow/report/contents.yaml \
        --tables results/table{2,3}.tex results/claims.tex --output results/report.pdf

The template reads what depends on the results from contents.tex, which is written here.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from transformer.common.arguments import Output, argument_parser
from transformer.common.errors import run_script
from transformer.common.project import resource_file
from transformer.common.yaml_files import read_yaml
from transformer.corpus.licences import GENERATED, add_own_data, citations, terms_of, with_own
from transformer.corpus.registry import read_sources
from transformer.report.latex import typeset
from transformer.settings.settings import PARSERS, Settings, load_settings
from transformer.tables.commit import describe_commit
from transformer.tables.latex_text import escape

LANGUAGES = {"en-de": "from English to German", "en-fr": "from English to French"}
# The settings of a run that the report shows: its size, training and decoding, in the order of config/runs.yaml.
SHOWN = (
    "N d_model d_ff h d_k d_v positions dropout attention_dropout label_smoothing learning_rate_scale warmup_steps "
    "batch_tokens steps average_checkpoints beam_size alpha max_extra_tokens"
).split()


def main() -> None:
    arguments = parse_arguments()
    settings = load_settings(arguments.config)
    pair = settings.pairs[0]
    parsers = PARSERS if settings.parsing else {}
    facts = {
        "scale": settings.scale,
        "corpus": settings.corpus,
        "treebank": settings.parsing["treebank"] if settings.parsing else "none",
        "tasks": f"for translation {LANGUAGES.get(pair, pair.upper())}{' and for parsing' * bool(parsers)}",
        "seeds": ", ".join(map(str, settings.seeds)),
        "commit": describe_commit(),
        "vocabulary": f"{settings.subwords[pair]['vocab_size']:,}",
    }
    paper = read_yaml("config/runs.yaml")
    runs = {"base": pair, "big": pair, **parsers}
    compared = {run: (paper["base"] | paper[run], ours(settings, run, of)) for run, of in runs.items()}
    terms = terms_of(arguments.data, read_sources(resource_file("sources.yaml")))
    data = citations(with_own(terms, arguments.own_data)) or [GENERATED]
    captions = read_yaml(arguments.contents)["figures"]
    text = contents(facts, compared, arguments.tables, arguments.figures, captions, data)
    for complaint in typeset(arguments.template, arguments.output, {"contents.tex": text}):
        print(complaint)


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--config", type=json.loads, required=True, metavar="JSON", help="keys of config.yaml, as the scale")
    add("--template", type=Path, required=True, help="the document")
    add("--contents", type=Path, required=True, help="YAML with the captions")
    add("--tables", type=Path, nargs="+", required=True, metavar="TEX", help="in order")
    add("--figures", type=Path, nargs="*", default=[], metavar="PDF", help="in order")
    add("--data", nargs="*", default=[], help="sources of the corpora; none if they were generated")
    add_own_data(parser)
    add("--output", type=Output, required=True, help="the PDF to write")
    return parser.parse_args()


def ours(settings: Settings, run: str, pair: str) -> Mapping[str, Any]:
    """Return the settings of a run at this scale."""
    resolved = settings.run(run, pair)
    averaging = settings.averaging(run, pair)
    return resolved["model"] | resolved["training"] | settings.decoding(run, pair) | averaging


def contents(
    facts: Mapping[str, str],
    settings: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]],
    tables: Sequence[Path],
    figures: Sequence[Path],
    captions: Mapping[str, str],
    data: Sequence[str],
) -> str:
    r"""Return definitions of a macro for each of ``facts``, and of ``\settings``, ``\tables``, ``\figures``, ``\data``.

    ``settings`` has the paper's settings and ours, by run, and ``data`` a paragraph on the terms of each corpus.
    """
    lines = [rf"\newcommand{{\{name}}}{{{escape(text)}}}" for name, text in facts.items()]
    bodies = {
        "settings": _settings(settings),
        "tables": [rf"\input{{{path.as_posix()}}}" for path in tables],
        "figures": [line for path in figures for line in _figure(path, captions)],
        "data": [rf"\item {escape(text)}" for text in data],
    }
    for name, body in bodies.items():
        lines += [rf"\newcommand{{\{name}}}{{%", *body, "}"]
    return "\n".join(lines) + "\n"


def _settings(settings: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[str]:
    heads = "".join(rf" & \multicolumn{{2}}{{c}}{{{escape(run)}}}" for run in settings)
    lines = [
        rf"\begin{{tabular}}{{@{{}}l{'rr' * len(settings)}@{{}}}}",
        r"\toprule",
        rf"{heads} \\",
        rf"setting{' & paper & here' * len(settings)} \\",
        r"\midrule",
    ]
    for name in SHOWN:
        cells = [f"{side[name]}" for sides in settings.values() for side in sides]
        lines.append(" & ".join([rf"\texttt{{{escape(name)}}}", *cells]) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _figure(path: Path, captions: Mapping[str, str]) -> list[str]:
    return [
        r"\begin{figure}",
        r"\centering",
        rf"\drawing{{{path.as_posix()}}}",
        rf"\caption{{{escape(captions[path.stem])}}}",
        r"\end{figure}",
    ]


if __name__ == "__main__":
    run_script(main)
