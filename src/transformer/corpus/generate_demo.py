"""Generate the demo corpus: parallel text in English, German and French, with the English trees."""

from transformer.common.arguments import Output, argument_parser, at_least
from transformer.common.errors import UserError, run_script
from transformer.common.files import write_text

# What each file has of the examples of a split, one a line.
FILES = {
    "en-de/{}.en": "english",
    "en-de/{}.de": "german",
    "en-fr/{}.en": "english",
    "en-fr/{}.fr": "french",
    "trees/{}.trees": "tree",
}


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--sentences", type=at_least(1), required=True, help="number of training sentences")
    parser.add_argument("--dev", type=at_least(1), required=True, help="number of development sentences")
    parser.add_argument("--test", type=at_least(1), required=True, help="number of test sentences")
    parser.add_argument("--seed", type=int, required=True, help="seed of the random generator")
    parser.add_argument(
        "--output-dir", type=Output, required=True, help="folder for en-de/, en-fr/ and trees/"
    )
    arguments = parser.parse_args()
    try:
        from demo_grammar import splits  # reads the tables of words, which a user may have edited
    except ValueError as error:
        raise UserError(str(error)) from error
    sizes = {"train": arguments.sentences, "dev": arguments.dev, "test": arguments.test}
    for split, examples in splits(arguments.seed, sizes).items():
        # Line n of every file comes from the same derivation.
        for name, kind in FILES.items():
            lines = (getattr(example, kind) for example in examples)
            write_text(arguments.output_dir / name.format(split), "".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    run_script(main)
