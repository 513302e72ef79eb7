"""Batched, cached beam search against the plain one of ``reference.py``."""

import itertools
import random
from pathlib import Path
from typing import Any

import pytest
import reference
import tiny
import torch
from settings_cases import CASES

from transformer.common.special_tokens import EOS
from transformer.decoding import beam_search as module
from transformer.decoding.beam_search import beam_search
from transformer.decoding.incremental import IncrementalDecoder, SearchModel
from transformer.decoding.translation import translate
from transformer.model.transformer import Transformer, source_padding_mask
from transformer.training.score_perplexity import likelihoods_of_sentences


def sure_model(vocab_size: int, seed: int, **changes: Any) -> Transformer:
    """A random model with peaked distributions, so that no two hypotheses have nearly the same score."""
    model: Transformer = tiny.model(vocab_size, seed, N=1 + seed % 2, **changes)
    with torch.no_grad():
        model.embedding.mul_(3)
    return model


def sentences(vocab_size: int, seed: int, count: int = 5) -> list[list[int]]:
    rng = random.Random(seed)
    return [[rng.randrange(1, vocab_size) for _ in range(rng.randint(1, 6))] for _ in range(count)]


@pytest.mark.parametrize(("beam_size", "alpha"), [(1, 0.6), (2, 0.0), (2, 1.0), (4, 0.6), (5, 0.0), (5, 1.0)])
def test_equal_to_the_reference(beam_size: int, alpha: float) -> None:
    for seed, vocab_size in enumerate((4, 5, 6, 8, 10, 17)):
        model = sure_model(vocab_size, seed, positions={3: "learned", 4: "words"}.get(seed, "sinusoidal"))
        sources = sentences(vocab_size, seed)
        for max_extra_tokens in (0, 4):
            found = tiny.best(
                translate(SearchModel(model), sources, tiny.beam(beam_size, alpha, max_extra_tokens), 10_000)
            )
            wanted = [
                reference.beam_search(model, [*source, 1], beam_size, alpha, max_extra_tokens)
                for source in sources
            ]
            assert found == wanted


@pytest.mark.parametrize(("beam_size", "nbest"), [(2, 2), (4, 3), (5, 5)])
def test_the_best_hypotheses_and_their_scores_are_those_of_the_reference(beam_size: int, nbest: int) -> None:
    fewer = 0
    for seed, vocab_size in enumerate((4, 5, 8, 17)):
        model, sources = sure_model(vocab_size, seed), sentences(vocab_size, seed)
        for max_extra_tokens in (0, 4):
            config = tiny.beam(beam_size, 0.6, max_extra_tokens, nbest)
            for source, found in zip(
                sources, translate(SearchModel(model), sources, config, 10_000), strict=True
            ):
                wanted = reference.hypotheses(model, [*source, 1], beam_size, 0.6, max_extra_tokens, nbest)
                assert [hypothesis.tokens for hypothesis in found] == [tokens for _, tokens in wanted[:nbest]]
                scores = [hypothesis.score for hypothesis in found]
                assert scores == pytest.approx([score for score, _ in wanted[:nbest]], rel=1e-4)
                fewer += len(found) < nbest
    assert 0 < fewer < 30


def test_log_p_is_the_likelihood_that_perplexity_is_computed_from(tmp_path: Path) -> None:
    """Of one that was cut off at the limit, it lacks that of EOS."""
    model, sources = sure_model(10, 2), sentences(10, 2, 8)
    found = translate(SearchModel(model), sources, tiny.beam(4, 0.6, 4, nbest=3), 10_000)
    pairs = [(source, one) for source, listed in zip(sources, found, strict=True) for one in listed]
    dataset = tiny.dataset(tmp_path / "found", [(source, one.tokens) for source, one in pairs], 10)
    nll = likelihoods_of_sentences(model, dataset, 1000)
    for (source, hypothesis), likelihood in zip(pairs, nll.tolist(), strict=True):
        assert hypothesis.is_cut == (len(hypothesis.tokens) == len(source) + 5)
        ending = [] if hypothesis.is_cut else [EOS]
        if hypothesis.is_cut:
            continuation = reference.next_log_p(model, [*source, EOS], [(0.0, hypothesis.tokens)])[0]
            likelihood += continuation[EOS]
        assert hypothesis.log_p == pytest.approx(-likelihood, rel=1e-4, abs=1e-5)
        length = len([*hypothesis.tokens, *ending])
        assert hypothesis.score == pytest.approx(hypothesis.log_p / reference.penalty(length, 0.6))
    assert 8 < sum(not hypothesis.is_cut for _, hypothesis in pairs) < len(pairs)


