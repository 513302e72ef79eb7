"""Measure what the paper says of dot products (footnote 4), positions (section 3.5) and heads (Figures 3 to 5).

    python src/transformer/inspection/measure_properties.py --model R/averaged --config R/config.json \\
        --subwords D/subwords/en-de/subwords.model --trees D/clean/trees/dev.trees D/clean/trees/test.trees \\
        --output results/demo/properties.json

Everything runs on the CPU in fp32.  Heads are left out without English trees, and so is a relation that few of their
sentences have.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from transformer.common.arguments import argument_parser
from transformer.common.artifacts import read_artifact, write_artifact
from transformer.common.errors import run_script
from transformer.common.files import sha256_of
from transformer.inspection.head_roles import Relation, find_cases, role
from transformer.inspection.relations import anaphora, subject
from transformer.model.positions import sinusoids
from transformer.model.storage import load_model
from transformer.model.transformer import Transformer
from transformer.parsing.trees import read_trees
from transformer.subwords.subwords import Subwords
from transformer.subwords.vocabularies import load_vocabularies

WIDTHS, SAMPLES, SEED = (4, 16, 64, 256), 20_000, 1  # d_k, and pairs of vectors for each
D_MODEL, POSITIONS, OFFSETS = 512, 1000, (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
FEWEST = 20  # sentences with a relation; in fewer, chance chooses the head


def main() -> None:
    arguments = parse_arguments()
    run = read_artifact(arguments.config, "config")
    vocabularies = load_vocabularies(arguments.subwords, None)
    model, _ = load_model(arguments.model, vocabularies.sha256)
    relations = {"subject": subject} | ({"anaphora": anaphora} if arguments.anaphora else {})
    table = sinusoids(POSITIONS + max(OFFSETS), D_MODEL)
    content = {
        "format": 1,
        **{key: run[key] for key in ("run", "pair", "scale", "corpus")},
        "model_sha256": sha256_of(arguments.model / "model.safetensors"),
        "dot_products": [dot_products(d_k) for d_k in WIDTHS],
        "positions": {
            "d_model": D_MODEL,
            "positions": POSITIONS,
            "offsets": len(OFFSETS),
            "largest_error": rotation_error(table, POSITIONS, OFFSETS),
        },
        "heads": head_roles(model.cpu(), vocabularies.source, arguments.trees, relations),
    }
    write_artifact(arguments.output, content)


def dot_products(d_k: int) -> dict[str, Any]:
    """Return the variance of q · k for vectors of ``d_k`` independent components with mean 0 and variance 1."""
    q, k = np.random.default_rng(SEED).standard_normal((2, SAMPLES, d_k))
    variance = (q * k).sum(1).var(ddof=1)
    # Further digits depend on the order in which a processor adds.
    return {"d_k": d_k, "samples": SAMPLES, "variance": round(float(variance), 4)}


def rotation(offset: int, d_model: int) -> Tensor:
    """Return the matrix M (d_model, d_model) for which PE(pos + offset) = M PE(pos) at every position.

    It rotates each pair of a sine and a cosine by offset / 10000^(2i/d_model).
    """
    even = torch.arange(0, d_model, 2, dtype=torch.float64)  # 2i
    angle = offset / 10000 ** (even / d_model)
    blocks = torch.stack((angle.cos(), angle.sin(), -angle.sin(), angle.cos()), dim=-1).unflatten(-1, (2, 2))
    return torch.block_diag(*blocks)


def rotation_error(table: Tensor, positions: int, offsets: Sequence[int]) -> float:
    """Return the largest |PE(pos + k) - M PE(pos)| of the first ``positions`` and each offset k, of two digits.

    ``table`` (length, d_model) holds PE; its length is at least ``positions`` and the largest offset together.
    """
    table = table.double()
    errors = [
        (table[k : k + positions] - table[:positions] @ rotation(k, table.shape[1]).T).abs().max()
        for k in offsets
    ]
    return float(f"{max(errors):.2g}")


def head_roles(
    model: Transformer, subwords: Subwords, trees: Sequence[Path], relations: Mapping[str, Relation]
) -> dict[str, dict[str, int]]:
    """Return the :func:`role` of a head for each relation, with ``trees`` of the development and of the test set."""
    roles = {}
    for name, relation in relations.items():
        cases = [find_cases(model, subwords, read_trees(path), relation) for path in trees]
        if cases and min(len(part.hits) for part in cases) >= FEWEST:
            roles[name] = role(*cases)
    return roles


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of model.safetensors and .json")
    parser.add_argument("--config", type=Path, required=True, help="the run's config.json")
    parser.add_argument("--subwords", type=Path, required=True, help="the subword model of the run")
    about = "English trees of a development and of a test set"
    parser.add_argument("--trees", type=Path, nargs=2, default=[], metavar=("DEV", "TEST"), help=about)
    about = "the trees are of the project's grammar, which decides what pronouns refer to"
    parser.add_argument("--anaphora", action="store_true", help=about)
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
