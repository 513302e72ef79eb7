"""The command-line options of the scripts that decode by beam search."""

import argparse

from transformer.common.checked import checked
from transformer.settings.run_settings import BeamConfig


def add_beam_options(parser: argparse.ArgumentParser, **defaults: float) -> None:
    """Add an option such as ``--beam-size`` for each setting of beam search that has a default here."""
    for key, own in BeamConfig.settings().items():
        if key in defaults:
            value, meaning = defaults[key], (own.description or "").replace("`", "")
            about = f"{meaning} (default: {value:g})"
            parser.add_argument(f"--{key.replace('_', '-')}", type=type(value), default=value, help=about)


def chosen_beam(arguments: argparse.Namespace) -> BeamConfig:
    """Return the beam settings given on the command line.  Raises UserError when a value is out of range."""
    given = {key: value for key, value in vars(arguments).items() if key in BeamConfig.settings()}
    return checked(BeamConfig, given, "")
