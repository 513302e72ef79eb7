"""Write the results of a scale as one page, which needs no network: the paper's tables and figures with ours.

    python src/transformer/page/make_page.py --results results/demo --files results/table2.csv \\
        --output results/index.html

It shows what has been made, and which command makes the rest.  --files are listed on it with their sha256.  The models
of --runs are on it before there is a table of them.
"""

import base64
import functools
import os
import re
import shlex
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import read_artifact
from transformer.common.errors import UserError, run_script
from transformer.common.files import sha256_of, write_text
from transformer.common.notes import SHOWN
from transformer.common.project import PROJECT
from transformer.common.yaml_files import read_yaml
from transformer.model.trained_by import notes_on_trainings
from transformer.page.pack_models import left_out, packed_models, translator
from transformer.page.page_models import absent, trained_models
from transformer.page.shown_table import inline, shown_table
from transformer.settings.run_names import seed_options
from transformer.tables.cells import Table, read_table
from transformer.tables.commit import describe_commit
from transformer.tables.entries import ENTRIES, OWN_CHAPTER
from transformer.tables.provenance import behind_table
from transformer.tables.runs import read_runs
from transformer.verification.published import verdict

TEMPLATE = Path(__file__).with_name("page.html")
STYLE = TEMPLATE.with_name("page.css")
CAPTIONS = PROJECT / "workflow" / "report" / "contents.yaml"
MODELS_BYTES = 12_000_000  # of the 14 MB of a page; the rest is for figures and tables
# Tables that page.html places.
CHAPTERS = [name for name, entry in ENTRIES.items() if entry.place == OWN_CHAPTER]
# The files that tell whether a table is of the present results, those of no run too; the weights are large, and
# timing.json has a time.
BEHIND = ("", "config", "training", "scores", "parses", "unconstrained", "perplexity")


def main() -> None:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--results", type=Path, required=True, help="folder of a scale's results")
    add("--files", type=Path, nargs="*", default=[], help="files to list with their sha256")
    add("--runs", type=Path, nargs="*", default=[], help="folders of runs that no table shows yet")
    add("--cannot", nargs="*", default=[], help="tables and figures that this scale cannot have")
    add("--output", type=Output, required=True, help="the page to write")
    arguments = parser.parse_args()
    record = verdict(arguments.results.name)
    lines = write_page(
        arguments.results, arguments.files, arguments.output, record, arguments.runs, arguments.cannot
    )
    for line in lines:
        print(line)
    if arguments.runs and not lines:
        print(f"{SHOWN}{arguments.output} has these models: open it in a browser and type a sentence")


def write_page(
    results: Path,
    files: Sequence[Path],
    output: Path,
    record: str | None,
    runs: Sequence[Path] = (),
    cannot: Sequence[str] = (),
) -> list[str]:
    """Write the page of ``results``, one scale's folder, as ``output``, beside which ``files`` lie.

    ``record`` says whether they are those that were published, if any were.  The page also has the models of ``runs``,
    folders of scored runs, and no commands for what the scale ``cannot`` have (``table4``, ``figures/parse_tree``).
    Returns lines that say which models it leaves out, and why.  Raises UserError with neither
    a table nor a run.
    """
    record = record or "no results of this scale are published with their sha256"
    listed = [(Path(os.path.relpath(file, output.parent)).as_posix(), sha256_of(file)) for file in files]
    answers, without = models_of(results, runs)
    tables, unread = read_tables(results)
    folders = {*runs, *(Path(run["files"]["training"]["path"]).parent for run in _runs(tables))}
    trainings = " ".join(notes_on_trainings(sorted(folders)))
    facts = {"commit": describe_commit(), "record": record, "trainings": trainings}
    write_text(output, page(results, facts, listed, answers=answers, without=without, cannot=cannot))
    return [f"{output} does not hold {line}" for line in without] + [
        f"not shown: {line}" for line in unread.values()
    ]


def models_of(results: Path, folders: Sequence[Path] = ()) -> tuple[str, list[str]]:
    """Return the part of the page in which a scale's models answer, if one does, and lines on those left out.

    They are the models of its tables, and of the runs in ``folders``.
    """
    project = Path(os.path.relpath(results.absolute().parents[1]))  # of results/<scale>
    runs = [*_runs(read_tables(results)[0]), *behind_table(Namespace(), read_runs(folders))["runs"].values()]
    models, missing = trained_models(runs, project / "data" / results.name)
    content = packed_models(models, MODELS_BYTES)
    without = [*content["models"], *map(absent, missing)]
    return translator(content) if models else "", left_out(without)


def page(
    results: Path,
    facts: Mapping[str, str],
    files: Sequence[tuple[str, str]] = (),
    *,
    answers: str = "",
    without: Sequence[str] = (),
    cannot: Sequence[str] = (),
    is_published: bool = False,
) -> str:
    """Return the page of a folder of results, one of ``results/`` or one that publish_results.py wrote.

    ``facts`` are what is said of it besides what its tables hold, and ``files`` are paths with their sha256.
    ``answers`` and ``without`` are those of :func:`models_of`.  The page of a folder that ``is_published`` shows the
    figures that lie beside it.
    """
    tables, unread = read_tables(results)
    if not (tables or unread or answers or without):
        raise UserError(f"{results}: there is no table to show; make one first, e.g. results/table2.tex")
    runs = _runs(tables)
    names = dict.fromkeys([*CHAPTERS, *tables, *unread])
    about = {"scale": results.name} | _facts(tables, runs) | dict(facts)
    return _template().render(
        facts=about,
        options=_options(
            about["scale"], next(filter(None, (_runs({name: tables[name]}) for name in tables)), runs)
        ),
        tables={name: shown_table(tables[name]) if name in tables else None for name in names},
        unread=unread,
        further=[name for name in names if name not in CHAPTERS],
        claims=_claims(tables.get("claims")),
        figures=_figures(results / "figures", embeds=not is_published),
        data=_data(tables.values()),
        files=files,
        answers=answers,
        without=without,
        cannot=cannot,
        style=STYLE.read_text(encoding="utf-8"),
        is_published=is_published,
    )


