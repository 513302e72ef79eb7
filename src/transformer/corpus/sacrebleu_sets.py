"""The test sets that sacreBLEU knows by name; it keeps what it has downloaded in ~/.sacrebleu, or in $SACREBLEU."""

from pathlib import Path

from sacrebleu.dataset import DATASETS
from sacrebleu.utils import SACREBLEU_DIR

from transformer.common.errors import UserError
from transformer.common.yaml_files import unknown


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
    except (OSError, SystemExit) as error:  # sacreBLEU exits when a checksum is wrong
        reason = "its log says why" if isinstance(error, SystemExit) else getattr(error, "reason", error)
        raise UserError(
            f"sacreBLEU cannot download {name} from {', '.join(dataset.data or ())} ({reason}); without internet, "
            f"copy the folder {SACREBLEU_DIR}/{name} from a machine that ran `sacrebleu -t {name} -l {pair} --echo src`"
        ) from None
    return Path(source), Path(references[0])
