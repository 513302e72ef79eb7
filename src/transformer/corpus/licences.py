"""The terms of the data that results were made from, by the registry of downloads."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from transformer.common.errors import UserError, unknown

Terms = Mapping[str, Mapping[str, str]]  # name of a source → its title, licence and citation

GENERATED = "The project's grammar generated the corpus. It is under the MIT licence, as is the code."
OWN_DATA = "--own-data"  # the option of scripts that state terms
# What a user who states no terms has stated; the values of OWN_DATA are not empty, since Snakemake drops empty ones.
NOT_STATED = {"licence": "licence not stated", "citation": "No citation is stated."}


def terms_of(names: Iterable[str], sources: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return title, licence and citation, each on one line, of some ``sources``, the content of resources/sources.yaml.

    Raises UserError when the registry lacks a name.
    """
    found = {}
    for name in names:
        if name not in sources:
            raise UserError(f"resources/sources.yaml: {unknown('source', name, sources)}")
        found[name] = {key: " ".join(sources[name][key].split()) for key in ("title", "licence", "citation")}
    return found


def add_own_data(parser: argparse.ArgumentParser) -> None:
    """Add the option that gives what :func:`with_own` takes."""
    about = "of the user's own files, which no registry has"
    parser.add_argument(OWN_DATA, nargs=3, metavar=("NAME", "LICENCE", "CITATION"), help=about)


def with_own(terms: Terms, own: Sequence[str] | None) -> Terms:
    """Return ``terms`` and those of the user's own files: name, licence and citation."""
    if own is None:
        return terms
    name, licence, citation = own
    return {**terms, name: {"title": name, "licence": licence, "citation": citation}}


def licence_note(terms: Terms) -> str:
    """Return one sentence for below a table, with the sources of each licence; no text if there are no sources."""
    names: dict[str, list[str]] = {}
    for name, entry in terms.items():
        names.setdefault(entry["licence"], []).append(name)
    listed = "; ".join(f"{', '.join(group)} ({licence})" for licence, group in names.items())
    return f"Data of ours, and licences: {listed}." if listed else ""
