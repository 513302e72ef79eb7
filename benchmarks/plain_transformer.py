"""A straightforward program with which ours is compared: torch.nn.Transformer and a beam search without a cache.

It is correct and batched, but not optimised.  The model has the same size as ours, shares one matrix in the same way
and has dropout in the same places, so that both do the same work.
"""

import math

import torch
from torch import Tensor, nn

from transformer.common.special_tokens import EOS, PAD
from transformer.model.positions import sinusoids
from transformer.model.transformer import Transformer

LONGEST = 1024  # positions in the table


class PlainTransformer(nn.Module):
    """torch.nn.Transformer with embeddings, sinusoids and a softmax layer."""

    positions: Tensor

    def __init__(self, vocab_size: int, N: int, d_model: int, d_ff: int, h: int, dropout: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.register_buffer("positions", sinusoids(LONGEST, d_model))
        self.dropout = nn.Dropout(dropout)
        self.transformer = nn.Transformer(
            d_model, h, N, N, d_ff, dropout, layer_norm_eps=1e-6, batch_first=True, norm_first=False
        )
        # Layers that end in a norm need none after the stack.
        self.transformer.encoder.norm = self.transformer.decoder.norm = None
        self.transformer.encoder.use_nested_tensor = False  # torch would warn
        self.generator = nn.Linear(d_model, vocab_size, bias=False)
        self.generator.weight = self.embedding.weight

    def embed(self, tokens: Tensor) -> Tensor:
        """Embed ids (B, T) as (B, T, d_model); PAD, the decoder's first input, is the zero vector."""
        x = self.embedding(tokens) * math.sqrt(self.d_model) * (tokens != PAD)[..., None]
        return self.dropout(x + self.positions[: tokens.shape[1]])

    def encode(self, source: Tensor) -> Tensor:
        """Encode source (B, S) as memory (B, S, d_model)."""
        return self.transformer.encoder(self.embed(source), src_key_padding_mask=source == PAD)

    def decode(self, target_input: Tensor, memory: Tensor, source_padding: Tensor) -> Tensor:
        """Decode target input (B, T), with memory (B, S, d_model) and its padding (B, S), to states (B, T, d_model)."""
        length = target_input.shape[1]
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        return self.transformer.decoder(
            self.embed(target_input), memory, tgt_mask=future, memory_key_padding_mask=source_padding
        )

    def forward(self, source: Tensor, target_input: Tensor) -> Tensor:
        """Return the logits (B, T, V) for source (B, S) and target input (B, T)."""
        return self.generator(self.decode(target_input, self.encode(source), source == PAD))


def with_weights_of(model: Transformer) -> PlainTransformer:
    """Return a PlainTransformer that computes the same function as ``model``."""
    c = model.config
    if not c.d_model == c.h * c.d_k == c.h * c.d_v:
        raise ValueError("torch.nn.Transformer has no d_k and d_v of their own")
    plain = PlainTransformer(c.vocab_size, c.N, c.d_model, c.d_ff, c.h, c.dropout)
    weights: dict[str, Tensor] = {"embedding.weight": model.embedding}
    for stack in ("encoder", "decoder"):
        for number, layer in enumerate(getattr(model, stack)):
            for name, tensor in _layer_weights(layer.state_dict()).items():
                weights[f"transformer.{stack}.layers.{number}.{name}"] = tensor
    with torch.no_grad():
        for name, parameter in plain.named_parameters():
            # Our model may lack biases of the attention projections; they are zero here.
            parameter.copy_(weights.get(name, torch.zeros_like(parameter)))
    return plain.eval()


def _layer_weights(ours: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return one layer's weights under torch's names."""
    renamed = {
        "self_attention.W_QKV.": "self_attn.in_proj_",
        "self_attention.W_O.": "self_attn.out_proj.",
        "cross_attention.W_O.": "multihead_attn.out_proj.",
        "feed_forward.W_1.": "linear1.",
        "feed_forward.W_2.": "linear2.",
        "after_attention.norm.": "norm1.",
        "after_self_attention.norm.": "norm1.",
        "after_cross_attention.norm.": "norm2.",
        "after_feed_forward.norm.": "norm3." if "cross_attention.W_Q.weight" in ours else "norm2.",
    }
    theirs = {}
    for name, tensor in ours.items():
        stem, kind = name.rsplit(".", 1)
        if stem == "cross_attention.W_Q":
            theirs[f"multihead_attn.in_proj_{kind}"] = torch.cat(
                (tensor, ours[f"cross_attention.W_KV.{kind}"])
            )
        elif stem != "cross_attention.W_KV":
            theirs[renamed[f"{stem}."] + kind] = tensor
    return theirs


@torch.inference_mode()
def plain_beam_search(
    model: PlainTransformer, source: Tensor, beam_size: int, alpha: float, max_extra_tokens: int
) -> list[list[int]]:
    """Return the best hypothesis for each row of source (B, S), as padded ids without EOS.

    The decoder runs over the whole prefix at each step.  Ended hypotheses stay in the beam, and the search ends when
    the most probable hypothesis of every sentence in the batch has ended.
    """
    B, K = len(source), beam_size
    memory = model.encode(source).repeat_interleave(K, 0)
    source_padding = (source == PAD).repeat_interleave(K, 0)
    tokens = torch.full((B, K, 1), PAD)
    scores = torch.full((B, K), -math.inf)
    scores[:, 0] = 0
    ended = torch.zeros(B, K, dtype=torch.bool)
    for _ in range(source.shape[1] + max_extra_tokens):
        states = model.decode(tokens.flatten(0, 1), memory, source_padding)[:, -1]
        logits = model.generator(states).view(B, K, -1)
        log_p = logits.log_softmax(-1)
        log_p[:, :, PAD] = -math.inf
        log_p[ended] = -math.inf
        log_p[:, :, PAD].masked_fill_(ended, 0)  # an ended hypothesis continues with padding, at no cost
        scores, best = (scores[:, :, None] + log_p).flatten(1).topk(K)  # (B, K)
        parents, new = best // logits.shape[-1], best % logits.shape[-1]
        prefixes = tokens.gather(1, parents[:, :, None].expand(-1, -1, tokens.shape[2]))
        tokens = torch.cat((prefixes, new[:, :, None]), 2)
        ended = ended.gather(1, parents) | (new == EOS)
        if ended[:, 0].all():  # topk puts the most probable first
            break
    lengths = (tokens[:, :, 1:] != PAD).sum(2)
    scores = scores.masked_fill(~ended, -math.inf).where(ended.any(1, keepdim=True), scores)
    chosen = (scores / ((5 + lengths) / 6) ** alpha).argmax(1)
    return [
        [token for token in hypotheses[n].tolist() if token not in (PAD, EOS)]
        for hypotheses, n in zip(tokens, chosen, strict=True)
    ]
