"""Every script on a disk that is read-only: one line that names the place and says what to do."""

import gzip
import importlib
import os
import shlex
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tiny
from made_artifacts import DECODING, write_metrics, write_perplexity, write_training
from scripts import MODULES, SCRIPTS

from transformer.common.files import file_record
from transformer.common.json_artifacts import write_artifact
from transformer.model.config import TransformerConfig
from transformer.model.storage import save_model
from transformer.model.transformer import Transformer
from transformer.report.latex import find_latex
from transformer.scoring.multi_bleu import COUNTS
from transformer.subwords.subwords import load_subwords
from transformer.subwords.vocabularies import load_vocabularies

ROOT = Path(__file__).parents[2]
PAIR = ["A dog sees a cat.\n", "Ein Hund sieht eine Katze.\n"]

# Each script's arguments: {here} is a folder with what it reads, {out} the read-only one that it should write to.
COMMANDS = {
    "average_checkpoints": "--training {here}/run/training.json --last 1 --output {out}",
    "clean": "--source {here}/en --target {here}/de --output-source {out}/en --output-target {out}/de "
    "--report {out}/report.json --keep-all",
    "collect_metrics": "--runs {here}/table/base --metrics {out}/metrics.json --headline {out}/headline.json "
    "--curves {out}/curves",
    "collect_scores": "--runs {here}/table/base --output-dir {out}",
    "compare": "--tables {here}/tables/table2.csv --output-dir {out} --provenance {out}/provenance.json",
    "download": "--url https://example.org/a.gz --file a.gz --mirror {here} --output {out}/a.gz",
    "encode": "--subwords {here}/subwords.model --source {here}/en --target {here}/de --output {out}/train",
    "export_model": "--format huggingface --model {here}/square --subwords {here}/subwords.model "
    "--config {here}/config.json --scores {here}/table/base/scores.json --translation {here}/de "
    "--output {out}/huggingface",
    "extract_attention": "--model {here}/averaged --config {here}/config.json --subwords {here}/subwords.model "
    "--long-distance dog dog --anaphora 'dog it' it dog --max-extra-tokens 3 --output {out}/attention.json",
    "extract": "--source {here}/a.gz --target {here}/a.gz --output-source {out}/en --output-target {out}/de",
    "fetch_test_set": "--name wmt13 --pair en-fr --output-source {out}/en --output-target {out}/fr",
    "generate_demo": "--sentences 5 --dev 1 --test 1 --seed 1 --output-dir {out}",
    "hold_out": "--pair en-de --source {here}/text --target {here}/text --test 1 --output-dir {out}",
    "learn_subwords": "--kind bpe --vocab-size 290 --output {out} {here}/text",
    "learn_symbols": "--output {out}/symbols.json {here}/linearised/symbols",
    "linearise": "--trees {here}/trees --words tags --output-source {out}/en --output-target {out}/symbols",
    "make_index": "--scale demo --corpus tiny --seed 1 --seeds 1 --contents workflow/report/contents.yaml "
    "--files {here}/tables/table2.md --output {out}/README.md",
    "make_plan": "--scale demo --output {out}/plan.md",
    "make_report": "--scale demo --seed 1 --seeds 1 --template workflow/report/report.tex "
    "--contents workflow/report/contents.yaml --tables {here}/tables/table2.tex --output {out}/report.pdf",
    "make_table": "table2 --literature resources/literature.yaml --devices resources/devices.yaml "
    "--runs {here}/table/base --output-dir {out} --provenance {out}/provenance.json",
    "measure_layers": "--config {here}/config.json --output {out}/layers.json --times {out}/times.csv",
    "mix_silver": "--silver {here}/trees --gold {here}/trees --oversample 1 --seed 1 --output {out}/mixed "
    "--report {out}/report.json",
    "parse": "--model {here}/parser --subwords {here}/subwords.model --symbols {here}/symbols/symbols.json "
    "--input {here}/en --output {out}/trees --beam-size 1",
    "parse_pcfg": "--grammar {here}/pcfg/grammar.json --input {here}/en --output {out}/trees",
    "plot": "parse_tree --inputs {here}/trees --output-dir {out}",
    "prepare_treebank": "{here}/trees --output {out}/trees",
    "publish_results": "--scale demo --results {here}/results --output {out}/published",
    "resolve_run": "--scale demo --seed 1 --run base --pair en-de --output {out}/config.json",
    "score_baselines": "--pair en-de --source {here}/en --reference {here}/de --output {out}/baselines.json",
    "score_bleu": "--hypothesis {here}/de --reference {here}/de --language de --output {out}/scores.json "
    "--source {here}/en --decoding {here}/decoding.json --checkpoint {here}/averaged/model.safetensors "
    "--config {here}/config.json --per-sentence {out}/scores.csv",
    "score_parses": "--gold {here}/trees --predicted {here}/trees --output {out}/scores.json",
    "score_perplexity": "--model {here}/averaged --data {here}/data --split dev --output {out}/perplexity.json",
    "select_silver": "--first {here}/trees --second {here}/trees --gold {here}/trees --oversample 1 --seed 1 "
    "--output {out}/mixed --silver {out}/silver --report {out}/report.json",
    "tokenize_penn": "--input {here}/en --output {out}/en",
    "train": "--config {here}/config.json --data {here}/data --subwords {here}/subwords.model --output {out}",
    "train_pcfg": "--trees {here}/trees --output {out}/grammar.json",
    "translate": "--model {here}/averaged --subwords {here}/subwords.model --input {here}/en --output {out}/de",
    "unpack": "--input {here}/a.tgz --members en --output {out}/a",
}  # fmt: skip


