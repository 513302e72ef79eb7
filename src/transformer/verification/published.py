"""Say whether the results of a scale are those that were published, bit for bit.

    python src/transformer/verification/published.py --scale demo
    python src/transformer/verification/published.py --scale demo --record docs/rebuilds.csv    # of all results

``docs/results/<scale>/manifest.csv`` has the sha256 of every file.  With portable numerics a rebuild has the same, on
any machine (docs/protocol.md); ``docs/rebuilds.csv`` lists the machines on which it had.
"""

import contextlib
import csv
import datetime
import hashlib
import platform
from collections.abc import Collection, Mapping
from fnmatch import fnmatch
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.artifacts import cached_sha256, read_artifact
from transformer.common.errors import UserError, run_script
from transformer.common.files import sha256_of
from transformer.common.project import PROJECT
from transformer.settings.scale_file import read_scale
from transformer.tables.commit import describe_commit

PUBLISHED = PROJECT / "docs" / "results"
REBUILDS = PROJECT / "docs" / "rebuilds.csv"
# What comes and goes, is large, or depends on the clock, as in .dvcignore.
NOT_KEPT = (".lock", "*.tmp", "*.part", "checkpoints", "timing.json", "layer_times.*")
# What is made of the sentences that the figures of attention show; attention_block is a drawing.
ATTENTION = "results/*/figures/attention[!_]*", "results/*/figures/attention_[!b]*"
# Files that say how a model was trained or a text translated, and nothing else.
SETTINGS = ("config.json", "*decoding.json")


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--scale", required=True, help="a file of config/; its results are in results/SCALE")
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="add a line about this machine to a CSV file"
    )
    arguments = parser.parse_args()
    published = read_manifest(arguments.scale)
    if published is None:
        raise UserError(f"nothing of the scale {arguments.scale} is published with a manifest")
    line = verdict(arguments.scale) or "nothing of it has been made here"
    identical = line.startswith("identical")
    print(line)
    if arguments.record:
        found = manifest(arguments.scale)
        if missing := next(iter(published.keys() - found.keys()), None):
            raise UserError(f"{missing}: not made yet; `snakemake` makes everything")
        found = {path: found[path] for path in published}
        row = rebuild(arguments.scale, found, identical=found == published)
        new = not arguments.record.exists()
        with open(arguments.record, "a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, row, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow(row)
    return 0 if identical else 1


def manifest(scale: str, folder: Path = Path()) -> dict[str, str]:
    """Return path → sha256 of what is kept of a scale, sorted by path; what DVC ignores depends on the clock.

    Checkpoints are not listed: training.json has their sha256.
    """
    files = [
        path for top in ("data", "results") for path in (folder / top / scale).rglob("*") if path.is_file()
    ]
    return {
        path.relative_to(folder).as_posix(): cached_sha256(path)
        for path in sorted(files)
        if is_kept(path.relative_to(folder))
    }


def is_kept(path: Path | str) -> bool:
    """Return whether DVC keeps a file."""
    return not any(fnmatch(part, pattern) for part in Path(path).parts for pattern in NOT_KEPT)


def manifest_csv(sums: Mapping[str, str]) -> str:
    """Return a manifest as the text of its file."""
    return "".join(["path,sha256\n", *(f"{path},{sha256}\n" for path, sha256 in sums.items())])


def read_manifest(name: str) -> dict[str, str] | None:
    """Return the path → sha256 of a published folder, named after its scale, or None if it has none."""
    path = PUBLISHED / name / "manifest.csv"
    return {row["path"]: row["sha256"] for row in _rows(path)} if path.exists() else None


def first_difference(published: Mapping[str, str]) -> str | None:
    """Return the first file that is not the published one, in the order in which they were made; None without any.

    Settings come first: whatever was made with others differs.
    """
    here = [path for path in map(Path, published) if path.exists()]
    here.sort(key=lambda path: (not is_settings(path), path.stat().st_mtime_ns))
    return next((str(path) for path in here if cached_sha256(path) != published[str(path)]), None)


def is_settings(path: Path | str) -> bool:
    """Return whether a file has only settings."""
    return any(fnmatch(Path(path).name, pattern) for pattern in SETTINGS)


def verdict(scale: str, made: Collection[str] | None = None) -> str | None:
    """Return a line that says whether the files of a scale are those published; None if none are, or none are here.

    ``made`` are the files that a run made or found up to date; without it, all files that are here are compared.
    Tables of other runs or claims than the published ones, such as the user's own or more seeds, are not compared, nor
    are figures of another sentence.
    """
    listed = read_manifest(scale) or {}
    asked = {path: sha256 for path, sha256 in listed.items() if made is None or path in made}
    other = [name for name in tables_of_other_runs(scale) if f"results/{scale}/tables/{name}.json" in asked]
    own = shows_other_sentences(scale, asked)
    published = {
        path: sha256
        for path, sha256 in asked.items()
        if not _shows(other, path) and not (own and any(fnmatch(path, pattern) for pattern in ATTENTION))
    }
    here = sum(Path(path).exists() for path in published)
    if here == 0:
        return None
    path = first_difference(published)
    if path is None:
        without = [f"without {', '.join(other)}, made of other runs or claims"] if other else []
        without += ["without the figures of attention, which show another sentence"] if own else []
        if unknown := _unpublished(scale, listed, made or ()):
            without.append(f"{unknown} more of this run are not among these")
        return (
            "; ".join(
                [f"identical to the published {scale} (sha256 of {here} of {len(listed)} files", *without]
            )
            + ")"
        )
    if is_settings(path):
        return f"made with other settings than the published {scale}: {path}"
    # The settings are those published, and manifests are published of portable numerics only.
    if any(read_artifact(timing, "timing")["precision"] == "fp32" for timing in _timings(scale)):
        return (
            f"not comparable bit for bit with the published {scale}, first in {path}: trained in fp32, since the "
            f"processor has no portable numerics; here {_maker(scale)}"
        )
    return (
        f"DIFFERS from the published {scale}, first in {path}, by other code, data or settings, or by a fault; "
        f"here {_maker(scale)}{_publisher(scale)}"
    )


def shows_other_sentences(scale: str, asked: Mapping[str, str]) -> bool:
    """Return whether the attention here is that of other sentences than the project's file of the scale names."""
    path = f"results/{scale}/figures/attention.json"
    if path not in asked or not Path(path).exists() or cached_sha256(path) == asked[path]:
        return False
    named = read_scale(scale, PROJECT, "results").content.get("attention") or {}
    with contextlib.suppress(UserError):  # a damaged file differs by its sha256
        found = read_artifact(path, "attention")["sentences"]
        return any(
            "sentence" in one and found[name]["source"] != one["sentence"] for name, one in named.items()
        )
    return False


def _unpublished(scale: str, listed: Collection[str], made: Collection[str]) -> int:
    """Return how many of the files that a run made are kept of its scale, but are none of those listed."""
    tops = (f"data/{scale}/", f"results/{scale}/")
    return sum(path.startswith(tops) and is_kept(path) and path not in listed for path in made)


def tables_of_other_runs(scale: str) -> list[str]:
    """Return the names of the tables here that were made of other rows, seeds or claims than the published ones.

    Their files record another command or other files of resources/, or they are computed from such a table.
    """
    made_of: dict[str, tuple[list[str], list[str]]] = {}
    for path in sorted(Path("results", scale, "tables").glob("*.json")):
        published = PUBLISHED / scale / path.name
        with contextlib.suppress(UserError):  # a damaged file differs by its sha256
            made_of[path.as_posix()] = (_made_of(published), _made_of(path))
    other = {path for path, (published, here) in made_of.items() if here != published}
    other |= {path for path, (_, here) in made_of.items() if other & set(here)}
    return sorted(Path(path).stem for path in other)


def _shows(tables: Collection[str], path: str) -> bool:
    """Return whether a file is one of some ``tables``, or the figure of the same trainings."""
    curves = bool({"table2", "table3"} & set(tables)) and fnmatch(path, "results/*/figures/training_curves.*")
    return curves or any(fnmatch(path, f"results/*/tables/{name}.*") for name in tables)


def _made_of(table: Path) -> list[str]:
    behind = read_artifact(table, "table")["behind"]
    resources = [file["sha256"] for file in behind["sources"] if file["path"].startswith("resources/")]
    return [*behind["command"], *resources]


def rebuild(scale: str, sums: Mapping[str, str], *, identical: bool) -> dict[str, object]:
    """Return the facts of this rebuild for ``docs/rebuilds.csv``."""
    timings = [read_artifact(path, "timing") for path in _timings(scale)]
    return {
        "date": datetime.date.today().isoformat(),
        "scale": scale,
        "commit": describe_commit(),
        "processor": timings[0]["device_name"] if timings else "",
        "torch": timings[0]["hardware"].rpartition(" ")[-1] if timings else "",
        "glibc": platform.libc_ver()[1],
        "python": platform.python_version(),
        "training_seconds": round(sum(timing["wall_seconds"] for timing in timings)),
        "manifest_sha256": hashlib.sha256(manifest_csv(sums).encode()).hexdigest(),
        "identical": "yes" if identical else "no",
    }


def _timings(scale: str) -> list[Path]:
    return sorted(Path("results", scale).glob("runs/*/*/timing.json"))


def _maker(scale: str) -> str:
    machines = {read_artifact(path, "timing")["device_name"] for path in _timings(scale)}
    return f"commit {describe_commit()} on {', '.join(sorted(machines)) or 'an unknown machine'}"


def _publisher(scale: str) -> str:
    """Return who first made what is published of a scale today, as the end of a line; nothing if no row says so."""
    today = (scale, sha256_of(PUBLISHED / scale / "manifest.csv"))
    made = (row for row in _rows(REBUILDS) if (row["scale"], row["manifest_sha256"]) == today)
    first = next(made, None)
    place = REBUILDS.relative_to(PROJECT)
    return f"; published: commit {first['commit']} on {first['processor']} ({place})" if first else ""


def _rows(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


if __name__ == "__main__":
    run_script(main)