def test_a_beam_of_one_ends_only_with_the_best_continuation() -> None:
    """An EOS that is second best ends nothing, although a search that waits for more would find it worth more."""
    ended = 0
    for seed in range(10):
        # Not peaked: at most steps EOS is second best in some sentence.
        model: Transformer = tiny.model(6, seed, N=1)
        sources = sentences(6, seed)
        greedy = [reference.greedy(model, [*source, 1], len(source) + 9) for source in sources]
        for alpha in (0.0, 1.0):
            assert tiny.best(translate(SearchModel(model), sources, tiny.beam(1, alpha, 8), 10_000)) == greedy
        ended += sum(len(tokens) < len(source) + 9 for tokens, source in zip(greedy, sources, strict=True))
    assert 5 < ended < 45


@pytest.mark.parametrize("max_extra_tokens", [0, 3])
def test_sentences_that_have_ended_do_not_change(
    monkeypatch: pytest.MonkeyPatch, max_extra_tokens: int
) -> None:
    """As on a GPU, whose search does not look at every step which sentences have ended, and goes on with them."""
    config = tiny.beam(4, 0.6, max_extra_tokens)
    for seed, vocab_size in enumerate((5, 6, 8, 10, 17)):
        model, sources = sure_model(vocab_size, seed), sentences(vocab_size, seed, count=12)
        alone = tiny.best([translate(SearchModel(model), [source], config, 10_000)[0] for source in sources])
        with monkeypatch.context() as patch:
            patch.setitem(module.STEPS_BETWEEN_LOOKS, "cpu", 1000)
            assert tiny.best(translate(SearchModel(model), sources, config, 10_000)) == alone


def test_rows_without_a_token_take_probability_and_are_never_output() -> None:
    """Their log P is that of a model in which they are tokens, but no hypothesis contains them."""
    model, source = sure_model(5, 3, vocabulary_rows=9), [3, 4, 2, 1]
    with torch.no_grad():
        model.embedding[5:] *= 3  # they would win often
    # 3 tokens and EOS can follow, so at most 3^3 hypotheses end at each length.
    config = tiny.beam(200, 0.6, 0)
    as_tokens: Transformer = tiny.model(9, N=2)
    as_tokens.load_state_dict(model.state_dict())
    (found,) = tiny.best(beam_search(SearchModel(model), torch.tensor([source]), config))
    (other,) = tiny.best(beam_search(SearchModel(as_tokens), torch.tensor([source]), config))
    assert max(other, default=0) >= 5

    def score(tokens: list[int]) -> float:
        steps = (
            reference.next_log_p(as_tokens, source, [(0, tokens[:n])])[0][tokens[n]]
            for n in range(len(tokens))
        )
        return sum(steps) / reference.penalty(len(tokens), 0.6)

    possible = [
        [*tokens, EOS] for length in range(4) for tokens in itertools.product((2, 3, 4), repeat=length)
    ]
    assert [*found, EOS] == max(possible, key=score)


def test_neither_batch_nor_order_matters() -> None:
    model, sources = sure_model(10, 2), sentences(10, 2, 12)
    config = tiny.beam(4, 0.6, 5)
    expected = tiny.best([translate(SearchModel(model), [source], config, 1)[0] for source in sources])
    for batch_tokens in (1, 60, 100_000):
        assert tiny.best(translate(SearchModel(model), sources, config, batch_tokens)) == expected
    order = random.Random(0).sample(range(12), 12)
    found = tiny.best(translate(SearchModel(model), [sources[n] for n in order], config, 60))
    assert found == [expected[n] for n in order]


