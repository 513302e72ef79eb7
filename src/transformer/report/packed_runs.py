"""The files of many runs as a few files, one for each name, and back.

    python src/transformer/report/packed_runs.py --published docs/results/demo-long --output results/demo-long

``runs/scores.csv.gz`` of a published scale has the rows of every ``runs/RUN/PAIR/.../scores.csv``, and
``runs/scores.jsonl.gz`` the object of every ``scores.json``.  Each line begins with the path of its file,
so pandas can group by it.  The command writes these files and the courses of the trainings as they were, byte for byte;
from these, Snakemake makes the tables without training anything.
"""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

from transformer.common.arguments import Output, argument_parser
from transformer.common.errors import UserError, reading, run_script
from transformer.common.files import write_text


def pack(files: Mapping[str, Path], folder: Path) -> None:
    """Write ``files`` (path within ``runs/`` → file) to a few files in ``folder``.

    Raises UserError when a file would not come back byte for byte.
    """
    packed: dict[str, list[str]] = {}
    for path, file in sorted(files.items()):
        text = file.read_bytes().decode("utf-8")
        if file.suffix == ".csv":
            header, *rows = text.splitlines()
            packed.setdefault(file.name, [f"path,{header}"]).extend(f"{path},{row}" for row in rows)
        else:
            line = json.dumps({"path": path, "content": json.loads(text)}, ensure_ascii=False)
            packed.setdefault(f"{file.stem}.jsonl", []).append(line)
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in packed.items():
        content = gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0)
        (folder / f"{name}.gz").write_bytes(content)
    back = unpack(folder)
    for path, file in files.items():
        if back.get(path, "").encode() != file.read_bytes():
            raise UserError(f"{file}: not as this project writes it; make it again")


def unpack(folder: Path) -> dict[str, str]:
    """Return path → text of each file that :func:`pack` wrote to ``folder``.  Raises UserError when one is damaged."""
    texts: dict[str, str] = {}
    for file in sorted(folder.glob("*.gz")):
        with reading(file, "fetch it again", "not as it was published"):
            lines = gzip.decompress(file.read_bytes()).decode("utf-8").split("\n")[:-1]
            if file.name.endswith(".csv.gz"):
                rows: dict[str, list[str]] = {}
                header = lines.pop(0).removeprefix("path,")
                for line in lines:
                    path, _, row = line.partition(",")
                    rows.setdefault(path, [header]).append(row)
                texts |= {path: "".join(f"{row}\n" for row in of_path) for path, of_path in rows.items()}
            else:
                for entry in map(json.loads, lines):
                    texts[entry["path"]] = _json_text(entry["content"])
    return texts


def _json_text(content: object) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--published", type=Path, required=True, help="the folder of a published scale")
    add("--output", type=Output, required=True, help="the folder of the scale in results/")
    arguments = parser.parse_args()
    texts = unpack(arguments.published / "runs")
    if not texts:
        raise UserError(f"{arguments.published}: publishes no runs")
    for course in sorted(arguments.published.glob("training/*.jsonl")):
        run, _, pair = course.stem.rpartition(".")
        texts[f"{run}/{pair}/metrics.jsonl"] = course.read_text(encoding="utf-8")
    for path in texts:
        target = arguments.output / "runs" / path
        if not target.resolve().is_relative_to((arguments.output / "runs").resolve()):
            raise UserError(f"{arguments.published}: names a file outside the folder: {path}")
        if target.exists():
            raise UserError(f"{target}: exists already; choose a folder without results")
    for path, text in texts.items():
        write_text(arguments.output / "runs" / path, text)


if __name__ == "__main__":
    run_script(main)
