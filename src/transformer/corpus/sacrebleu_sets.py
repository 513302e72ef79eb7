"""The test sets that sacreBLEU knows by name; it keeps what it has downloaded in ~/.sacrebleu, or in $SACREBLEU."""

import gzip
import http.client
import tarfile
import zipfile
import zlib
from pathlib import Path

from sacrebleu.dataset import DATASETS
from sacrebleu.utils import SACREBLEU_DIR, portalocker  # what it locks its downloads with

from transformer.common.errors import UserError, one_line
from transformer.common.yaml_files import unknown

# An archive that is damaged, or of which a download that was killed left a part: its members are then missing.
# sacreBLEU neither checks nor downloads an archive that exists, and it exits when the checksum of a new one is wrong.
_DAMAGED = (
    *(EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error, gzip.BadGzipFile),
    *(FileNotFoundError, SystemExit),
)


def check_name(name: str, pair: str) -> None:
    """Raise UserError when sacreBLEU has no test set ``name``, or has it for other language pairs only."""
    having = sorted(other for other, dataset in DATASETS.items() if pair in dataset.langpairs)
    if name not in DATASETS:
        raise UserError(unknown("test set of sacreBLEU", name, having or DATASETS))
    if pair not in DATASETS[name].langpairs:
        raise UserError(
            f"sacreBLEU's {name} has no {pair}; "
            + (f"these have: {', '.join(having)}" if having else "no test set of sacreBLEU has")
        )


def fetch(name: str, pair: str) -> tuple[Path, Path]:
    """Return sacreBLEU's files of the source and of the first reference; it downloads and checks what it lacks.

    Raises UserError when the set is unknown or cannot be downloaded.
    """
    check_name(name, pair)
    dataset = DATASETS[name]
    try:
        source, references = dataset.get_source_file(pair), dataset.get_reference_files(pair)
    except (*_DAMAGED, portalocker.LockException, OSError, http.client.HTTPException) as error:
        raise UserError(_failure(error, name, pair)) from None
    return Path(source), Path(references[0])


def _failure(error: BaseException, name: str, pair: str) -> str:
    """Return why there is no test set ``name``, and what helps, which depends on what is left of a download."""
    folder = f"{SACREBLEU_DIR}/{name}"
    if isinstance(error, portalocker.LockException):
        return (
            f"another process has been downloading sacreBLEU's {name} to {folder} for a minute; "
            "run the same command again when it has ended"
        )
    if isinstance(error, _DAMAGED):
        reason = "sacreBLEU's log says why" if isinstance(error, SystemExit) else one_line(str(error))
        return (
            f"{folder}: incomplete or damaged ({reason}); delete this folder and run the same command again"
        )
    return (
        f"sacreBLEU cannot download {name} from {', '.join(DATASETS[name].data or ())} "
        f"({one_line(str(getattr(error, 'reason', error)))}); run the same command again or, without internet, "
        f"copy the folder {folder} from a machine that ran `sacrebleu -t {name} -l {pair} --echo src`"
    )
