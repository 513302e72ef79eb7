"""Perplexity per subword (the paper's Table 3: "per-wordpiece, according to our byte-pair encoding")."""

import math


def perplexity(negative_log_likelihood: float, tokens: int) -> float:
    """exp(negative log-likelihood / tokens): how many equally likely subwords the model wavers between.

    ``negative_log_likelihood`` is the sum of -ln p(token | tokens before it, source) in nats over ``tokens``
    target subwords, each sentence's EOS among them.  The figure depends on the subwords: models with different
    vocabularies cannot be compared by it.  Raises ValueError when there is no token, or the sum is negative
    or not finite.
    """
    if tokens < 1:
        raise ValueError(f"perplexity of {tokens} tokens; at least one is needed")
    if not 0 <= negative_log_likelihood < math.inf:
        raise ValueError(
            f"a negative log-likelihood of {negative_log_likelihood} nats; it must be finite and not below 0"
        )
    return math.exp(negative_log_likelihood / tokens)
