"""The command-line options of the scripts that decode by beam search."""

import argparse

from transformer.common.declared import settings_of
from transformer.common.errors import UserError
from transformer.model.config import BeamConfig


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


def chosen_beam(arguments: argparse.Namespace) -> BeamConfig:
    """Return the beam settings given on the command line.  Raises UserError when a value is out of range."""
    try:
        return BeamConfig(
            **{key: value for key, value in vars(arguments).items() if key in settings_of(BeamConfig)}
        )
    except ValueError as error:
        raise UserError(str(error)) from None
