"""Measure what the paper says of dot products (footnote 4) and of positions (section 3.5).

python src/transformer/inspection/measure_properties.py --output results/demo/properties.json
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from transformer.common.arguments import argument_parser
from transformer.common.artifacts import write_artifact
from transformer.common.errors import run_script
from transformer.model.positions import sinusoids

WIDTHS, SAMPLES, SEED = (4, 16, 64, 256), 20_000, 1  # d_k, and pairs of vectors for each
D_MODEL, POSITIONS, OFFSETS = 512, 1000, (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def main() -> None:
    arguments = parse_arguments()
    table = sinusoids(POSITIONS + max(OFFSETS), D_MODEL)
    content = {
        "format": 2,
        "dot_products": [dot_products(d_k) for d_k in WIDTHS],
        "positions": {
            "d_model": D_MODEL,
            "positions": POSITIONS,
            "offsets": len(OFFSETS),
            "largest_error": rotation_error(table, POSITIONS, OFFSETS),
        },
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


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
