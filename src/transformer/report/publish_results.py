"""Copy the results of a scale to a folder that can be published, with a page that says how they were made.

    python src/transformer/report/publish_results.py --scale small --output docs/results/small

The folder gets the tables that were made, every number (``scores.csv``), the settings and versions behind each
(``provenance.json``), the course of each training, the figures, and README.md with the time and the machine of each
training.  What shows sentences of the corpus is left out, unless the project generated them or they are the paper's:
the licence of a corpus need not allow copies.
"""

from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.project import PROJECT
from transformer.report.publication import publish
from transformer.settings.settings import load_settings


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--scale", required=True, help="a file of config/; its results are in results/SCALE")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the results (1)")
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of the results")
    parser.add_argument(
        "--contents", type=Path, default=PROJECT / "workflow" / "report" / "contents.yaml", help="captions"
    )
    parser.add_argument(
        "--output", type=Path, required=True, help="the folder to write; its files are replaced"
    )
    arguments = parser.parse_args()
    settings = load_settings({"scale": arguments.scale, "seed": arguments.seed})
    paper = load_settings({"scale": "paper", "seed": arguments.seed})
    publish(
        arguments.results / arguments.scale,
        arguments.output,
        arguments.contents,
        facts={"scale": f"`{settings.scale}`", "corpus": settings.corpus, "seed": str(settings.seed)},
        generated=settings.grammar is not None,
        free_sentences={figure["sentence"] for figure in (paper.attention or {}).values()},
    )


if __name__ == "__main__":
    run_script(main)
