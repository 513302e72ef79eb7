"""Validation on the development set during training: perplexity, and BLEU or F1 of greedy decoding."""

import math

import sacrebleu

from transformer.dataset.tokenized import TokenizedDataset, TokenizedSide
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.translation import translate
from transformer.model.transformer import Transformer
from transformer.parsing.evalb import score_sentence, summary
from transformer.parsing.linearised import WORD, is_word, tree_of
from transformer.parsing.parser import parse
from transformer.parsing.vocabularies import Symbols, Vocabularies
from transformer.training.evaluation import negative_log_likelihood
from transformer.training.trainer import TrainingConfig

# Greedy, because validation runs often and its scores only show how training goes.
GREEDY_TRANSLATION = BeamConfig(beam_size=1, alpha=0.0, max_extra_tokens=50)
GREEDY_PARSE = BeamConfig(beam_size=1, alpha=0.0, max_extra_tokens=300)


def validate(
    model: Transformer, dev: TokenizedDataset, vocabularies: Vocabularies, config: TrainingConfig
) -> dict[str, float]:
    """Return perplexity per token and the score of greedy decoding: BLEU of translations or F1 of trees."""
    nll, tokens = negative_log_likelihood(model, dev, config.max_tokens, config.precision)
    score = greedy_f1 if isinstance(vocabularies.target, Symbols) else greedy_bleu
    return {"dev_perplexity": round(math.exp(nll / tokens), 4), **score(model, dev, vocabularies, config)}


def greedy_bleu(
    model: Transformer, dev: TokenizedDataset, vocabularies: Vocabularies, config: TrainingConfig
) -> dict[str, float]:
    """Return sacreBLEU of greedy translations."""
    decode = vocabularies.target.decode
    sources = without_eos(dev.source)
    hypotheses = translate(model, sources, GREEDY_TRANSLATION, config.max_tokens, config.precision)
    references = [decode(ids) for ids in without_eos(dev.target)]
    bleu = sacrebleu.corpus_bleu([decode(ids) for ids in hypotheses], [references], force=True)
    return {"dev_bleu": round(bleu.score, 2)}


def greedy_f1(
    model: Transformer, dev: TokenizedDataset, vocabularies: Vocabularies, config: TrainingConfig
) -> dict[str, float]:
    """Return F1 of greedily decoded trees.  Unlike EVALB's, it includes punctuation if the symbols have no tags."""
    symbols = vocabularies.target
    assert isinstance(symbols, Symbols)
    trees = [symbols.decode(ids).split() for ids in without_eos(dev.target)]
    # Brackets depend only on the number of words, so placeholders replace the words.
    sentences = [[WORD] * sum(map(is_word, tree)) for tree in trees]
    parses = parse(
        model,
        symbols,
        without_eos(dev.source),
        sentences,
        GREEDY_PARSE,
        config.max_tokens,
        constrained=True,
        precision=config.precision,
    )
    gold = map(tree_of, trees, sentences)
    scores = [score_sentence(tree, parse.tree) for tree, parse in zip(gold, parses, strict=True)]
    return {"dev_f1": round(summary(scores)["all"]["f1"], 2)}


def without_eos(side: TokenizedSide) -> list[list[int]]:
    """Return the ids of every sentence, without EOS."""
    return [side[i][:-1].tolist() for i in range(len(side))]
