"""Compile the report, which has all tables and figures of a scale, to PDF.

    python src/transformer/report/make_report.py --scale demo --seed 1 --seeds 1 \\
        --template workflow/report/report.tex --contents workflow/report/contents.yaml \\
        --tables results/table{2,3}.tex results/comparison.tex --output results/report.pdf
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.project import config_file
from transformer.common.yaml_files import read_yaml
from transformer.corpus.licences import GENERATED, add_own_data, citations, terms_of, with_own
from transformer.report.document import contents
from transformer.report.latex import typeset
from transformer.settings.settings import PARSERS, Settings, load_settings
from transformer.tables.provenance import describe_commit

LANGUAGES = {"en-de": "from English to German", "en-fr": "from English to French"}


def main() -> None:
    arguments = parse_arguments()
    values = {"scale": arguments.scale, "seed": arguments.seed, "seeds": arguments.seeds, "mirror": None}
    settings = load_settings(values)
    pair = settings.pairs[0]
    parsers = PARSERS if settings.parsing else {}
    facts = {
        "scale": settings.scale,
        "corpus": settings.corpus,
        "treebank": settings.parsing["treebank"] if settings.parsing else "none",
        "tasks": f"for translation {LANGUAGES.get(pair, pair.upper())}"
        + (" and for parsing" if parsers else ""),
        "seeds": ", ".join(map(str, settings.seeds)),
        "commit": describe_commit(),
        "vocabulary": f"{settings.subwords[pair]['vocab_size']:,}",
    }
    runs = {"base": pair, "big": pair, **parsers}
    compared = {run: (paper_settings(run), our_settings(settings, run, of)) for run, of in runs.items()}
    captions = read_yaml(arguments.contents)
    terms = terms_of(arguments.data, read_yaml(config_file("sources.yaml")))
    data = citations(with_own(terms, arguments.own_data)) or [GENERATED]
    text = contents(facts, compared, arguments.tables, arguments.figures, captions, data)
    for complaint in typeset(arguments.template, arguments.output, {"contents.tex": text}):
        print(complaint)


def paper_settings(run: str) -> Mapping[str, Any]:
    """Return the settings at the paper's size."""
    runs = read_yaml(config_file("runs.yaml"))
    return runs["base"] | runs[run]


def our_settings(settings: Settings, run: str, pair: str) -> Mapping[str, Any]:
    """Return the settings at this scale."""
    resolved = settings.run(run, pair)
    averaged = {"average_checkpoints": settings.average_checkpoints(run, pair)}
    return resolved["model"] | resolved["training"] | settings.decoding(run, pair) | averaged


def parse_arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argument_parser(__doc__)
    parser.add_argument("--scale", required=True, help="a file of config/, without .yaml")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", required=True, help="seeds of the trainings")
    parser.add_argument("--template", type=Path, required=True, help="the document")
    parser.add_argument("--contents", type=Path, required=True, help="YAML with the captions")
    parser.add_argument("--tables", type=Path, nargs="+", required=True, metavar="TEX", help="in order")
    parser.add_argument("--figures", type=Path, nargs="*", default=[], metavar="PDF", help="in order")
    parser.add_argument(
        "--data", nargs="*", default=[], metavar="NAME", help="sources of the corpora; none: generated"
    )
    add_own_data(parser)
    parser.add_argument("--output", type=Path, required=True, help="the PDF to write")
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
