"""Perplexity per subword (the paper's Table 3: "per-wordpiece, according to our byte-pair encoding")."""

import math


def perplexity(negative_log_likelihood: float, tokens: int) -> float:
    """Return exp(negative log-likelihood / tokens), the number of equally likely subwords with the same uncertainty.

    ``negative_log_likelihood`` is the sum of -ln p(token | tokens before it, source) in nats over ``tokens`` target
    subwords, including the EOS of each sentence.  Perplexity depends on the subwords, so it cannot compare models
    with different vocabularies.
    """
    return math.exp(negative_log_likelihood / tokens)
