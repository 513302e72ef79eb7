"""The model card: what a model is, what it was trained on and how good it is."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from transformer.corpus.licences import GENERATED

CARD = """\
---
language: {languages}
license: {licence}
pipeline_tag: translation
---

# Transformer `{run[run]}`, {run[pair]}

A model of *Attention Is All You Need* (Vaswani et al., 2017), trained by the project that rebuilds the paper's tables \
from data. Scale: `{run[scale]}`. Corpus: {corpus}. Seed: {run[seed]}. {warning}

BLEU on the {scores[sentences]} sentences of the test set, by the project's own beam search \
(beam {search[beam_size]}, α {search[alpha]:g}), with 95% bootstrap intervals:

{measures}

If you publish the model, observe the terms of its data:

{data}
"""
WARNING = "This is not the paper's corpus: the numbers below are not comparable with the paper's."


def model_card(
    run: Mapping[str, Any], scores: Mapping[str, Any], sources: Sequence[Mapping[str, Any]]
) -> str:
    """Return the text of ``README.md`` in a folder that is exported.

    ``run`` is the run's ``config.json`` and ``scores`` its ``scores.json``.  ``sources`` are the terms of the data that
    it was trained and tested on; none means that the project's grammar generated the corpus.
    """
    data = [
        _plain(f"- {entry['title']}. Licence: {entry['licence']}. {entry['citation']}") for entry in sources
    ]
    measures = [scores["measures"][name] for name in (scores["headline"], "sacrebleu")]
    listed = "- {value:.1f} [{interval[low]:.1f}, {interval[high]:.1f}] ({signature})"
    return CARD.format(
        # In quotes, since YAML takes no, the code of Norwegian, for a boolean.
        languages=json.dumps(run["pair"].split("-")),
        licence="other" if sources else "mit",
        run=run,
        corpus=_plain(run["corpus"]),
        warning="" if run["scale"] == "paper" else WARNING,
        scores=scores,
        search=scores["decoding"]["search"],
        measures="\n".join(listed.format(**measure) for measure in measures),
        data="\n".join(data) or GENERATED,
    )


def _plain(text: str) -> str:
    """Return a text as one line of Markdown in which no element of HTML begins."""
    return " ".join(text.split()).replace("<", "&lt;")
