"""Write how the tables of a scale were made as a Workflow Run RO-Crate, for other programs.

    python src/transformer/verification/write_crate.py --scale demo --output results/demo/ro-crate-metadata.json

https://w3id.org/ro/wfrun/workflow describes the format.  A crate is a folder with ``ro-crate-metadata.json``; ours is
``results/SCALE``.  It names each file by its path in that folder, or by the sha256 of its bytes (``ni:`` of RFC 6920)
if it stands elsewhere, and says which script made it from which other files (docs/verification.md).
"""

import base64
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rocrate.model import ComputationalWorkflow, ContextEntity, File
from rocrate.rocrate import ROCrate

from transformer.common.arguments import argument_parser
from transformer.common.checksums import cached_sha256
from transformer.common.errors import run_script
from transformer.common.files import write_json
from transformer.common.json_artifacts import read_artifact
from transformer.tables.runs import Run
from transformer.verification.recorded import (
    files_of_scores,
    provenance_files,
    recorded_run,
    vocabulary_files,
    weights_of,
)

PROFILES = ("process/0.6", "workflow/0.6")  # of https://w3id.org/ro/wfrun
SNAKEFILE = "workflow/Snakefile"
TRAIN, AVERAGE = "training/train.py", "training/average_checkpoints.py"
MAKE_TABLE, COMPARE = "tables/make_table.py", "tables/compare.py"
SCORING = {
    "scores": ("decoding/translate.py", "scoring/score_bleu.py"),
    "parses": ("parsing/parse.py", "parsing/score_parses.py"),
    "unconstrained": ("parsing/parse.py", "parsing/score_parses.py"),
}
Records = Mapping[str, Mapping[str, str]]  # kind of file → its path and sha256


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--scale", required=True)
    parser.add_argument("--output", type=Path, required=True, help="the file to write, in the scale's folder")
    arguments = parser.parse_args()
    title = f"Attention Is All You Need: tables and figures of the scale {arguments.scale}"
    crate = run_crate(Path("results", arguments.scale), Path("data", arguments.scale), title)
    write_json(arguments.output, crate.metadata.generate())


def run_crate(results: Path, data: Path, title: str) -> ROCrate:
    """Return the crate of a scale; ``results`` and ``data`` are its folders, e.g. results/demo and data/demo.

    Raises UserError when no table has been made.
    """
    recorded = {path: read_artifact(path, "provenance") for path in provenance_files(results)}
    crate = Crate(results, next(iter(recorded.values())))
    sources: dict[str, Mapping[str, Any]] = {}
    for path, facts in recorded.items():
        sources |= facts.get("data", {})
        for record in facts.get("runs", {}).values():
            run, files = recorded_run(record), record["files"]
            _add_training(crate, run, files, data)
            _add_scoring(crate, run, files, data)
        _add_table(crate, path, facts)
    crate.describe(title, sources)
    return crate.content


class Crate:
    """A crate that is being written: files and actions are added once each."""

    def __init__(self, folder: Path, facts: Mapping[str, Any]) -> None:
        self.folder, self.content = folder, ROCrate()
        self.actions: dict[str, ContextEntity] = {}
        self.scripts: dict[str, ContextEntity] = {}
        self.made: list[File] = []
        commit = (facts["git"] or {}).get("commit", "unknown")
        software = [
            self._add(f"#{name}", "SoftwareApplication", name=name, softwareVersion=version)
            for name, version in facts["software"].items()
            if version
        ]
        # A workflow in a folder of its own is no file of the crate, so it is named by its commit.
        self.workflow = self.content.add_workflow(
            f"urn:git:{commit}:{SNAKEFILE}",
            main=True,
            lang="snakemake",
            lang_version=facts["software"]["snakemake"],
            cls=ComputationalWorkflow,
            properties={"name": SNAKEFILE, "version": commit, "softwareRequirements": software},
        )

    def file(self, path: Path, sha256: str) -> File:
        """Return the file with this sha256, which is added at its first use."""
        if path.is_relative_to(self.folder):
            given: dict[str, Any] = {"dest_path": path.relative_to(self.folder)}
            identifier = quote(given["dest_path"].as_posix())
        else:
            digest = base64.urlsafe_b64encode(bytes.fromhex(sha256)).decode().rstrip("=")
            identifier = f"ni:///sha-256;{digest}"
            given = {"source": identifier}
        known = self.content.get(identifier)
        return known or self.content.add_file(**given, properties={"name": path.as_posix(), "sha256": sha256})

    def action(
        self, name: str, script: str, used: Iterable[File], made: Iterable[File], **properties: Any
    ) -> None:
        """Add what a script of src/transformer/ made and what it used for that."""
        if name in self.actions:
            return
        if script not in self.scripts:
            path = f"src/transformer/{script}"
            self.scripts[script] = self._add(f"#{path}", "SoftwareApplication", name=path)
        made = list(made)
        self.made += made
        self.actions[name] = self.content.add_action(
            self.scripts[script],
            f"#{name.replace(' ', '-')}",
            object=list(used),
            result=made,
            properties={"@type": "CreateAction", "name": name, **properties},
        )

    def describe(self, title: str, sources: Mapping[str, Mapping[str, Any]]) -> None:
        """Add what the crate is as a whole, and the run of the workflow that made all of it."""
        corpora, licences = [], []
        for name, terms in sources.items():
            about = {"name": terms["title"], "license": terms["licence"], "citation": terms["citation"]}
            corpora.append(self._add(f"#corpus-{name}", "Dataset", **about))
            licences.append(f"{terms['title']}: {terms['licence']}")
        self.workflow["hasPart"] = list(self.scripts.values())
        whole = self.content.add_action(
            self.workflow, "#run", object=corpora, result=self.made, properties={"name": title}
        )
        root = self.content.root_dataset
        root["name"] = root["description"] = title
        root["license"] = f"The texts keep the licences of their corpora. {'; '.join(licences)}"
        root["conformsTo"] = [
            *(self._add(f"https://w3id.org/ro/wfrun/{profile}", "CreativeWork") for profile in PROFILES),
            *root.get("conformsTo", ()),  # a workflow's crate, by the library
        ]
        root["mentions"] = [whole, *self.actions.values()]

    def _add(self, identifier: str, kind: str, **properties: Any) -> ContextEntity:
        entity = ContextEntity(self.content, identifier, properties={"@type": kind, **properties})
        return self.content.add(entity)


