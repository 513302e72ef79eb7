"""BLEU, perplexity and bootstrap intervals; no torch."""
