"""``src/transformer/decoding/translate.py`` and ``src/transformer/training/score_perplexity.py`` on a tiny model."""

import json
import math
import os
import pty
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import tiny
import torch

from transformer.common.artifacts import read_artifact
from transformer.common.special_tokens import EOS
from transformer.dataset.tokenized import TokenizedDataset
from transformer.decoding import translate, translation
from transformer.decoding.beam_search import Hypothesis
from transformer.decoding.incremental import IncrementalDecoder, SearchModel
from transformer.model.storage import load_model
from transformer.training import score_perplexity
from transformer.training.distributed import ProcessGroup

CPU = torch.device("cpu")


@pytest.fixture
def options(tiny_run: Path, tiny_model: Path) -> list[str]:
    """The model, its subwords and a limit; an option that follows changes them."""
    files = ["--model", str(tiny_model), "--subwords", str(tiny_run / "subwords.model")]
    return [*files, "--max-extra-tokens", "2"]


def translated(options: list[str], folder: Path, text: str, *more: object) -> str:
    """What the script writes for a text."""
    (folder / "in").write_text(text, encoding="utf-8", newline="")
    files = ["--input", folder / "in", "--output", folder / "out"]
    assert tiny.run(translate.main, *options, *files, *more) == 0
    return (folder / "out").read_text(encoding="utf-8")


def test_lines_stay_lines(options: list[str], tmp_path: Path) -> None:
    """Even with unknown characters, other scripts, Unicode line separators, or nothing in them."""
    lines = ["a dog runs", "", "Ж漢字🙂", "   ", "cats\u2028sleep\u0085\tlong", "a dog runs", "\x00"]
    translations = translated(options, tmp_path, "\n".join(lines)).split("\n")  # the last has no line end
    assert len(translations) == len(lines) + 1
    assert translations[1] == translations[3] == translations[-1] == ""
    assert translations[0] == translations[5] != ""


def test_what_surrounds_a_sentence_changes_nothing(options: list[str], tmp_path: Path) -> None:
    """As in the training text, which has no such ends, nor marks and NULs."""
    ends = ["{}", " {}", "{}\t", "{}\u00a0", "{}\r", "\ufeff{}", "\0{} \0"]
    text = "".join(f"{end.format('a dog runs')}\n" for end in ends)
    assert len(set(translated(options, tmp_path, text).splitlines())) == 1


def test_standard_input_to_standard_output(options: list[str], tmp_path: Path) -> None:
    text = "a dog runs\n\nbirds sing\n"
    written = translated(options, tmp_path, text)
    assert tiny.run_captured("translate", *options, text=text).stdout == written


