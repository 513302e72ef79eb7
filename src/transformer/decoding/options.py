"""The command-line options of the scripts that decode by beam search."""

import argparse
from typing import get_args

from transformer.common.errors import UserError
from transformer.model.config import BeamConfig, ComputeType, Decoder


def add_beam_options(parser: argparse.ArgumentParser, paper: BeamConfig) -> None:
    """Add ``--beam-size``, ``--alpha`` and ``--max-extra-tokens``, with the paper's values as defaults."""
    meanings = {
        "beam_size": "hypotheses per sentence",
        "alpha": "length penalty",
        "max_extra_tokens": "tokens by which an output may be longer than its input",
    }
    for name, meaning in meanings.items():
        value = getattr(paper, name)
        about = f"{meaning} (default: the paper's {value:g})"
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value, help=about)


def add_decoder_options(parser: argparse.ArgumentParser, about: str) -> None:
    """Add ``--engine`` and ``--compute-type``; ``about`` says what the first is for."""
    parser.add_argument("--engine", choices=get_args(Decoder), default="torch", help=about)
    parser.add_argument(
        "--compute-type",
        choices=get_args(ComputeType),
        help="numbers of CTranslate2's matrix products (default: int8)",
    )


def chosen_compute_type(arguments: argparse.Namespace) -> ComputeType | None:
    """Return the numbers that CTranslate2 computes with; None if this project searches.

    Raises UserError when they are given without CTranslate2, since our search would ignore them.
    """
    if arguments.engine == "torch" and arguments.compute_type:
        raise UserError(
            "--compute-type is for CTranslate2; add --engine ctranslate2, or choose --precision instead"
        )
    return None if arguments.engine == "torch" else arguments.compute_type or "int8"


def chosen_beam(arguments: argparse.Namespace) -> BeamConfig:
    """Return the beam settings given on the command line.  Raises UserError when a value is out of range."""
    try:
        return BeamConfig(arguments.beam_size, arguments.alpha, arguments.max_extra_tokens)
    except ValueError as error:
        raise UserError(str(error)) from None