@pytest.fixture(scope="module")
def here(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the scripts read: text, an archive, trees, a trained and scored run."""
    folder = tmp_path_factory.mktemp("here")
    for name in ("config.json", "subwords.model", "data", "text"):
        (folder / name).symlink_to(tiny_run / name)
    for side, line in zip(("en", "de"), PAIR, strict=True):
        (folder / side).write_text(line)
    (folder / "trees").write_text("(S (NP (DT A) (NN dog)) (VP (VBZ runs)))\n")
    (folder / "a.gz").write_bytes(gzip.compress(PAIR[0].encode()))
    with tarfile.open(folder / "a.tgz", "w:gz") as tar:
        tar.add(folder / "en", "en")
    assert run("train", folder, folder / "run") == 0
    assert run("average_checkpoints", folder, folder / "averaged") == 0
    assert run("train_pcfg", folder, folder / "pcfg") == 0
    assert run("linearise", folder, folder / "linearised") == 0
    assert run("learn_symbols", folder, folder / "symbols") == 0
    vocabularies = load_vocabularies(folder / "subwords.model", folder / "symbols" / "symbols.json")
    parser = Transformer(TransformerConfig(**vocabularies.sizes, **tiny.model_config()))
    save_model(folder / "parser", parser, vocabularies.sha256)
    # Only a model whose heads have its width together can be exported.
    subwords = load_subwords(folder / "subwords.model")
    square = tiny.model(subwords.vocab_size, d_v=tiny.model_config()["d_k"])
    save_model(folder / "square", square, subwords.sha256)
    write_artifact(folder / "decoding.json", DECODING)
    make_scored_run(folder / "table" / "base")
    assert run("make_table", folder, folder / "tables") == 0
    (folder / "results" / "demo" / "runs" / "base").mkdir(parents=True)
    (folder / "results" / "demo" / "runs" / "base" / "en-de").symlink_to(folder / "table" / "base")
    for name in ("tables", "tables/provenance.json"):
        (folder / "results" / "demo" / Path(name).name).symlink_to(folder / name)
    return folder


def make_scored_run(folder: Path) -> None:
    """As tables read it."""
    folder.mkdir(parents=True)
    figures = {"value": 1.0, "interval": {"low": 0.0, "high": 2.0, "level": 0.95}, "signature": "nrefs:1"}
    contents: dict[str, Any] = {
        "config": tiny.run_config() | {"scale": "demo"},
        "scores": {
            "format": 2,
            "language": "de",
            "headline": "multi_bleu_split",
            "sentences": 1,
            "measures": {"multi_bleu_split": figures, "sacrebleu": figures},
            "files": {"checkpoint": {"name": "x", "sha256": "d" * 64}},
            "decoding": DECODING,
        },
    }
    counts: list[list[Any]] = [["sentence", *COUNTS], [1] + [5] * len(COUNTS)]
    (folder / "scores.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in counts))
    contents["scores"]["per_sentence"] = file_record(folder / "scores.csv")
    for name, content in contents.items():
        write_artifact(folder / f"{name}.json", content)
    write_training(folder)
    write_metrics(folder / "metrics.jsonl", {"step": 1, "loss": 1.0, "dev_perplexity": 2.0, "dev_bleu": 1.0})
    write_perplexity(folder / "perplexity.json", dev=1.5, test=1.5)


@pytest.fixture(scope="module")
def read_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that cannot be written to, with one in it: a disk mounted so, or for others than root, forbidden."""
    folder = tmp_path_factory.mktemp("read_only")
    if os.geteuid() != 0:
        (folder / "there").mkdir(mode=0o555)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)
        return
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("root cannot mount a disk here")
    try:
        (folder / "there").mkdir()
        subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def run(script: str, here: Path, out: Path) -> int:
    arguments = shlex.split(COMMANDS[script].format(here=here, out=out))
    return tiny.run(importlib.import_module(MODULES[script]).main, *arguments)


def test_every_script_is_tried() -> None:
    assert set(SCRIPTS) - {"verify"} == set(COMMANDS)  # verify writes nothing


@pytest.mark.parametrize("place", ["there", "absent"])
@pytest.mark.parametrize("script", COMMANDS)
def test_a_read_only_place_is_named_in_one_line(
    script: str, place: str, here: Path, read_only: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    if script == "make_report" and find_latex() is None:
        pytest.skip("there is no pdflatex")
    monkeypatch.chdir(ROOT)
    tiny.measure_little(monkeypatch)
    monkeypatch.setattr(
        "transformer.corpus.fetch_test_set.fetch", lambda name, pair: (here / "en", here / "de")
    )
    before = sorted(here.rglob("*"))
    assert run(script, here, read_only / place) == 1
    line = tiny.the_error(capsys.readouterr().err)
    assert line.startswith(f"error: {read_only}/{place}")
    assert line.endswith(
        ("Read-only file system; choose a folder that can be written to", "check the permissions")
    )
    assert sorted(here.rglob("*")) == before
