"""The command-line options of the scripts that decode by beam search."""

import argparse

from transformer.common.declared import settings_of
from transformer.common.errors import UserError
from transformer.model.config import BeamConfig


def add_beam_options(parser: argparse.ArgumentParser, **defaults: float) -> None:
    """Add an option such as ``--beam-size`` for each setting of beam search that has a default here."""
    for key, own in settings_of(BeamConfig).items():
        if key in defaults:
            value, meaning = defaults[key], own.metadata["meaning"].replace("`", "")
            about = f"{meaning} (default: {value:g})"
            parser.add_argument(f"--{key.replace('_', '-')}", type=type(value), default=value, help=about)


def chosen_beam(arguments: argparse.Namespace) -> BeamConfig:
    """Return the beam settings given on the command line.  Raises UserError when a value is out of range."""
    try:
        return BeamConfig(
            **{key: value for key, value in vars(arguments).items() if key in settings_of(BeamConfig)}
        )
    except ValueError as error:
        raise UserError(str(error)) from None