def _add_training(crate: Crate, run: Run, files: Records, data: Path) -> None:
    """Add the training of a run and the averaging of its checkpoints."""
    training, timing = run.content["training"], run.content["timing"]
    name = run.folder.relative_to(crate.folder / "runs").as_posix()
    config = crate.file(run.path("config"), training["config_sha256"])
    vocabulary = [crate.file(path, cached_sha256(path)) for path in vocabulary_files(run.pair, data) if path]
    folder = data / "tokenized" / run.pair
    tokenized = [crate.file(folder / file, sha256) for file, sha256 in training["data"].items()]
    checkpoints = [crate.file(run.folder / file["path"], file["sha256"]) for file in training["checkpoints"]]
    written = [crate.file(run.path(kind), files[kind]["sha256"]) for kind in ("training", "timing")]
    crate.action(
        f"train {name}",
        TRAIN,
        [config, *vocabulary, *tokenized],
        [*checkpoints, *written],
        description=f"{training['steps']} steps, {timing['wall_seconds']} s on {timing['devices']} x "
        f"{timing['device_name']} ({timing['hardware']}, {timing['precision']})",
    )
    weights = weights_of(run)
    model = crate.file(weights / "model.safetensors", files[weights.name]["sha256"])
    crate.action(f"average {name} {weights.name}", AVERAGE, checkpoints, [model])


def _add_scoring(crate: Crate, run: Run, files: Records, data: Path) -> None:
    """Add the decoding of test sets by a run, and the scoring of what came out."""
    for kind in (kind for kind in SCORING if kind in run.files):
        recorded = run.content[kind]["files"]
        given = {
            what: crate.file(path, recorded[what]["sha256"])
            for what, path in files_of_scores(run, kind, data).items()
        }
        decoded = [file for what, file in given.items() if what in ("hypothesis", "predicted", "decoding")]
        used = [given[what] for what in ("checkpoint", "source") if what in given]
        against = [given[what] for what in ("reference", "gold") if what in given]
        place = run.path(kind).parent.relative_to(crate.folder / "runs").as_posix()
        decode, score = SCORING[kind]
        crate.action(f"decode {place} {kind}", decode, used, decoded)
        scores = crate.file(run.path(kind), files[kind]["sha256"])
        crate.action(f"score {place} {kind}", score, [*decoded, *against], [scores])


def _add_table(crate: Crate, path: Path, facts: Mapping[str, Any]) -> None:
    """Add a table; ``facts`` is its provenance, the file ``path``."""
    tables = {name: crate.file(Path(file["path"]), file["sha256"]) for name, file in facts["tables"].items()}
    used = [
        record
        for run in facts.get("runs", {}).values()
        for kind, record in run["files"].items()
        if kind not in ("averaged", "last")  # which no table is read from
    ]
    used += [*facts.get("sources", ()), *([facts["literature"]] if "literature" in facts else ())]
    files = [crate.file(Path(record["path"]), record["sha256"]) for record in used]
    crate.action(
        f"make {Path(next(iter(tables))).stem}",
        COMPARE if "sources" in facts else MAKE_TABLE,
        {file.id: file for file in files}.values(),
        [*tables.values(), crate.file(path, cached_sha256(path))],
    )


if __name__ == "__main__":
    run_script(main)
