"""Whether a device computes what the CPU computes, and what it repeats.

Masks of dropout belong to sentences, so they are the same on every device, and losses, gradients and steps of Adam can
be compared with dropout on.  Each test returns its figures and ``passed``.
"""

import dataclasses
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from campaign_record import Item
from torch import Tensor
from workload import BASE, SEED, TINY, Way, make_model, make_trainer, training

from transformer.common.files import sha256_of
from transformer.dataset.tokenized import TokenizedDataset
from transformer.decoding.beam_search import BeamConfig, Hypothesis
from transformer.decoding.translation import translate
from transformer.model.storage import load_tensors
from transformer.model.transformer import Transformer
from transformer.training.checkpoints import Checkpoints, step_of
from transformer.training.trial import Trial

STAGE = "device tests"
CPU = torch.device("cpu")
VOCABULARY = 1000
TOKENS = 2000  # a side of a batch
CLOSE = 1e-4  # relative difference in fp32
# Of gradients: ReLU's jumps at 0, so rounding in the forward pass decides it for some units.  Half a unit in the last
# place of each weight changes the gradients of base by 4e-5 on a CPU; an H100's other order of sums by 2e-4.
GRADIENT_CLOSE = 1e-3
UPDATE_CLOSE = 1e-2  # of Adam's updates: where a gradient is near 0, rounding decides its sign
# Relative differences of 16-bit formats from fp32: of the loss, and of all gradients as one vector.
BOUNDS = {"bf16": (1e-2, 1e-1), "fp16": (2e-3, 2e-2)}
BEAM = BeamConfig(beam_size=4, alpha=0.6, max_extra_tokens=20)
ENCODER_LAYERS = ("recurrent", "convolutional", "restricted")

