"""How fast base and big train on one device, with each way to train switched on and off.

A step has 25,000 source and 25,000 target tokens, of which the speed counts both, without padding.  It includes making
the batches, Adam, and reading the loss.  Utilisation is the operations of ``model/flops.py`` (products only) divided by
those of the device's peak in the same time.
"""

import dataclasses
import re
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch
import yaml
from campaign_record import Item
from torch.profiler import ProfilerActivity, profile
from workload import Sizes, Way, make_model, synchronize, training

from transformer.dataset.padding import Batch
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.config import TransformerConfig
from transformer.model.device import device_name
from transformer.model.flops import training_flops
from transformer.model.transformer import parameter_count
from transformer.training.checkpoints import Checkpoints
from transformer.training.micro_batches import Work
from transformer.training.trainer import Trainer

STAGE = "speed"
GPUS = 8
DEVICES = Path(__file__).parents[2] / "resources" / "devices.yaml"
# Bytes a second of an all-reduce among 8 GPUs by NVLink, as "bus bandwidth": half of an H100's 900 GB/s to and fro is
# the most there is.  Two thirds of that are assumed.
BUS = 300e9
WAITS = {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize"}
PROFILED_STEPS = 3


def items(sizes: Sizes, data: Callable[[], TokenizedDataset], device: torch.device) -> list[Item]:
    """Return the measurements, the most valuable first."""
    listed = [Item("peak", 20, partial(measure_peak, sizes, device))]
    everything = ways(sizes.batch_tokens)
    first = ("usual", "an eighth of the batch")
    for names in (first, tuple(name for name in everything if name not in first)):
        for model, settings in sizes.models.items():
            listed += [
                Item(
                    f"{model}: {name}",
                    20,
                    partial(measure_way, sizes, data, device, settings, everything[name]),
                )
                for name in names
            ]
            of_model = (sizes, data, device, settings)
            if names == first:
                listed.append(Item(f"{model}: profile", 60, partial(measure_profile, *of_model)))
            else:
                listed.append(Item(f"{model}: checkpoints", 60, partial(measure_checkpoints, *of_model)))
    return listed


def ways(whole: int) -> dict[str, Way]:
    """Return the ways to train by name; most differ from the first in one thing."""
    usual = Way(whole, max_tokens=whole)
    change = partial(dataclasses.replace, usual)
    return {
        "usual": usual,
        "an eighth of the batch": change(batch_tokens=whole // 8, max_tokens=whole // 8),
        "max_tokens a half": change(max_tokens=whole // 2),
        "max_tokens a quarter": change(max_tokens=whole // 4),
        "max_tokens an eighth": change(max_tokens=whole // 8),
        "fp32": change(precision="fp32"),
        "fp32 with tf32 products": change(precision="fp32", tf32=True),
        "fp16": change(precision="fp16"),
        "plain attention": change(fused=False),
        "no thread for batches": change(thread=False),
        "unpinned memory": change(pinned=False),
        "loss read every step": change(read_every=1),
        "lengths padded to 8": change(multiple=8),
        "all of these off": change(
            max_tokens=whole // 8, precision="fp32", fused=False, thread=False, pinned=False, read_every=1, multiple=8
        ),
    }  # fmt: skip


def measure_peak(sizes: Sizes, device: torch.device) -> dict[str, Any]:
    """Return the rate of one large bf16 product of random matrices, and the peak that the maker of the GPU names."""
    n = sizes.matrix
    a, b = (torch.randn(n, n, device=device).bfloat16() for _ in range(2))
    for _ in range(3):
        a @ b
    synchronize(device)
    started = time.perf_counter()
    for _ in range(10):
        a @ b
    synchronize(device)
    name = device_name(device)
    devices = yaml.safe_load(DEVICES.read_text(encoding="utf-8")).values()
    nominal = next((kind["capacity"] for kind in devices if re.search(kind["names"], name)), None)
    return {
        "device": name,
        "flops": 10 * 2 * n**3 / (time.perf_counter() - started),
        "nominal_flops": nominal,
    }


def measure_way(
    sizes: Sizes,
    data: Callable[[], TokenizedDataset],
    device: torch.device,
    settings: dict[str, Any],
    way: Way,
) -> dict[str, Any]:
    """Return the speed of one way to train."""
    dataset = data()
    with training(make_model(settings, sizes.vocabulary), dataset, device, way) as trainer:
        work = trainer.work()
        started = time.perf_counter()
        take_steps(trainer, work, sizes.warm_up_steps, way.read_every)
        warm_up = time.perf_counter() - started
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(device)
        started = time.perf_counter()
        done = take_steps(trainer, work, sizes.steps, way.read_every)
        seconds = time.perf_counter() - started
        work.close()  # type: ignore[attr-defined]
        memory = torch.cuda.max_memory_allocated(device) if device.type == "cuda" else None
    tokens = sum(one.source_tokens + one.target_tokens for one in done)
    config = trainer.model.config
    return {
        "tokens_per_second": round(tokens / seconds),
        "ms_a_step": round(1000 * seconds / len(done), 2),
        "tokens_a_step": round(tokens / len(done)),
        "micro_batches": trainer.worklist.count,
        "peak_memory": memory,
        "warm_up_seconds": round(warm_up, 1),
        "flops_of_tokens": sum(flops_of_tokens(config, batch) for one in done for batch in one.micro_batches)
        / seconds,
        "flops_of_positions": sum(
            flops_of_positions(config, batch) for one in done for batch in one.micro_batches
        )
        / seconds,
        "parameters": parameter_count(trainer.model),
        "way": dataclasses.asdict(way),
    }


def take_steps(trainer: Trainer, work: Any, steps: int, read_every: int) -> list[Work]:
    """Train for some steps, read the loss as often as ``Trainer.train`` does, and wait for the device."""
    done = []
    for _ in range(steps):
        one = next(work)
        loss = trainer.train_step(one)
        if trainer.state.step % read_every == 0:
            trainer.read_loss(loss, one.target_tokens)
        done.append(one)
    synchronize(trainer.group.device)
    return done


def flops_of_positions(config: TransformerConfig, batch: Batch) -> int:
    """Return the operations on all positions of a micro-batch, padding included; the softmax skips padding."""
    (B, S), T = batch.source.shape, batch.target.shape[1]
    skipped = B * T - len(batch.targets)
    return training_flops(config, B, S, T) - 3 * 2 * config.d_model * config.output_size * skipped


def flops_of_tokens(config: TransformerConfig, batch: Batch) -> int:
    """Return the operations that the sentences of a micro-batch need, each by itself."""
    lengths = [(side != 0).sum(1).tolist() for side in (batch.source, batch.target)]
    return sum(training_flops(config, 1, S, T) for S, T in zip(*lengths, strict=True))


def measure_profile(
    sizes: Sizes, data: Callable[[], TokenizedDataset], device: torch.device, settings: dict[str, Any]
) -> dict[str, Any]:
    """Return kernels started, copies and waits of the host for a step, and the share of time that the GPU is busy."""
    way = Way(sizes.batch_tokens, sizes.batch_tokens)
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if device.type == "cuda" else [])]
    with training(make_model(settings, sizes.vocabulary), data(), device, way) as trainer:
        work = trainer.work()
        take_steps(trainer, work, max(3, sizes.warm_up_steps), way.read_every)
        prepared = [next(work) for _ in range(PROFILED_STEPS)]
        synchronize(device)
        with profile(activities=activities) as profiler:
            started = time.perf_counter()
            for one in prepared:
                trainer.train_step(one)
            launched = time.perf_counter() - started
            synchronize(device)
            seconds = time.perf_counter() - started
        work.close()  # type: ignore[attr-defined]
    events = profiler.key_averages()
    counts = {event.key: event.count / PROFILED_STEPS for event in events}
    busy = sum(
        event.self_device_time_total for event in events if event.device_type.name != "CPU"
    )  # µs on the GPU
    return {
        "kernels": sum(count for name, count in counts.items() if "LaunchKernel" in name),
        "copies": sum(count for name, count in counts.items() if name.startswith("cudaMemcpy")),
        # One wait is the one at the end of this measurement.
        "waits": max(0, sum(counts.get(name, 0) for name in WAITS) - 1 / PROFILED_STEPS),
        "operations": sum(count for name, count in counts.items() if name.startswith("aten::")),
        "casts": counts.get("aten::_to_copy", 0),
        "ms_a_step_of_host": round(1000 * launched / PROFILED_STEPS, 2),
        "ms_a_step": round(1000 * seconds / PROFILED_STEPS, 2),
        "busy_share": round(busy / 1e6 / seconds, 3),
        "longest_kernels_ms_a_step": {
            event.key[:60]: round(event.self_device_time_total / 1000 / PROFILED_STEPS, 2)
            for event in sorted(events, key=lambda event: -event.self_device_time_total)[:8]
            if event.device_type.name != "CPU"
        },
    }


def measure_checkpoints(
    sizes: Sizes, data: Callable[[], TokenizedDataset], device: torch.device, settings: dict[str, Any]
) -> dict[str, Any]:
    """Return how long training stops for a checkpoint that a thread writes, and for one that it waits for."""
    way = Way(sizes.batch_tokens, sizes.batch_tokens)
    with training(make_model(settings, sizes.vocabulary), data(), device, way) as trainer:
        work = trainer.work()
        take_steps(trainer, work, 2, way.read_every)
        found: dict[str, Any] = {}
        folder = trainer.checkpoints.folder
        for name, wait in (("asynchronous", False), ("synchronous", True)):
            checkpoints = Checkpoints(folder / name, keep=1)
            started = time.perf_counter()
            checkpoints.save(trainer.model, trainer.optimizer, trainer.state)
            if wait:
                checkpoints.wait()
            found[f"{name}_stop_seconds"] = round(time.perf_counter() - started, 3)
            while_writing = time.perf_counter()
            take_steps(trainer, work, sizes.steps // 2, way.read_every)
            found[f"{name}_ms_a_step_after"] = round(
                1000 * (time.perf_counter() - while_writing) / (sizes.steps // 2), 2
            )
            checkpoints.wait()
        work.close()  # type: ignore[attr-defined]
        found["bytes"] = sum(path.stat().st_size for path in (folder / "synchronous").rglob("*.safetensors"))
    return found


def communication(whole: Mapping[str, Any], eighth: Mapping[str, Any]) -> dict[str, float]:
    """Return the estimated share of linear speed-up on 8 GPUs, from steps of one GPU with all and 1/8 of the tokens.

    A ring sends 2 · 7/8 of the gradients' bytes (fp32) over each link.  ``counted`` compares a step of 1/8 of the
    tokens with and without that time, not overlapped with the backward pass at all or entirely; ``from_whole``
    compares with an eighth of the whole batch's time, so that it contains what smaller batches lose, too.
    """
    sent = 2 * (GPUS - 1) / GPUS * 4 * eighth["parameters"]
    seconds, part, linear = sent / BUS, eighth["ms_a_step"] / 1000, whole["ms_a_step"] / 1000 / GPUS
    return {
        "bytes": sent,
        "milliseconds": 1000 * seconds,
        "counted_without_overlap": part / (part + seconds),
        "counted_with_overlap": part / max(part, seconds),
        "from_whole_without_overlap": linear / (part + seconds),
        "from_whole_with_overlap": linear / max(part, seconds),
    }
