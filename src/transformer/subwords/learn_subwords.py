"""Learn one subword vocabulary from the source and target sides of a corpus together."""

from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.subwords.learning import KINDS, learn_subwords


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="UTF-8 text, one sentence per line")
    parser.add_argument("--kind", choices=sorted(KINDS), required=True)
    parser.add_argument("--vocab-size", type=int, required=True, help="pieces, including special tokens")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample from a very large corpus (0)")
    parser.add_argument("--output", type=Path, required=True, help="folder for subwords.model and .json")
    arguments = parser.parse_args()
    learn_subwords(arguments.kind, arguments.files, arguments.vocab_size, arguments.output, arguments.seed)


if __name__ == "__main__":
    run_script(main)