@functools.cache
def _template() -> Any:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATE.parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["inline"] = inline
    return environment.get_template(TEMPLATE.name)


def read_tables(results: Path) -> tuple[dict[str, Table], dict[str, str]]:
    """Return the tables that have been made, and of those that are not shown what is wrong with them.

    They cannot be read as such, or are of earlier results: this run has made other tables only.  A published folder has
    none of the files behind its tables.
    """
    is_scale = (results / "tables").exists()
    folder = results / "tables" if is_scale else results
    tables, unread = {}, {}
    for path in sorted(folder.glob("*.json")):
        if path.stem in ENTRIES:
            try:
                table = read_table(path)
                if is_scale and (changed := changed_file(table)):
                    runs = _runs({path.stem: table})
                    options = _options(table.scale or results.name, runs)
                    raise UserError(
                        f"{path}: an earlier run's, of another {changed}; make it again: snakemake --cores all "
                        f"results/{path.stem}.md --config {options}"
                    )
                tables[path.stem] = table
            except UserError as error:
                unread[path.stem] = str(error)
    return tables, unread


def changed_file(table: Table) -> str | None:
    """Return the first file behind a table that is here with another content than the table was made from, if any."""
    behind = (file for kind, file in table.files_behind() if kind in BEHIND)
    there = ((file, Path(file["path"])) for file in behind)
    return next(
        (file["path"] for file, path in there if path.is_file() and sha256_of(path) != file["sha256"]),
        None,
    )


def _runs(tables: Mapping[str, Table]) -> list[Mapping[str, Any]]:
    return [run for table in tables.values() for run in table.behind.get("runs", {}).values()]


def _claims(table: Table | None) -> dict[str, dict[str, str]]:
    """Return the verdict on each claim, those about trained models apart from those about counts."""
    verdicts: dict[str, dict[str, str]] = {}
    for line in (line for line in table.lines if "about" in line.facts) if table else ():
        verdicts.setdefault(line.facts["about"], {})[line.name] = line.facts["claim_verdict"]
    return verdicts


def _facts(tables: Mapping[str, Table], runs: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the scale, the corpora, the numerics and the seeds of what is shown, as far as its tables have them.

    If tables have other seeds than each other, each is named with its own.
    """
    numerics = {run["training"].get("numerics", "not recorded") for run in runs}
    corpora = dict.fromkeys(
        corpus for table in tables.values() for corpus in table.corpus.split("; ") if corpus
    )
    scales = [table.scale for table in tables.values() if table.scale]
    seeds: dict[str, list[str]] = {}
    for name, table in tables.items():
        if found := _seeds(_runs({name: table})):
            seeds.setdefault(", ".join(found), []).append(re.sub(r"^table(\d)$", r"Table \1", name))
    by_table = "; ".join(f"{' and '.join(names)}: {found}" for found, names in seeds.items())
    return {
        **({"scale": scales[0]} if scales else {}),
        "corpus": " and ".join(corpora),
        "numerics": ", ".join(sorted(numerics)),
        "seeds": by_table if len(seeds) > 1 else ", ".join(seeds),
    }


def _seeds(runs: Iterable[Mapping[str, Any]]) -> list[str]:
    return sorted({str(run["config"]["seed"]) for run in runs}, key=int)


def _options(scale: str, runs: Sequence[Mapping[str, Any]]) -> str:
    """Return the values of ``--config`` with which a command makes more of the same results, ``runs`` among them."""
    seeds = {Path(run["files"]["training"]["path"]).parts[-3]: run["config"]["seed"] for run in runs}
    words = [word for word in seed_options(seeds) if word not in ("seed=1", "seeds=[1]")]
    return " ".join(map(shlex.quote, [f"scale={scale}", *words]))


def _figures(folder: Path, *, embeds: bool) -> dict[str, dict[str, Any]]:
    """Return the source, the width and the caption of each figure that there is.

    Figures of the attention in a model that has been trained again since are left out.
    """
    captions = read_yaml(CAPTIONS)["figures"]
    if embeds and _is_attention_of_another_model(folder / "attention.json"):
        captions = {name: text for name, text in captions.items() if not name.startswith("attention")}
    return {
        path.stem: {
            "source": _embedded(path) if embeds else f"{folder.name}/{path.name}",
            "width": _width(path),
            "caption": captions[path.stem],
        }
        for path in sorted(folder.glob("*.svg"))
        if path.stem in captions
    }


def _is_attention_of_another_model(attention: Path) -> bool:
    """Return whether the attention was measured in another model than the run has now."""
    if not attention.exists():
        return False
    measured = read_artifact(attention, "attention")
    model = attention.parent.parent / "runs" / measured["run"] / measured["pair"] / "averaged" / "model.json"
    return model.exists() and read_artifact(model, "model")["weights_sha256"] != measured["model_sha256"]


def _width(figure: Path) -> float:
    """Return the width of a figure in points."""
    (width,) = re.findall(r'<svg [^>]*?width="([\d.]+)pt"', figure.read_text(encoding="utf-8"))
    return float(width)


def _embedded(path: Path) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode()}"


def _data(tables: Iterable[Table]) -> list[dict[str, str]]:
    """Return title, licence and citation of the sources of the corpora."""
    sources: dict[str, dict[str, str]] = {}
    for table in tables:
        sources |= table.behind.get("data", {})
    return list(sources.values())


if __name__ == "__main__":
    run_script(main)
