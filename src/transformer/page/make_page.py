"""Write the results of a scale as one page, which needs no network: the paper's tables and figures with ours.

    python src/transformer/page/make_page.py --results results/demo --files results/table2.csv \\
        --output results/index.html

It shows the tables and figures among --files, which are listed on it with their sha256, with the models of the tables
and of --runs, which no table has yet.
"""

import os
import re
from argparse import Namespace
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from transformer.common.arguments import Output, argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import sha256_of, write_text
from transformer.common.notes import SHOWN
from transformer.common.project import PROJECT
from transformer.common.yaml_files import read_yaml
from transformer.model.trained_by import notes_on_trainings
from transformer.page.pack_models import left_out, packed_models, translator
from transformer.page.page_models import trained_models
from transformer.page.shown_table import inline, shown_table
from transformer.tables.cells import Table, read_table
from transformer.tables.commit import describe_commit
from transformer.tables.entries import ENTRIES, OWN_CHAPTER
from transformer.tables.provenance import behind_table
from transformer.tables.runs import read_runs
from transformer.verification.published import verdict

TEMPLATE = Path(__file__).with_name("page.html")
CAPTIONS = PROJECT / "workflow" / "report" / "contents.yaml"
IMAGE = "data:image/svg+xml;base64,"
MODELS_BYTES = 12_000_000  # of the 14 MB of a page; the rest is for figures and tables
# Tables that page.html places.
CHAPTERS = [name for name, entry in ENTRIES.items() if entry.place == OWN_CHAPTER]


def main() -> None:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--results", type=Path, required=True, help="folder of a scale's results")
    add("--files", type=Path, nargs="*", default=[], help="files to show, and to list with their sha256")
    add("--runs", type=Path, nargs="*", default=[], help="folders of runs that no table shows yet")
    add("--output", type=Output, required=True, help="the page to write")
    arguments = parser.parse_args()
    record = verdict(arguments.results.name)
    without = write_page(arguments.results, arguments.files, arguments.output, record, arguments.runs)
    for line in without:
        print(f"{arguments.output} does not hold {line}")
    if arguments.runs and not without:
        print(f"{SHOWN}{arguments.output} has these models: open it in a browser and type a sentence")


def write_page(
    results: Path, files: Sequence[Path], output: Path, record: str | None, runs: Sequence[Path] = ()
) -> list[str]:
    """Write the page of ``results``, one scale's folder, as ``output``, beside which ``files`` lie.

    It shows the tables and figures that these files are of, the models of these tables, and those of ``runs``, folders
    of scored runs.  ``record`` says whether they are those that were published, if any were.  Returns lines that say
    which models it leaves out, and why.  Raises UserError with neither a table nor a run.
    """
    names = dict.fromkeys(file.stem for file in files)
    tables = read_tables([results / "tables" / f"{name}.json" for name in names if name in ENTRIES])
    project = Path(os.path.relpath(results.absolute().parents[1]))  # of results/<scale>
    shown = [*_runs(tables), *behind_table(Namespace(), read_runs(runs))["runs"].values()]
    models = trained_models(shown, project / "data" / results.name)
    packed = packed_models([files for files in models if files.are_here], MODELS_BYTES)
    reason = "its files, or those of its vocabulary, are not here"
    absent = [
        {"run": files.run, "pair": files.pair, "left_out": reason} for files in models if not files.are_here
    ]
    without = left_out([*packed["models"], *absent])
    folders = {*runs, *(Path(run["files"]["training"]["path"]).parent for run in shown)}
    facts = {
        "scale": results.name,
        "commit": describe_commit(),
        "record": record or "no results of this scale are published with their sha256",
        "trainings": " ".join(notes_on_trainings(sorted(folders))),
    }
    text = page(
        tables,
        {file: IMAGE + b64encode(file.read_bytes()).decode() for file in files if file.suffix == ".svg"},
        facts,
        files=[(Path(os.path.relpath(file, output.parent)).as_posix(), sha256_of(file)) for file in files],
        answers=translator(packed) if packed["models"] else "",
        without=without,
    )
    write_text(output, text)
    return without


def page(
    tables: Mapping[str, Table],
    figures: Mapping[Path, str],
    facts: Mapping[str, str],
    *,
    files: Sequence[tuple[str, str]] = (),
    answers: str = "",
    without: Sequence[str] = (),
) -> str:
    """Return the page of some tables and figures.

    ``figures`` are SVG files with the address by which the page shows each.  ``facts`` are what is said besides what
    the tables hold, and ``files`` are paths with their sha256.  ``answers`` is the part in which models answer, and
    ``without`` are lines on those left out.  Raises UserError without any table and model.
    """
    if not (tables or answers or without):
        raise UserError("there is no table to show; make one first, e.g. results/table2.tex")
    captions = read_yaml(CAPTIONS)["figures"]
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["inline"] = inline
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        facts=dict(facts) | _facts(tables),
        tables={name: tables.get(name) and shown_table(tables[name]) for name in [*CHAPTERS, *tables]},
        further=[name for name in tables if name not in CHAPTERS],
        claims=_claims(tables.get("claims")),
        figures={
            path.stem: {"source": source, "width": _width(path), "caption": captions[path.stem]}
            for path, source in figures.items()
        },
        data={name: of for table in tables.values() for name, of in table.behind.get("data", {}).items()},
        files=files,
        answers=answers,
        without=without,
        style=TEMPLATE.with_name("page.css").read_text(encoding="utf-8"),
    )


def read_tables(paths: Iterable[Path]) -> dict[str, Table]:
    """Return tables, by their names, from the files of their cells.  Raises UserError when one is damaged."""
    return {path.stem: read_table(path) for path in paths}


def _runs(tables: Mapping[str, Table]) -> list[Mapping[str, Any]]:
    return [run for table in tables.values() for run in table.behind.get("runs", {}).values()]


def _claims(table: Table | None) -> dict[str, dict[str, str]]:
    """Return the verdict on each claim, those about trained models apart from others."""
    verdicts: dict[str, dict[str, str]] = {}
    for line in (line for line in table.lines if "about" in line.facts) if table else ():
        verdicts.setdefault(line.facts["about"], {})[line.name] = line.facts["claim_verdict"]
    return verdicts


def _facts(tables: Mapping[str, Table]) -> dict[str, str]:
    """Return the scale, the corpora, the numerics and the seeds of what is shown, as far as its tables have them.

    If tables have other seeds than each other, each is named with its own.
    """
    numerics = {run["training"].get("numerics", "not recorded") for run in _runs(tables)}
    corpora = dict.fromkeys(name for table in tables.values() for name in table.corpus.split("; ") if name)
    scales = [table.scale for table in tables.values() if table.scale]
    seeds: dict[str, list[str]] = {}
    for name, table in tables.items():
        if found := sorted({run["config"]["seed"] for run in _runs({name: table})}):
            named = re.sub(r"^table(\d)$", r"Table \1", name)
            seeds.setdefault(", ".join(map(str, found)), []).append(named)
    by_table = "; ".join(f"{' and '.join(names)}: {found}" for found, names in seeds.items())
    return {
        **({"scale": scales[0]} if scales else {}),
        "corpus": " and ".join(corpora),
        "numerics": ", ".join(sorted(numerics)),
        "seeds": by_table if len(seeds) > 1 else ", ".join(seeds),
    }


def _width(figure: Path) -> float:
    """Return the width of a figure in points."""
    (width,) = re.findall(r'<svg [^>]*?width="([\d.]+)pt"', figure.read_text(encoding="utf-8"))
    return float(width)


if __name__ == "__main__":
    run_script(main)
