"""``src/transformer/export/export_model.py``: the folders that it writes."""

import json
from pathlib import Path
from typing import Any

import pytest
import tiny
import tokenizers
import torch
from hugging_face import load_transformers
from made_artifacts import change

from transformer.common.artifacts import CHECKSUM, write_artifact
from transformer.common.files import file_record
from transformer.export import export_model
from transformer.model.storage import save_model
from transformer.model.transformer import Transformer, shift_right
from transformer.subwords.subwords import load_subwords

MEASURE = {"value": 27.34, "signature": "nrefs:1|tok:13a", "interval": {"low": 26.1, "high": 28.2}}


@pytest.fixture
def options(tiny_run: Path, tmp_path: Path) -> list[object]:
    """The command line for a tiny model with made-up scores."""
    subwords = load_subwords(tiny_run / "subwords.model")
    save_model(tmp_path / "model", tiny.model(subwords.vocab_size, d_v=4), subwords.sha256, "fp32")
    search = {"beam_size": 7, "alpha": 0.5, "max_extra_tokens": 50, "precision": "bf16"}
    measures = {"multi_bleu": MEASURE, "sacrebleu": MEASURE}
    scores = {"format": 2, "language": "de", "sentences": 9, "headline": "multi_bleu", "measures": measures}
    scored = {"checkpoint": tmp_path / "model" / "model.safetensors", "config": tiny_run / "config.json"}
    files = {kind: file_record(path) for kind, path in scored.items()}
    scores |= {"decoding": {"search": search}, "files": files}
    write_artifact(tmp_path / "scores.json", scores)
    weights = files["checkpoint"]["sha256"]
    perplexity = {"format": 2, "model_sha256": weights, "per_sentence": {}, "test": {"tokens": 90}}
    write_artifact(tmp_path / "perplexity.json", perplexity)
    given = {"subwords": tiny_run / "subwords.model", "config": tiny_run / "config.json"}
    names = {"model": "model", "scores": "scores.json", "perplexity": "perplexity.json"}
    given |= {option: tmp_path / name for option, name in names.items()}
    return [part for option, path in given.items() for part in (f"--{option}", path)]


