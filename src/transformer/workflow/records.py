"""Keep Snakemake's records of how each file was made in one file, which DVC versions with the results.

    python src/transformer/workflow/records.py restore      # after dvc pull or dvc checkout
    python src/transformer/workflow/records.py save         # before dvc commit

``dvc repro`` runs both.  Without its records, Snakemake regards files as up to date whatever the settings are.  Those
in ``.snakemake/metadata`` have times, so DVC would find other outputs after each rebuild; this file has none.
"""

import json
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import read_json, sha256_of, write_json, write_text
from transformer.common.project import PROJECT
from transformer.common.snakemake_records import record_of
from transformer.common.yaml_files import read_yaml
from transformer.verification.published import is_kept

# What Snakemake compares with the present workflow; a field that is missing has its default value.
KEPT = (
    *("rule", "input", "log", "params", "code", "record_format_version"),
    *("software_stack_hash", "container_img_url", "incomplete", "input_checksums"),
)
# What DVC versions beside the folders of the scale (dvc.yaml).
ALSO = ("results/headline.json", "results/metrics.json", "results/curves")


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("action", choices=["restore", "save"])
    parser.add_argument("--scale", help="by default that of config/config.yaml")
    arguments = parser.parse_args()
    scale = arguments.scale or read_yaml("config/config.yaml")["scale"]
    (restore_records if arguments.action == "restore" else save_records)(scale)


def check_records(scale: str) -> None:
    """Raise UserError if DVC has brought other records than those that Snakemake has here."""
    if _is_new(scale, Path()):
        script = Path(__file__).relative_to(PROJECT)
        raise UserError(
            f"{_file(scale, Path())} is new here: first tell Snakemake how the files were made, by "
            f"`python {script} restore --scale {scale}`"
        )


def tell_unrecorded(scale: str) -> None:
    """Say which runs are here without Snakemake's record of how they were made, as in a copy without hidden files."""
    from snakemake.logging import logger

    recorded = {made for _, made in _records(scale, Path())}
    found = sorted(path.as_posix() for path in Path("results", scale, "runs").glob("*/*/config.json"))
    if missing := [path for path in found if path not in recorded]:
        logger.warning(
            f"{missing[0]}{f' and {len(missing) - 1} more' if missing[1:] else ''}: .snakemake/metadata has no record "
            "of how this was made, so Snakemake takes it, and what was made with it, for up to date whatever the "
            f"settings are; bring that folder, too, or delete data/{scale} and results/{scale} to make them again"
        )


def again_without_record(workflow: Any, *files: str) -> list[str]:
    """Let Snakemake make those ``files`` of ``results/`` again that are here and that it has no record of.

    They are of the scale that was active last: without a record, nobody knows which that was.  This is called while
    the inputs of their job are gathered, and adds none.
    """
    workflow.dag.forcefiles.update(file for file in files if Path(file).exists() and record_of(file) is None)
    return []


def save_records(scale: str, root: Path = Path()) -> None:
    """Write the records of the files of ``scale`` that exist."""
    kept = {}
    for path, made in _records(scale, root):
        if (root / made).exists():
            record = read_json(path)
            kept[str(path.relative_to(root))] = {key: record[key] for key in KEPT if key in record}
    if kept:
        file = _file(scale, root)
        write_json(file, dict(sorted(kept.items())))
        write_text(_note(scale, root), sha256_of(file))


def restore_records(scale: str, root: Path = Path()) -> None:
    """Give Snakemake the records in the file, if it is another one than this folder last wrote or read."""
    if not _is_new(scale, root):
        return
    file = _file(scale, root)
    for path, _ in list(_records(scale, root)):
        path.unlink()
    for name, record in read_json(file).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(json.dumps(record))
    write_text(_note(scale, root), sha256_of(file))


def _is_new(scale: str, root: Path) -> bool:
    file, note = _file(scale, root), _note(scale, root)
    return file.exists() and not (note.exists() and note.read_text() == sha256_of(file))


def _records(scale: str, root: Path) -> Iterator[tuple[Path, str]]:
    """Yield Snakemake's records of files of ``scale`` that DVC keeps, each with the path of what was made."""
    folder = root / ".snakemake" / "metadata"
    for path in folder.rglob("*"):
        if path.is_file():
            # A long name is cut into folders that begin with @.
            parts = (part.removeprefix("@") for part in path.relative_to(folder).parts)
            try:
                made = urlsafe_b64decode("".join(parts)).decode()
            except ValueError:  # no record, but what a file system or a desktop leaves, such as .DS_Store
                continue
            of_scale = made.startswith((f"data/{scale}/", f"results/{scale}/")) or made in ALSO
            if of_scale and is_kept(made):
                yield path, made


def _file(scale: str, root: Path) -> Path:
    return root / "results" / f"records.{scale}.json"


def _note(scale: str, root: Path) -> Path:
    return root / ".snakemake" / f"records.{scale}.sha256"


if __name__ == "__main__":
    run_script(main)