@pytest.mark.parametrize("nbest", [1, 2])
@pytest.mark.parametrize("ends", [True, False])
def test_translations_without_an_end_are_counted(
    nbest: int,
    ends: bool,
    options: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plain = IncrementalDecoder.logits

    def decided(decoder: IncrementalDecoder, states: torch.Tensor) -> torch.Tensor:
        logits = plain(decoder, states)
        logits[:, EOS] = 1000 if ends else -1000
        return logits

    monkeypatch.setattr(IncrementalDecoder, "logits", decided)
    translated(options, tmp_path, "\na dog runs\nbirds sing\n", "--nbest", nbest)
    said = "translations without an end: 2, the first of line 2. The search stopped them at 2 subwords more"
    assert (said in capsys.readouterr().err) != ends


def test_the_report_has_the_search(options: list[str], tmp_path: Path) -> None:
    search = ["--beam-size", 3, "--alpha", 0.5, "--max-extra-tokens", 7]
    translated(options, tmp_path, "a dog runs\n", *search, "--report", tmp_path / "report.json")
    assert read_artifact(tmp_path / "report.json", "decoding") == {
        "search": {"beam_size": 3, "alpha": 0.5, "max_extra_tokens": 7, "precision": "fp32"}
    }


def test_a_list_of_the_best_hypotheses(
    options: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In Moses' format, whose first hypothesis of each line is the translation."""
    plain = IncrementalDecoder.logits

    def ending(decoder: IncrementalDecoder, states: torch.Tensor) -> torch.Tensor:
        """Make EOS likely, which a model with random weights hardly ever writes."""
        logits = plain(decoder, states)
        logits[:, EOS] += 4
        return logits

    monkeypatch.setattr(IncrementalDecoder, "logits", ending)
    text, report = "a dog runs\n\nbirds sing\n", ["--report", tmp_path / "report.json"]
    translations = translated(options, tmp_path, text, "--nbest", 3, *report).splitlines()
    assert read_artifact(tmp_path / "report.json", "decoding")["search"]["nbest"] == 3
    rows = [row.split(" ||| ") for row in (tmp_path / "out.nbest").read_text().splitlines()]
    assert [row[0] for row in rows] == ["0", "0", "0", "1", "2", "2", "2"]
    assert [rows[n][1] for n in (0, 3, 4)] == translations
    assert rows[3] == ["1", "", "logP= 0.000000", "0.000000"]
    totals = [float(row[3]) for row in rows]
    assert totals[:3] == sorted(totals[:3], reverse=True)
    assert all(float(row[2].removeprefix("logP= ")) <= float(row[3]) for row in rows)


def test_a_bar_in_a_hypothesis_is_escaped() -> None:
    found = Hypothesis([3], -1.5, -1.25)
    assert translate.nbest_line(7, "a ||| b", found) == (
        "7 ||| a &#124;&#124;&#124; b ||| logP= -1.500000 ||| -1.250000\n"
    )


def test_a_person_at_a_terminal(options: list[str]) -> None:
    """Each line is translated before the next is typed, and Ctrl-C ends the program without a traceback."""
    terminal, end = pty.openpty()
    command = [sys.executable, translate.__file__, *options]
    with subprocess.Popen(
        command, stdin=end, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "latin-1"},
        # Tests that run in the background ignore Ctrl-C, and their children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        answers = []
        for line in ("a dog runs", "", "Ж漢字🙂"):
            os.write(terminal, line.encode() + b"\n")
            answers.append(process.stdout.readline().decode("utf-8"))
        process.send_signal(signal.SIGINT)
        # A process that does not end must not keep the tests waiting.
        killer = threading.Timer(60, process.kill)
        killer.start()
        _, said = process.communicate()
        killer.cancel()
    os.close(terminal)
    os.close(end)
    assert all(answer.endswith("\n") for answer in answers)
    assert answers[0] != answers[1] == "\n"
    assert process.returncode == 128 + signal.SIGINT
    assert said == b"interrupted\n"


def test_input_that_cannot_be_read(options: list[str], tmp_path: Path) -> None:
    line = [*options, "--input", tmp_path / "in", "--output", tmp_path / "out"]
    assert "in: no such file" in tiny.error("translate", *line)
    (tmp_path / "in").write_bytes(b"a dog\nruns\nfar \xff and\n")
    assert "in, line 3: not UTF-8 (0xff at byte 5)" in tiny.error("translate", *line)
    assert not list(tmp_path.glob("*out*"))


def test_the_folder_of_a_run_instead_of_its_model(
    options: list[str], tiny_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "averaged").symlink_to(tiny_model)
    said = f"{tmp_path} is the folder of a run; its model is {tmp_path}/averaged"
    assert said in tiny.error("translate", *options, "--model", tmp_path)


def test_a_gpu_with_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches that are too large are halved until they fit; a single sentence that does not fit is an error."""
    sizes: list[int] = []
    plain, most = translation.beam_search, 3

    def small_memory(model: SearchModel, source: torch.Tensor, *rest: Any) -> Any:
        sizes.append(len(source))
        if len(source) > most:
            raise torch.OutOfMemoryError
        return plain(model, source, *rest)

    model, sources = tiny.model(20), [[3 + n, 4] for n in range(10)]
    beam = tiny.beam(2, 0.6, 4)
    expected = tiny.best(translation.translate(SearchModel(model), sources, beam, 10_000))
    monkeypatch.setattr(translation, "beam_search", small_memory)
    assert tiny.best(translation.translate(SearchModel(model), sources, beam, 10_000)) == expected
    assert sizes == [10, 5, 2, 2, 2, 2, 2]
    most = 1
    assert tiny.best(translation.translate(SearchModel(model), sources, beam, 10_000)) == expected
    assert sizes[7:] == [10, 5, 2, *[1] * 10]
    most = 0
    with pytest.raises(torch.OutOfMemoryError):
        translation.translate(SearchModel(model), sources, beam, 10_000)


def test_perplexity(tiny_run: Path, tiny_model: Path, tmp_path: Path) -> None:
    """Its sum is that of validation, and each sentence's is that of the sentence alone."""
    output = tmp_path / "perplexity.json"
    line = ["--model", tiny_model, "--data", tiny_run / "data", "--split", "dev", "--output", output]
    assert tiny.run(score_perplexity.main, *line) == 0
    found = json.loads(output.read_text())["dev"]
    dataset, (loaded, _) = TokenizedDataset.open(tiny_run / "data" / "dev"), load_model(tiny_model)
    nll, tokens = score_perplexity.negative_log_likelihood(loaded, dataset, 4096, ProcessGroup(0, 1, CPU))
    expected = {"perplexity": math.exp(nll / tokens), "tokens": tokens, "nll": nll}
    assert found == pytest.approx(expected, rel=1e-6)
    rows = pd.read_csv(tmp_path / "perplexity.csv")
    assert rows["nll"].sum() == pytest.approx(found["nll"], abs=1e-4)
    alone = score_perplexity.likelihoods_of_sentences(loaded, dataset, 1)
    assert list(rows["nll"]) == pytest.approx(alone.tolist(), rel=1e-5)
    assert list(rows["tokens"]) == list(dataset.target.lengths)
