"""Validation on the development set during training: perplexity, and BLEU or F1 of greedy decoding."""

import math
from dataclasses import dataclass

import numpy as np
import sacrebleu

from transformer.common.special_tokens import UNK
from transformer.dataset.tokenized import TokenizedDataset
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.incremental import SearchModel
from transformer.decoding.trained_model import TrainedModel
from transformer.decoding.translation import translate
from transformer.model.transformer import Transformer
from transformer.scoring.tokens import tokenizer_name
from transformer.subwords.symbols import WORD, is_word
from transformer.subwords.vocabularies import Symbols, Vocabularies
from transformer.training.distributed import ProcessGroup
from transformer.training.score_perplexity import negative_log_likelihood

# Greedy, because validation runs often and its scores only show how training goes.
GREEDY_TRANSLATION = BeamConfig(beam_size=1, alpha=0.0, max_extra_tokens=50)
GREEDY_PARSE = BeamConfig(beam_size=1, alpha=0.0, max_extra_tokens=300)


@dataclass(frozen=True)
class Validation:
    """The measurement of a model on the development set, which all processes of a training share."""

    dev: TokenizedDataset
    vocabularies: Vocabularies
    batch_tokens: int
    language: str = ""  # of the translations, for the tokens of BLEU

    def __call__(self, model: Transformer, group: ProcessGroup) -> dict[str, float]:
        """Return perplexity per token and the score of greedy decoding: BLEU of translations or F1 of trees."""
        nll, tokens = negative_log_likelihood(model, self.dev, self.batch_tokens, group)
        score = self.greedy_f1 if isinstance(self.vocabularies.target, Symbols) else self.greedy_bleu
        return {"dev_perplexity": round(math.exp(nll / tokens), 4), **score(model, group)}

    def greedy_bleu(self, model: Transformer, group: ProcessGroup) -> dict[str, float]:
        """Return sacreBLEU of greedy translations."""
        decode = self.vocabularies.target.decode
        sources, targets = self._share(group)
        hypotheses = translate(SearchModel(model), sources, GREEDY_TRANSLATION, self.batch_tokens)
        pairs = [
            (decode(best.tokens), decode(target)) for (best,), target in zip(hypotheses, targets, strict=True)
        ]
        outputs, references = (list(side) for side in zip(*group.gather(pairs), strict=True))
        tokens = tokenizer_name(self.language, references)
        bleu = sacrebleu.corpus_bleu(outputs, [references], force=True, tokenize=tokens)
        return {"dev_bleu": round(bleu.score, 2)}

    def greedy_f1(self, model: Transformer, group: ProcessGroup) -> dict[str, float]:
        """Return F1 of greedily decoded trees.  Unlike EVALB's, it includes punctuation if the symbols have no tags."""
        # They load NLTK, which a translation model is trained without.
        from transformer.parsing.evalb import score_sentence, summary
        from transformer.parsing.linearise import tree_of
        from transformer.parsing.parse import parse

        symbols = self.vocabularies.target
        assert isinstance(symbols, Symbols)
        sources, targets = self._share(group)
        # An unseen symbol became UNK.  It counts as a word if words are written as tags, otherwise it is a bracket.
        left_out = UNK if WORD in symbols.symbols else None
        trees = [[symbols.piece(id) for id in target if id != left_out] for target in targets]
        # Brackets depend only on the number of words, so placeholders replace the words.
        sentences = [[WORD] * sum(map(is_word, tree)) for tree in trees]
        trained = TrainedModel(model, self.vocabularies, GREEDY_PARSE, self.batch_tokens)
        parses = parse(trained, sources, sentences, constrained=True)
        gold = [tree_of(tree, sentence)[0] for tree, sentence in zip(trees, sentences, strict=True)]
        scores = [score_sentence(tree, parse.tree) for tree, parse in zip(gold, parses, strict=True)]
        return {"dev_f1": round(summary(group.gather(scores))["all"]["f1"], 2)}

    def _share(self, group: ProcessGroup) -> tuple[list[list[int]], list[list[int]]]:
        """Return source and target of the sentences that this process decodes, of all lengths alike, without EOS."""
        numbers = group.share_of(np.argsort(self.dev.source.lengths, kind="stable").tolist())
        sides = (self.dev.source, self.dev.target)
        sources, targets = ([side[number][:-1].tolist() for number in numbers] for side in sides)
        return sources, targets
