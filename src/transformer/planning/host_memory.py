"""The memory of a node that each kind of job needs, which the rules of the pipeline ask for.

What lies in a GPU's memory is not part of it.  docs/notes/performance.md compares the estimates for CPUs with
measurements.
"""

import math
import os
from pathlib import Path
from typing import Any

from transformer.common.sizes import BATCH_TOKENS, PARSING_BATCH
from transformer.planning.plan import LOADED, parameters, training_memory
from transformer.settings.run_settings import TransformerConfig
from transformer.settings.settings import PARSERS, Settings

# Assumed for a process that has loaded torch and uses a GPU: CUDA's libraries and context, NCCL's buffers, and batches
# in page-locked memory.
LOADED_FOR_GPU = 4e9
LAUNCHER = 5e8  # the process that starts the others
# The kernels of oneDNN that portable numerics keep, one for each shape of a product, at most 4096, as measured with the
# demo's base and its parser, whose lengths vary more.
KERNELS, KERNELS_OF_PARSER = 0.9e9, 2.5e9
PER_PAIR = 50  # bytes per sentence pair, to divide an epoch into batches (docs/notes/performance.md)
# No job took over 1.06 times its estimate; the rest is for sentences and machines on which none was measured.
MARGIN = 1.25
TREE_SYMBOLS = 100  # the tags and labelled brackets of a treebank


def training_mb(settings: Settings, run: str, pair: str, on_gpu: bool) -> int:
    """Return the MB that training needs, for all of its processes together."""
    model, hardware = model_of(settings, run, pair), settings.hardware(run, pair)
    processes = settings.processes(run, pair)
    weights = 4 * parameters(model)
    # On a GPU, the weights are initialised on the host, and a checkpoint copies them and both of Adam's moments there.
    process = LOADED_FOR_GPU + 4 * weights if on_gpu else training_memory(model, hardware["max_tokens"])
    if settings.run(run, pair)["training"]["numerics"] == "portable":
        process += KERNELS_OF_PARSER if pair in PARSERS.values() else KERNELS
    process += PER_PAIR * settings.expected[pair].pairs
    launcher = LAUNCHER if processes > 1 else 0
    return megabytes(launcher + processes * process)


def decoding_mb(settings: Settings, run: str, pair: str, on_gpu: bool) -> int:
    """Return the MB that translating or parsing with a run's model needs."""
    model = model_of(settings, run, pair)
    weights = 3 * 4 * parameters(model)  # the file's, the model's, and those that are prepared for searches
    cache = cache_bytes(model, settings.decoding(run, pair), pair in PARSERS.values())
    return megabytes(weights + (LOADED_FOR_GPU if on_gpu else LOADED + cache))


def scoring_mb(settings: Settings, run: str, pair: str, on_gpu: bool) -> int:
    """Return the MB that measuring perplexity needs."""
    weights = 2 * 4 * parameters(model_of(settings, run, pair))
    return megabytes(weights + (LOADED_FOR_GPU if on_gpu else LOADED))


def averaging_mb(settings: Settings, run: str, pair: str, on_gpu: bool) -> int:
    """Return the MB that averaging checkpoints needs: a model, one file, their mean in float64 and in float32."""
    return megabytes(LOADED + (1 + 1 + 2 + 1) * 4 * parameters(model_of(settings, run, pair)))


def cache_bytes(model: TransformerConfig, decoding: dict[str, Any], parsing: bool) -> float:
    """Return the memory of the keys and values of a batch's hypotheses, which reordering does not copy.

    Sources of 32 tokens are assumed, and hypotheses as long as the settings allow.
    """
    source = 32
    hypotheses = BATCH_TOKENS["cpu"] * (PARSING_BATCH if parsing else 1) / source
    positions = source + decoding["max_extra_tokens"]
    return hypotheses * positions * model.N * model.h * (model.d_k + model.d_v) * 4


def model_of(settings: Settings, run: str, pair: str) -> TransformerConfig:
    """Return a run's model, with the sizes of its vocabularies that the settings ask for."""
    parsing = settings.parsing or {}
    if pair in settings.pairs:
        sizes = {"vocab_size": settings.subwords[pair]["vocab_size"]}
    else:
        source = parsing["silver" if pair == PARSERS["parser-semi"] else "subwords"]["vocab_size"]
        sizes = {"vocab_size": source, "target_vocab_size": TREE_SYMBOLS}
        if parsing["shared_vocabulary"]:
            sizes = {"vocab_size": source + TREE_SYMBOLS}
    return TransformerConfig(**sizes, **settings.run(run, pair)["model"])


def memory_here(cgroups: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> int:
    """Return the MB of memory that programs started here may use: the machine's, or less in a container or a slice."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    groups = own.read_text().splitlines() if own.exists() else []  # Linux only
    for _, controller, name in (group.split(":", 2) for group in groups):
        file = "memory.max" if not controller else "memory.limit_in_bytes"
        top = cgroups / (controller if controller == "memory" else "")
        folder = top / name.lstrip("/")
        for place in (folder, *folder.parents):
            if place.is_relative_to(cgroups) and (place / file).exists():
                limits += [int(text) for text in [(place / file).read_text().strip()] if text != "max"]
    return min(limits) // 10**6


def megabytes(count: float) -> int:
    """Return a number of bytes, with a margin, as MB, rounded up to hundreds."""
    return 100 * math.ceil(MARGIN * count / 1e8)