Figures = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The losses of some steps, the first gradient and the weights before and after, on the CPU."""

    losses: list[float]
    gradient: dict[str, Tensor]
    before: dict[str, Tensor]
    after: dict[str, Tensor]


@dataclasses.dataclass(frozen=True)
class Tests:
    """The tests of one device."""

    device: torch.device
    data: TokenizedDataset
    settings: dict[str, Any]  # of the model
    tokens: int

    def items(self) -> list[Item]:
        """Return the tests, the most valuable first."""
        listed: list[tuple[str, float, Callable[[], Figures]]] = [
            ("fp32 equals the CPU", 60, self.equals_cpu),
            ("bf16 is close to fp32", 20, partial(self.is_close, "bf16")),
            ("fp16 is close to fp32", 20, partial(self.is_close, "fp16")),
            ("accumulated equals whole", 20, self.accumulates),
            ("fused attention equals plain", 20, self.fused_equals_plain),
            ("beam search equals the reference", 60, self.beam_equals_reference),
            ("beam search equals the CPU", 60, self.beam_equals_cpu),
            ("resume, deterministic", 40, partial(self.resumes, deterministic=True)),
            ("resume, not deterministic", 40, partial(self.resumes, deterministic=False)),
            *((f"{layer} encoder equals the CPU", 30, partial(self.equals_cpu, layer)) for layer in ENCODER_LAYERS),
        ]  # fmt: skip
        if self.device.type == "cuda":
            listed += [
                ("a step never waits", 20, self.never_waits),
                ("out of memory divides the batch", 40, self.fits_memory),
            ]
        return [Item(*one) for one in listed]

    def way(self, **changes: Any) -> Way:
        return dataclasses.replace(Way(self.tokens, self.tokens, precision="fp32"), **changes)

    def train(self, device: torch.device, way: Way, steps: int = 3, **model: Any) -> Outcome:
        """Train for some steps with a rate that rises to a few times the paper's, and return what came of it."""
        network = make_model(self.settings, VOCABULARY, **model)
        losses = []
        with training(network, self.data, device, way, warmup_steps=400) as trainer:
            before = copies(trainer.model)
            gradient: dict[str, Tensor] = {}
            work = trainer.work()
            step = trainer.scaler.step

            def keep_gradient(optimizer: torch.optim.Optimizer) -> Any:
                if not gradient:
                    trainer.scaler.unscale_(optimizer)
                    gradient.update(
                        {name: p.grad.cpu() for name, p in network.named_parameters() if p.grad is not None}
                    )
                return step(optimizer)

            trainer.scaler.step = keep_gradient  # type: ignore[method-assign]
            for _ in range(steps):
                one = next(work)
                losses.append(trainer.read_loss(trainer.train_step(one), one.target_tokens))
            work.close()  # type: ignore[attr-defined]
            return Outcome(losses, gradient, before, copies(trainer.model))

    def compare(self, there: Outcome, here: Outcome) -> Figures:
        """Return the relative differences of two trainings in fp32, and whether all are small."""
        figures = {
            "loss": max(abs(a / b - 1) for a, b in zip(there.losses, here.losses, strict=True)),
            "gradient": distance(there.gradient, here.gradient),
            "worst_gradient": max(
                distance({name: there.gradient[name]}, {name: here.gradient[name]}) for name in here.gradient
            ),
            "update": distance(change(there), change(here)),
            "weights": max(float((there.after[n] - here.after[n]).abs().max()) for n in here.after),
        }
        small = max(figures["loss"], figures["weights"]) <= CLOSE and figures["gradient"] <= GRADIENT_CLOSE
        return {"passed": small and figures["update"] <= UPDATE_CLOSE, **figures}

    def equals_cpu(self, encoder_layer: str = "self-attention") -> Figures:
        """Losses, gradient and three steps of Adam are those of the CPU, and so is the output without dropout."""
        settings: dict[str, Any] = {"encoder_layer": encoder_layer}
        here = self.train(CPU, self.way(fused=False), **settings)
        there = self.train(self.device, self.way(), **settings)
        model = make_model(self.settings, VOCABULARY, **settings).eval()
        source, target = tokens(8, 30), tokens(8, 25)
        with torch.no_grad():
            expected = model(source, target)
            found = model.to(self.device)(source.to(self.device), target.to(self.device)).cpu()
        forward = float((found - expected).abs().max() / expected.abs().max())
        figures = self.compare(there, here)
        return figures | {"passed": figures["passed"] and forward <= CLOSE, "forward": forward}

    def is_close(self, precision: str) -> Figures:
        """Loss and gradient in 16 bits are within the stated bounds of those in fp32, and training goes as well."""
        exact = self.train(self.device, self.way(), steps=20)
        rough = self.train(self.device, self.way(precision=precision), steps=20)
        loss, gradient = BOUNDS[precision]
        figures: Figures = {
            "loss": max(abs(a / b - 1) for a, b in zip(rough.losses, exact.losses, strict=True)),
            "gradient": distance(rough.gradient, exact.gradient),
            "bounds": [loss, gradient],
        }
        return {"passed": figures["loss"] <= loss and figures["gradient"] <= gradient, **figures}

    def accumulates(self) -> Figures:
        """Four micro-batches give the gradient of the whole batch."""
        parts = self.train(self.device, self.way(max_tokens=-(-self.tokens // 4)))
        return self.compare(parts, self.train(self.device, self.way()))

    def fused_equals_plain(self) -> Figures:
        return self.compare(
            self.train(self.device, self.way()), self.train(self.device, self.way(fused=False))
        )

    def beam_equals_reference(self) -> Figures:
        """The best hypotheses are those of a search without batches and cache, which runs on the CPU."""
        import reference  # tests/decoding/reference.py; the campaign puts its folder on the path of this process

        model = make_model(TINY | {"N": 2, "d_model": 24}, 20, dropout=0.0).eval()
        sources = [tokens(1, length, 20, seed)[0].tolist() for seed, length in enumerate([2, 5, 9, 3] * 5)]
        expected = [
            reference.beam_search(model, [*source, 1], BEAM.beam_size, BEAM.alpha, BEAM.max_extra_tokens)
            for source in sources
        ]
        found = ids(translate(model.to(self.device), sources, BEAM, 4096))
        same = sum(a == b for a, b in zip(found, expected, strict=True))
        return {"passed": same == len(sources), "same": same, "sentences": len(sources)}

    def beam_equals_cpu(self) -> Figures:
        """The model finds the hypotheses of the CPU in fp32; how many it finds in bf16 is only reported."""
        model = make_model(self.settings, VOCABULARY, dropout=0.0).eval()
        sources = [tokens(1, 5 + seed % 30, VOCABULARY, seed)[0].tolist() for seed in range(48)]
        expected = ids(translate(model, sources, BEAM, 4096))
        model.to(self.device)
        same = {}
        for precision in ("fp32", "bf16"):
            model.compute_with(precision)
            found = ids(translate(model, sources, BEAM, 65536))
            same[precision] = sum(a == b for a, b in zip(found, expected, strict=True))
        # Near ties may fall out otherwise.
        return {"passed": same["fp32"] >= 0.95 * len(sources), **same, "sentences": len(sources)}

    def resumes(self, deterministic: bool) -> Figures:
        """A training that stops after 4 of 8 steps ends with the bits of one that does not.

        Without deterministic algorithms, the difference is measured, and so is that of two whole trainings.
        """
        was = torch.are_deterministic_algorithms_enabled()
        torch.use_deterministic_algorithms(deterministic)
        try:
            with tempfile.TemporaryDirectory() as folder:
                whole, again, parts = (Path(folder, name) for name in ("whole", "again", "parts"))
                for place, ends in ((whole, [8]), (again, [8]), (parts, [4, 8])):
                    for steps in ends:
                        self.train_to(place, steps)
                hashes = {place: newest_hashes(place) for place in (whole, again, parts)}
                differences = {
                    name: difference(newest(place), newest(whole))
                    for name, place in (("repeated", again), ("resumed", parts))
                }
        finally:
            torch.use_deterministic_algorithms(was)
        exact = {
            "repeated_exactly": hashes[again] == hashes[whole],
            "resumed_exactly": hashes[parts] == hashes[whole],
        }
        return {"passed": all(exact.values()) or not deterministic, **exact, **differences}

    def train_to(self, folder: Path, steps: int) -> None:
        """Train in ``folder`` until this step, from its newest checkpoint."""
        model = make_model(self.settings, VOCABULARY)
        make_trainer(model, self.data, self.device, folder, self.way(), steps=steps, warmup_steps=400).train()

    def never_waits(self) -> Figures:
        """A training step asks the GPU for no value; torch raises an error where it would."""
        with training(
            make_model(self.settings, VOCABULARY), self.data, self.device, self.way(precision="bf16")
        ) as trainer:
            work = trainer.work()
            for _ in range(3):
                trainer.train_step(next(work))
            prepared = next(work)
            torch.cuda.synchronize()
            torch.cuda.set_sync_debug_mode("error")
            try:
                trainer.train_step(prepared)
            finally:
                torch.cuda.set_sync_debug_mode("default")
            work.close()  # type: ignore[attr-defined]
        return {"passed": True}

    def fits_memory(self) -> Figures:
        """With a memory that is too small, a batch is divided before the first step, and its loss stays the same."""
        expected = self.train(self.device, self.way()).losses
        counts, losses = [], []
        torch.cuda.empty_cache()
        network = make_model(self.settings, VOCABULARY)
        with training(network, self.data, self.device, self.way(), warmup_steps=400) as trainer:
            counts.append(trainer.worklist.count)
            total = torch.cuda.mem_get_info(self.device)[1]
            held = torch.cuda.memory_reserved(self.device)
            # Gradients and moments take three times the weights; 200 MB remain for a micro-batch.
            room = held + 3 * 4 * sum(p.numel() for p in trainer.model.parameters()) + 2e8
            torch.cuda.set_per_process_memory_fraction(room / total)
            try:
                Trial(
                    trainer.objective, trainer.optimizer, trainer.worklist, trainer.group, trainer.autocast
                ).fit_memory()
                counts.append(trainer.worklist.count)
                work = trainer.work()
                for _ in expected:
                    one = next(work)
                    losses.append(trainer.read_loss(trainer.train_step(one), one.target_tokens))
                work.close()  # type: ignore[attr-defined]
            finally:
                torch.cuda.set_per_process_memory_fraction(1.0)
        same = max(abs(a / b - 1) for a, b in zip(losses, expected, strict=True))
        return {
            "passed": counts[1] > counts[0] and same <= CLOSE,
            "micro_batches": counts,
            "loss": same,
        }


def make_tests(data: TokenizedDataset, device: torch.device, rehearse: bool) -> Tests:
    """Return the tests of ``device``, with the base model and a small vocabulary; tiny in a rehearsal."""
    return Tests(device, data, TINY if rehearse else BASE, 300 if rehearse else TOKENS)


def tokens(rows: int, length: int, vocabulary: int = VOCABULARY, seed: int = SEED) -> Tensor:
    """Return random ids without PAD and EOS, (rows, length)."""
    return torch.randint(3, vocabulary, (rows, length), generator=torch.Generator().manual_seed(seed))


def ids(found: list[list[Hypothesis]]) -> list[list[int]]:
    """Return the best hypothesis of each sentence, whose score may differ in its last digits."""
    return [best.tokens for (best,) in found]


def copies(model: Transformer) -> dict[str, Tensor]:
    """Return the weights, copied to the CPU."""
    return {name: weight.detach().to("cpu", copy=True) for name, weight in model.named_parameters()}


def change(outcome: Outcome) -> dict[str, Tensor]:
    """Return how far training moved each weight."""
    return {name: outcome.after[name] - outcome.before[name] for name in outcome.after}


def distance(there: dict[str, Tensor], here: dict[str, Tensor]) -> float:
    """Return the distance of two vectors in several parts, relative to the length of the second."""
    parts = [
        ((there[name] - here[name]).double().norm() ** 2, here[name].double().norm() ** 2) for name in here
    ]
    apart, length = (float(sum(side)) for side in zip(*parts, strict=True))
    return (apart / length) ** 0.5 if length else apart**0.5


def newest(folder: Path) -> Path:
    """Return the newest checkpoint in ``folder``."""
    return max(Checkpoints(folder, 2).kept(), key=step_of)


def newest_hashes(folder: Path) -> list[str]:
    """Return the sha256 of weights and moments in the newest checkpoint."""
    return [sha256_of(newest(folder) / f"{name}.safetensors") for name in ("model", "optimizer")]


def difference(there: Path, here: Path) -> float:
    """Return the relative distance of the weights of two checkpoints."""
    return distance(*(load_tensors(folder / "model.safetensors") for folder in (there, here)))
