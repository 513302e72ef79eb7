"""The JavaScript of the page in node, beside the Python that it repeats."""

import base64
import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from transformer.common.files import read_lines, sha256_of
from transformer.common.special_tokens import EOS
from transformer.inspection.word_attention import attention_weights
from transformer.model.transformer import Transformer, shift_right
from transformer.page import pack_models
from transformer.page.pack_models import ModelFiles
from transformer.run_folder import beam_of
from transformer.settings.run_settings import BeamConfig
from transformer.subwords.vocabularies import vocabulary_files

NODE = shutil.which("node")
PROGRAM = "".join(Path(pack_models.__file__).with_name(name).read_text() for name in pack_models.SCRIPTS)
# What the page does with each sentence, or with ids that have no EOS, of which the logits are asked for.
ANSWERS = """
({ config, weights, beam, inputs, vocabulary: pieces }) => {
const model = new Transformer(config, readTensors(unpacked(weights))), vocabulary = pieces && new Vocabulary(pieces);
return inputs.map(input => {
  const start = performance.now(), isText = typeof input === "string";
  const { ids, words } = isText ? vocabulary.encode(input) : { ids: input };
  const source = [...ids, EOS], isParser = isText && vocabulary.isParser;
  const constraint = isParser ? new TreeConstraint(vocabulary.symbols, vocabulary.firstId, words.length) : undefined;
  const { tokens } = beamSearch(model, source, beam, constraint).best;
  const written = isText ? vocabulary.decode(tokens) : "";
  const text = isParser ? brackets(treeOf(written.split(" "), words)) : written;
  const ms = performance.now() - start, weights = {}, paths = [PAD, ...tokens].map((_, t) => [...Array(t + 1).keys()]);
  const logits = isText ? [] : [...model.logits(model.decode(model.encode(source), [PAD, ...tokens], paths))];
  for (const [kind, layers] of Object.entries(model.attentionWeights(source, tokens))) {
    weights[kind] = layers.flat(2).map(row => [...row]);
  }
  return { ids, tokens, text, ms, logits, weights };
}); }
"""


@dataclass(frozen=True)
class Answer:
    """What the page computes for a sentence; the ids have no EOS."""

    ids: list[int]
    tokens: list[int]
    text: str
    ms: float
    logits: list[float]  # of all tokens and EOS, one after the other, if ids were given
    # Of each layer, head and query, those of the keys up to the last one seen.
    weights: dict[str, list[list[float]]]

    def differences(self, model: Transformer) -> tuple[float, float]:
        """Compare logits and attention weights with those of ``model`` while it reads the same ids."""
        source, output = torch.tensor([[*self.ids, EOS]]), torch.tensor([[*self.tokens, EOS]])
        attention = 0.0
        if model.config.encoder_layer == "self-attention":
            for kind, expected in attention_weights(model, source, shift_right(output)).items():
                for row, found in zip(expected.flatten(0, 2).numpy(), self.weights[kind], strict=True):
                    padded = np.pad(found, (0, len(row) - len(found)))
                    attention = max(attention, float(np.abs(row - padded).max()))
        with torch.no_grad():
            logits = model(source, shift_right(output)).flatten().numpy() if self.logits else np.zeros(0)
        return float(np.abs(logits - self.logits).max(initial=0)), attention


def evaluated(expression: str, argument: Any) -> Any:
    """Return the value of a JavaScript expression of ``argument``, which knows the page's classes and functions."""
    read = "JSON.parse(require('fs').readFileSync(0, 'utf8'))"
    program = f"(argument => {{ {PROGRAM} process.stdout.write(JSON.stringify({expression})); }})({read});"
    assert NODE is not None
    run = subprocess.run([NODE, "-e", program], input=json.dumps(argument), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)


def asked(
    config: Mapping[str, Any],
    weights: bytes | str,
    beam: BeamConfig,
    inputs: Sequence[str | Sequence[int]],
    vocabulary: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what to ask a model, with the bytes of a safetensors file or the text of a page's weights."""
    encoded = weights if isinstance(weights, str) else base64.b64encode(weights).decode()
    asked = {"config": config, "weights": encoded, "beam": vars(beam), "inputs": inputs}
    return asked | {"vocabulary": vocabulary}


def answers(models: Sequence[dict[str, Any]]) -> list[list[Answer]]:
    """Return what the page makes of the inputs of each of the models that are :func:`asked`."""
    found = evaluated(f"argument.map({ANSWERS})", models)
    return [[Answer(**answer) for answer in of_model] for of_model in found]


def files_of(project: Path, scale: str, run: str, pair: str) -> ModelFiles:
    """Return the files of a trained model of ``project``."""
    folder = project / "results" / scale / "runs" / run / pair
    subwords, symbols = vocabulary_files(pair, project / "data" / scale)
    example, _ = sentences_of(project, scale, run, pair)
    beam, averaged = beam_of(folder, "averaged", symbols is not None), folder / "averaged"
    sha256 = sha256_of(averaged / "model.safetensors")
    return ModelFiles(run, pair, averaged, subwords, symbols, beam, example[0], sha256)


def sentences_of(project: Path, scale: str, run: str, pair: str) -> tuple[list[str], list[str]]:
    """Return the sentences of the test set, and what the pipeline made of them."""
    source, target = pair.split("-")
    text = project / "data" / scale / "clean" / pair / f"test.{source}"
    folder = project / "results" / scale / "runs" / run / pair
    output = folder / "constrained.trees" if run.startswith("parser") else folder / f"test.{target}"
    return list(read_lines(text)), list(read_lines(output))