def test_an_export_computes_nothing_and_so_notes_nothing_of_numerics(
    options: list[object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(tmp_path / "model" / "model.json", numerics="portable")
    assert (
        tiny.run(export_model.main, *options, "--data", "multi30k", "--output", tmp_path / "huggingface") == 0
    )
    assert capsys.readouterr().err == ""


def test_a_folder_for_hugging_face(options: list[object], tmp_path: Path) -> None:
    output = tmp_path / "huggingface"
    line = [*options, "--data", "multi30k", "--output", output]
    assert tiny.run(export_model.main, *line) == 0
    configs = ["config.json", "generation_config.json"]
    tokenizer = ["tokenizer.json", "tokenizer_config.json"]
    files = sorted(path.name for path in output.iterdir())
    assert files == ["README.md", "SHA256SUMS", *configs, "model.safetensors", *tokenizer]
    card = (output / "README.md").read_text()
    for fact in (
        "CC BY-NC-SA 4.0",
        "D. Elliott, S. Frank, K. Sima'an, L. Specia: Multi30K",
        "27.3 [26.1, 28.2]",
        "(nrefs:1|tok:13a)",
        "Scale: `tiny`",
        "by the project's own beam search (beam 7, α 0.5)",
    ):
        assert fact in card
    assert json.loads((output / "generation_config.json").read_text())["num_beams"] == 7
    first = {path.name: path.read_bytes() for path in output.iterdir()}
    assert tiny.run(export_model.main, *line) == 0
    assert {path.name: path.read_bytes() for path in output.iterdir()} == first
    assert not list(tmp_path.glob(".export-*"))


def test_a_perplexity_of_another_run(options: list[object], tmp_path: Path) -> None:
    """Its text would give the length penalty of the exported model."""
    change(tmp_path / "perplexity.json", model_sha256="0" * 64)
    error = tiny.error("export_model", *options, "--output", tmp_path / "out")
    assert f"{tmp_path}/perplexity.json has another" in error


def test_a_model_of_another_run(options: list[object], tmp_path: Path) -> None:
    """Nor may its settings be: the card would give one model the scores of another."""
    path = tmp_path / "model" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    error = tiny.error("export_model", *options, "--output", tmp_path / "out")
    assert f"{path}: not the file that was written: {tmp_path}/scores.json has another" in error
    assert error.endswith("give files of one run")
    assert not (tmp_path / "out").exists()


def test_scores_that_do_not_record_the_search(options: list[object], tmp_path: Path) -> None:
    scores = json.loads((tmp_path / "scores.json").read_text())
    del scores["decoding"], scores[CHECKSUM]
    write_artifact(tmp_path / "scores.json", scores)
    error = tiny.error("export_model", *options, "--output", tmp_path / "out")
    assert error.endswith("scores.json: does not record the beam search; score again with --decoding")


def test_hugging_face_reads_raw_text(options: list[object], tiny_run: Path, tmp_path: Path) -> None:
    transformers = load_transformers()
    output = tmp_path / "huggingface"
    assert tiny.run(export_model.main, *options, "--output", output) == 0
    tokenizer = transformers.AutoTokenizer.from_pretrained(output)
    subwords = load_subwords(tiny_run / "subwords.model")
    texts = ["a dog runs", "cats </s> sleep  <pad> .", "Ж漢字🙂"]
    batch = tokenizer(texts, return_tensors="pt", padding=True)
    ids = [[*subwords.encode(text), 1] for text in texts]
    longest = max(map(len, ids))
    assert batch["input_ids"].tolist() == [
        [*row, *[subwords.vocab_size] * (longest - len(row))] for row in ids
    ]
    assert [tokenizer.decode(row, skip_special_tokens=True) for row in ids] == texts
    model = transformers.MarianMTModel.from_pretrained(output)
    assert len(model.generate(**batch, max_length=8)) == 3


def replace_model(tiny_run: Path, folder: Path, **changes: Any) -> Transformer:
    """Put another model beside the scores, with random biases, and return it."""
    subwords = load_subwords(tiny_run / "subwords.model")
    model = tiny.model(subwords.vocab_size, **changes)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
    save_model(folder / "model", model, subwords.sha256, "fp32")
    scores = json.loads((folder / "scores.json").read_text())
    del scores[CHECKSUM]
    scores["files"]["checkpoint"] = file_record(folder / "model" / "model.safetensors")
    write_artifact(folder / "scores.json", scores)
    change(folder / "perplexity.json", model_sha256=scores["files"]["checkpoint"]["sha256"])
    return model


def test_log_probabilities_in_ctranslate2_are_ours(
    options: list[object], tiny_run: Path, tmp_path: Path
) -> None:
    """Up to 1e-4, as in the folder that CTranslate2 converts."""
    load_transformers()
    ctranslate2 = pytest.importorskip(
        "ctranslate2", reason="the packages of requirements-extras.lock are not installed"
    )
    model = replace_model(tiny_run, tmp_path, d_v=4, vocabulary_rows=400, attention_bias=True)
    exported, output = tmp_path / "huggingface", tmp_path / "ctranslate2"
    assert tiny.run(export_model.main, *options, "--output", exported) == 0
    converter = ctranslate2.converters.TransformersConverter(str(exported), copy_files=["tokenizer.json"])
    converter.convert(str(output))
    tokenizer = tokenizers.Tokenizer.from_file(str(output / "tokenizer.json"))
    source, target = (tokenizer.encode(text) for text in ("a dog runs", "cats sleep"))
    (score,) = ctranslate2.Translator(str(output), compute_type="float32").score_batch(
        [source.tokens], [target.tokens[:-1]]
    )
    ids = torch.tensor([target.ids])
    with torch.no_grad():
        log_p = model(torch.tensor([source.ids]), shift_right(ids)).log_softmax(-1)
    ours = log_p.gather(2, ids[..., None]).flatten().tolist()
    assert score.log_probs == pytest.approx(ours, abs=1e-4)


def test_a_model_that_cannot_be_exported(options: list[object], tiny_run: Path, tmp_path: Path) -> None:
    replace_model(tiny_run, tmp_path, positions="learned")
    output = tmp_path / "huggingface"
    error = tiny.error("export_model", *options, "--output", output)
    assert "export another run" in error
    assert not output.exists()
