"""Train and translate with portable numerics, here and on emulated processors, and compare every bit.

    python tests/campaigns/processors.py

QEMU's user mode (Debian's package qemu-user) emulates an Intel and an AMD with AVX2, fifty times slower than a real
one, and processors without AVX2 or FMA, which must say that they compute in fp32.  The models have the widths of the
demo's base, the kinds of layers and positions of all tables, and a few updates; they translate.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("src", "tests/helpers")]

from transformer.model.portable import LIMITS  # noqa: E402

EMULATED = ("Haswell", "EPYC-Rome")
# Without AVX2 or FMA.  On an older one, numpy crashes where the host is an AMD: its OpenBLAS chooses AVX2.
IN_FP32 = ("SandyBridge", "Haswell,-fma")
SAID = "computing in fp32"
STEPS = 2
BASE = {"d_model": 96, "d_ff": 384, "h": 8, "d_k": 12, "d_v": 12}
KINDS: dict[str, dict[str, Any]] = {
    "base": {"attention_dropout": 0.0, "relu_dropout": 0.0},
    "big": {"d_model": 192, "d_ff": 768, "d_k": 24, "d_v": 24},
    "one head": {"h": 1, "d_k": 96, "d_v": 96},
    "learned positions": {"positions": "learned"},
    "as in 2017": {"positions": "halves", "target_space": True, "attention_bias": True},
    "parser": {"positions": "words", "target_vocab_size": 20},
    "recurrent": {"encoder_layer": "recurrent"},
    "convolutional": {"encoder_layer": "convolutional"},
    "restricted": {"encoder_layer": "restricted"},
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--here", action="store_true", help="print this processor's sums as JSON")
    parser.add_argument("--processors", nargs="*", default=EMULATED, help="QEMU's names (Haswell EPYC-Rome)")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=[*KINDS], help="of models (all)")
    arguments = parser.parse_args()
    if arguments.here:
        print(json.dumps(sums(arguments.kinds)))
        return 0
    if not shutil.which("qemu-x86_64"):
        raise SystemExit("error: qemu-x86_64 is missing; install Debian's package qemu-user")
    expected = json.loads(on(None, arguments.kinds).stdout)
    differ = False
    for processor in arguments.processors:
        done = on(processor, arguments.kinds)
        found = json.loads(done.stdout) if done.returncode == 0 else {}
        for name, sha256 in expected.items():
            same = found.get(name) == sha256
            differ |= not same
            print(f"{processor:12} {name:32} {sha256[:12]} {'the same' if same else 'DIFFERS'}", flush=True)
    for processor in IN_FP32:
        done = on(processor, arguments.kinds[:1])
        works = done.returncode == 0 and SAID in done.stderr
        differ |= not works
        print(f"{processor:12} {'works in fp32' if works else 'DOES NOT WORK'}")
    return int(differ)


def on(processor: str | None, kinds: list[str]) -> subprocess.CompletedProcess[str]:
    """Run this program on an emulated processor, or on the real one."""
    emulator = ["qemu-x86_64", "-cpu", processor] if processor else []
    command = [*emulator, sys.executable, __file__, "--here", "--kinds", *kinds]
    # As src/transformer/workflow/reserve.py starts it, which sees the real processor.
    limits = {} if processor in IN_FP32 else LIMITS
    return subprocess.run(command, env=os.environ | limits, capture_output=True, text=True, check=False)


def sums(kinds: list[str]) -> dict[str, str]:
    """Return the sha256 of the weights, the figures and the translations of each kind of model."""
    # With SciPy, QEMU 7.2 crashes in numpy's sort; numpy's code for AVX2, run on a real processor, does not.
    sys.modules["scipy"] = None  # type: ignore[assignment]
    import tiny
    import torch

    from transformer.decoding.incremental import SearchModel
    from transformer.decoding.translation import translate
    from transformer.model.arithmetic import possible_numerics
    from transformer.model.positions import WordPositions
    from transformer.training.score_perplexity import negative_log_likelihood

    numerics = possible_numerics("portable")
    torch.set_num_threads(1)
    results: dict[str, str] = {}
    for kind in kinds:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            pairs = []
            for i in range(60):
                source = [2 + (7 * i + 3 * j + i * j) % 18 for j in range(1 + i % 13)]
                pairs.append((source, [2 + (5 * i + 7 * j) % 18 for j in range(1 + 3 * i % 11)]))
            store = tiny.dataset(folder / "train", pairs)
            settings: dict[str, Any] = {"batch_tokens": 400, "numerics": numerics, "steps": STEPS}
            trainer = tiny.trainer(folder, store, model=BASE | KINDS[kind], max_tokens=400, **settings)
            model = trainer.model
            if isinstance(model.positions, WordPositions):
                words = [id % 3 == 0 for id in range(20)]
                model.positions.set_words(words, words)
            trainer.train()
            model.eval()
            nll, _ = negative_log_likelihood(model, store, 400, trainer.group)
            sources = [store.source[n][:-1].tolist() for n in range(12)]
            hypotheses = translate(SearchModel(model), sources, tiny.beam(4, 0.6, 10), 400)
        weights = b"".join(tensor.numpy().tobytes() for tensor in model.state_dict().values())
        found = {
            "weights": weights,
            "likelihood": repr(nll).encode(),
            "hypotheses": repr(hypotheses).encode(),
        }
        results |= {f"{kind}: {what}": hashlib.sha256(content).hexdigest() for what, content in found.items()}
    return results


if __name__ == "__main__":
    sys.exit(main())
