"""Write the index of the results: the files with their captions, the scale and the commit.

    python src/transformer/report/make_index.py --scale demo --corpus "own sentences" --seed 1 --seeds 1 \\
        --contents workflow/report/contents.yaml --files results/table2.tex results/report.pdf \\
        --output results/README.md
"""

from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import write_text
from transformer.common.yaml_files import read_yaml
from transformer.report.index import index
from transformer.tables.provenance import describe_commit


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--scale", required=True)
    parser.add_argument("--corpus", required=True, help="the corpus as captions name it")
    parser.add_argument("--seed", required=True)
    parser.add_argument("--seeds", nargs="+", required=True, help="seeds of the trainings")
    parser.add_argument("--contents", type=Path, required=True, help="YAML with the caption of each file")
    parser.add_argument("--files", type=Path, nargs="+", required=True)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    facts = {
        "scale": f"`{arguments.scale}`",
        "corpus": arguments.corpus,
        "seed": arguments.seed,
        "seeds of the trainings": ", ".join(arguments.seeds),
        "commit": describe_commit(),
        "where each number is from": f"[{arguments.scale}/provenance.json]({arguments.scale}/provenance.json), "
        f"[{arguments.scale}/provenance/]({arguments.scale}/provenance/)",
    }
    captions = read_yaml(arguments.contents)
    write_text(arguments.output, index(facts, arguments.files, arguments.output.parent, captions))


if __name__ == "__main__":
    run_script(main)
