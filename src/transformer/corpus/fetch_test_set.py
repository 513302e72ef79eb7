"""Copy a test set from sacreBLEU, which keeps what it has downloaded in ~/.sacrebleu, or in $SACREBLEU."""

import http.client
import shutil
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path

from sacrebleu.dataset import DATASETS
from sacrebleu.utils import SACREBLEU_DIR, portalocker  # what it locks its downloads with

from transformer.common.arguments import Output, argument_parser
from transformer.common.errors import UserError, run_script, unknown
from transformer.common.files import atomic_path
from transformer.common.notes import say

# Of a connection that fails, and of an archive that is damaged or that a killed download left in part: sacreBLEU does
# not check an archive that exists, and it exits when the checksum of a new one is wrong.
_FAILURES = (
    *(OSError, EOFError, http.client.HTTPException, portalocker.LockException, SystemExit),
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error),
)


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--name", required=True, help="sacreBLEU's name, e.g. wmt13")
    parser.add_argument("--pair", required=True, help="a language pair, e.g. de-en")
    parser.add_argument("--output-source", type=Output, required=True)
    parser.add_argument("--output-target", type=Output, required=True)
    arguments = parser.parse_args()
    outputs = (arguments.output_source, arguments.output_target)
    for path, output in zip(fetch(arguments.name, arguments.pair), outputs, strict=True):
        with atomic_path(output) as temporary:
            shutil.copyfile(path, temporary)
        print(path, file=sys.stderr)


def check_name(name: str, pair: str) -> None:
    """Raise UserError when sacreBLEU has no test set ``name``, or has it for other language pairs only."""
    having = sorted(other for other, dataset in DATASETS.items() if pair in dataset.langpairs)
    if name not in DATASETS:
        raise UserError(unknown("test set of sacreBLEU", name, having or DATASETS))
    if name not in having:
        others = f"these have: {', '.join(having)}" if having else "no test set of sacreBLEU has"
        raise UserError(f"sacreBLEU's {name} has no {pair}; {others}")


def fetch(name: str, pair: str) -> tuple[Path, Path]:
    """Return sacreBLEU's files of the source and of the first reference; it downloads and checks what it lacks.

    Raises UserError when the set is unknown or cannot be downloaded.
    """
    check_name(name, pair)
    dataset, folder = DATASETS[name], f"{SACREBLEU_DIR}/{name}"
    try:
        source, references = dataset.get_source_file(pair), dataset.get_reference_files(pair)
    except _FAILURES as error:
        raise UserError(
            f"{folder}: sacreBLEU cannot complete it from {', '.join(dataset.data or ())} "
            f"({getattr(error, 'reason', error)}); delete this folder and run the same command again or, without "
            f"internet, copy it from a machine that ran `sacrebleu -t {name} -l {pair} --echo src`"
        ) from None
    if len(references) > 1:
        say(f"sacreBLEU's {name} has {len(references)} references; the first is taken")
    return Path(source), Path(references[0])


if __name__ == "__main__":
    run_script(main)
