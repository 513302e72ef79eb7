"""The terms of the data that results were made from, by the registry of downloads."""

from collections.abc import Iterable, Mapping
from typing import Any

from transformer.common.errors import UserError
from transformer.common.yaml_files import unknown

Terms = Mapping[str, Mapping[str, str]]  # name of a source → its title, licence and citation

GENERATED = "The project's grammar generated the corpus. It is under the MIT licence, as is the code."


def terms_of(names: Iterable[str], sources: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return title, licence and citation of some ``sources``, the content of config/sources.yaml.

    Raises UserError when the registry lacks a name.
    """
    found = {}
    for name in names:
        if name not in sources:
            raise UserError(f"config/sources.yaml: {unknown('source', name, sources)}")
        found[name] = {key: sources[name][key] for key in ("title", "licence", "citation")}
    return found


def licence_note(terms: Terms) -> str:
    """Return one sentence for below a table, with the sources of each licence; no text if there are no sources."""
    names: dict[str, list[str]] = {}
    for name, entry in terms.items():
        names.setdefault(entry["licence"], []).append(name)
    listed = "; ".join(f"{', '.join(group)} ({licence})" for licence, group in names.items())
    return f"Data of ours, and licences: {listed}." if listed else ""


def citations(terms: Terms) -> list[str]:
    """Return a paragraph for each source: what it is, its licence and what to cite."""
    return [f"{entry['title']}. Licence: {entry['licence']}. {entry['citation']}" for entry in terms.values()]
