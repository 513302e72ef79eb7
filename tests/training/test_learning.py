"""A model learns something at all."""

from pathlib import Path

import reversing
import tiny

from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.incremental import SearchModel
from transformer.decoding.translation import translate
from transformer.scoring.multi_bleu import corpus_statistics, multi_bleu


def test_a_model_learns_to_reverse_sentences(tmp_path: Path) -> None:
    """Through the trainer, the checkpoint on disk, the search and the paper's measure, on sentences of its own."""
    model = reversing.load(reversing.train(tmp_path))
    sources = [
        row for length in reversing.LENGTHS for row in reversing.sentences(30, length, seed=1).tolist()
    ]
    outputs = translate(SearchModel(model), sources, BeamConfig(4, 0.6, 10), 1000)
    hypotheses = [" ".join(map(str, output)) for output in tiny.best(outputs)]
    references = [" ".join(map(str, reversed(source))) for source in sources]
    bleu = multi_bleu(corpus_statistics(hypotheses, references).sum(axis=0)).value
    assert bleu > 90