def test_progress_counts_every_sentence_and_an_empty_one_stays_empty() -> None:
    told: list[int] = []
    model = sure_model(10, 2)
    found = tiny.best(
        translate(SearchModel(model), [[], [3, 4], [], [5]], tiny.beam(2, 0.6, 3), 5, told.append)
    )
    assert found[0] == found[2] == []
    assert sum(told) == 2
    assert translate(SearchModel(model), [], tiny.beam(2, 0.6, 3), 5) == []


@pytest.mark.parametrize("changes", CASES, ids=str)
def test_the_cache_computes_what_the_whole_decoder_does(changes: dict[str, Any]) -> None:
    """Also after the cache has grown, and after hypotheses were reordered and sentences removed."""
    model: Transformer = tiny.model(10, 1, **changes)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:  # biases and gains, which begin as equal ones
                parameter.add_(torch.randn_like(parameter), alpha=0.3)
    source, target = tiny.tokens(2, 5, 10), tiny.tokens(6, 26, 10)
    source[1, 3:] = 0
    decoder = IncrementalDecoder(SearchModel(model), source, K=3)
    rows = torch.arange(6)  # of target, which each of the 2 * 3 hypotheses now continues
    kept = torch.arange(2)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for t in range(target.shape[1]):
            states = decoder.step(target[rows, t].view(-1, 3))
            sources = source[kept].repeat_interleave(3, 0)
            mask = source_padding_mask(sources)
            whole = model.decode(target[rows, : t + 1], model.encode(sources, mask), mask)
            logits = decoder.logits(states).flatten(0, 1)
            torch.testing.assert_close(logits, model.logits(whole[:, -1]), rtol=1e-4, atol=1e-5)
            parents = torch.randint(3, (len(kept), 3), generator=generator)
            decoder.reorder(parents)
            rows = rows.view(-1, 3).gather(1, parents).flatten()
            if t == 15:
                kept, rows = kept[1:], rows[3:]
                decoder.keep_sentences([1])


@torch.no_grad()
def test_matrix_products_have_the_format_of_the_arithmetic() -> None:
    model, source = sure_model(10, 0), torch.tensor([[3, 4, EOS]])
    assert SearchModel(model).output.dtype == torch.float32
    model.compute_with("bf16")
    with model.arithmetic.autocast(torch.device("cpu")):
        decoder = IncrementalDecoder(SearchModel(model), source, 2)
        states = decoder.step(torch.zeros(1, 2, dtype=torch.long))
    assert decoder.model.output.dtype == decoder.tree.keys[0].dtype == torch.bfloat16
    assert states.dtype == decoder.logits(states).dtype == torch.float32


def test_a_search_ends_when_no_hypothesis_can_win_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not at the length to which outputs are limited; and sentences that have ended leave the batch before that."""
    rows: list[int] = []
    step, logits = IncrementalDecoder.step, IncrementalDecoder.logits
    bonus = [0.0]  # added to the logit of EOS

    def counted(decoder: IncrementalDecoder, tokens: torch.Tensor) -> torch.Tensor:
        rows.append(len(tokens))
        return step(decoder, tokens)

    def ending(decoder: IncrementalDecoder, states: torch.Tensor) -> torch.Tensor:
        return logits(decoder, states) + bonus[0] * (torch.arange(10) == EOS)

    monkeypatch.setattr(IncrementalDecoder, "step", counted)
    monkeypatch.setattr(IncrementalDecoder, "logits", ending)
    found = []
    for bonus[0] in (6.0, 4.0):
        rows.clear()
        outputs = translate(
            SearchModel(sure_model(10, 1)), sentences(10, 1, 8), tiny.beam(4, 0.6, 60), 10_000
        )
        assert tiny.best(outputs) == [[]] * 8
        found.append(list(rows))
    assert found[0] == [8]
    assert found[1] == sorted(found[1], reverse=True)
    assert (found[1][0], found[1][5]) == (8, 5)
