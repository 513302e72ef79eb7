"""The model card: what a model is, what it was trained on and how good it is."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from transformer.corpus.licences import GENERATED

CARD = """\
---
{front}
---

# Transformer `{run[run]}`, {run[pair]}

A model of *Attention Is All You Need* (Vaswani et al., 2017), trained by the project that rebuilds the paper's tables \
from data. Scale: `{run[scale]}`. Corpus: {corpus}. Seed: {run[seed]}.

{warning}## Scores

On the {scores[sentences]} sentences of the test set, by the project's own beam search \
(beam {search[beam_size]}, α {search[alpha]:g}):

| measure | BLEU | signature |
|---|---|---|
{measures}

In brackets are 95% bootstrap intervals. In the signatures, spaces stand for `|`. The length penalty of \
`generation_config.json` grows as the project's at the mean length of these translations, so a few may differ. \
The weights that were scored have the sha256 {scores[files][checkpoint][sha256]}.

## Data and licences

{data}

If you publish the model, observe the terms of its data.
"""
WARNING = "This is not the paper's corpus: the numbers below are not comparable with the paper's.\n\n"


def model_card(
    run: Mapping[str, Any], scores: Mapping[str, Any], sources: Sequence[Mapping[str, Any]]
) -> str:
    """Return the text of ``README.md`` in a folder that is exported.

    ``run`` is the run's ``config.json`` and ``scores`` its ``scores.json``.  ``sources`` are the terms of the data that
    it was trained and tested on; none means that the project's grammar generated the corpus.
    """
    # In quotes, since YAML takes no, the code of Norwegian, for a boolean.
    front = [f"language: {json.dumps(run['pair'].split('-'))}", "pipeline_tag: translation"]
    licences = list(dict.fromkeys(entry["licence"] for entry in sources))
    front += ["license: other"] if sources else ["license: mit"]
    if sources:
        front.append(f"license_name: {json.dumps('; '.join(licences), ensure_ascii=False)}")
    data = [
        f"- {_plain(entry['title'])}. Licence: {_plain(entry['licence'])}. {_plain(entry['citation'])}"
        for entry in sources
    ]
    search = scores["decoding"]["search"]
    shown = {"the paper's": scores["headline"], "sacreBLEU": "sacrebleu"}
    return CARD.format(
        front="\n".join(front),
        run=run,
        corpus=_plain(run["corpus"]),
        warning="" if run["scale"] == "paper" else WARNING,
        scores=scores,
        search=search,
        measures="\n".join(_measure(name, scores["measures"][own]) for name, own in shown.items()),
        data="\n".join(data) or GENERATED,
    )


def _measure(name: str, measure: Mapping[str, Any]) -> str:
    interval = f"[{measure['interval']['low']:.1f}, {measure['interval']['high']:.1f}]"
    return f"| {name} | {measure['value']:.1f} {interval} | `{measure['signature'].replace('|', ' ')}` |"


def _plain(text: str) -> str:
    """Return a text as one line of Markdown in which no element of HTML begins."""
    return " ".join(text.split()).replace("<", "&lt;")
