"""Decoding one position at a time, with the keys and values of earlier positions cached.

Shapes: B sentences, K hypotheses of each (the beam), S source positions, t positions decoded so far.
"""

from torch import Tensor

from transformer.model.layers import DecoderLayer
from transformer.model.transformer import Transformer, source_padding_mask

GROWTH = 16  # positions by which a full cache grows


class IncrementalDecoder:
    """Decodes K hypotheses of each of B sentences, all at the same position.

    Keys and values of the encoder's output are the same for all hypotheses of a sentence, so they are stored
    once: the K hypotheses attend to them as if they were K positions of one sentence.
    """

    def __init__(self, model: Transformer, source: Tensor, K: int) -> None:
        """Encode ``source``, padded token ids (B, S), and start K hypotheses of each sentence."""
        self.model = model
        self.K = K
        self.length = 0  # t
        self.words: Tensor | None = None  # (B * K, 1): numbers of the next words, if positions count them
        self.source_mask = source_padding_mask(source)  # (B, 1, 1, S)
        memory = model.encode(source, self.source_mask)
        # Keys and values of the encoder's output, (B, h, S, d_k) and (B, h, S, d_v), of each layer.
        self.memory = [layer.cross_attention.project_memory(memory) for layer in self._layers()]
        # Self-attention's keys and values of each layer, (B * K, h, at least t, d_k); empty until the first step.
        self.keys: list[Tensor] = []
        self.values: list[Tensor] = []

    def step(self, tokens: Tensor) -> Tensor:
        """Decode the next position: map the last token of each hypothesis (B, K) to the output (B, K, d_model)."""
        B, K = tokens.shape
        tokens = tokens.reshape(B * K, 1)
        self.words = self.model.target_words(tokens, self.words)
        x = self.model.embed_target(tokens, self.words, start=self.length)  # (B * K, 1, d_model)
        self.length += 1
        for number, layer in enumerate(self._layers()):
            x = self._layer(number, layer, x, B, K)
        return x.view(B, K, -1)

    def reorder(self, rows: Tensor) -> None:
        """Make row ``rows[i]`` of the B * K hypotheses the new row i; there may be fewer rows than before."""
        if self.words is not None:
            self.words = self.words.index_select(0, rows)
        self.keys = [keys[:, :, : self._used()].index_select(0, rows) for keys in self.keys]
        self.values = [values[:, :, : self._used()].index_select(0, rows) for values in self.values]

    def keep_sentences(self, sentences: Tensor) -> None:
        """Keep the encoder's output of these sentences only; :meth:`reorder` then selects their hypotheses."""
        self.memory = [(K.index_select(0, sentences), V.index_select(0, sentences)) for K, V in self.memory]
        if self.source_mask is not None:
            self.source_mask = self.source_mask.index_select(0, sentences)

    def _layers(self) -> list[DecoderLayer]:
        return list(self.model.decoder)  # type: ignore[arg-type]

    def _layer(self, number: int, layer: DecoderLayer, x: Tensor, B: int, K: int) -> Tensor:
        """Apply one decoder layer to one new position of each hypothesis, (B * K, 1, d_model)."""
        attention = layer.self_attention
        query, key, value = attention.project(x)  # (B * K, h, 1, d_k)
        keys, values = self._append(number, key, value)
        x = layer.after_self_attention(x, attention.attend(query, keys, values, None))
        side_by_side = x.view(B, K, -1)
        x = layer.after_cross_attention(
            side_by_side, layer.cross_attention.look_up(side_by_side, *self.memory[number], self.source_mask)
        ).view(B * K, 1, -1)
        return layer.after_feed_forward(x, layer.feed_forward(x))

    def _append(self, number: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Store the newest key and value (B * K, h, 1, d_k) and (…, d_v); return all t keys and values."""
        t = self.length
        for store, new in ((self.keys, key), (self.values, value)):
            if number == len(store):
                store.append(new[:, :, :0])
            if store[number].shape[2] < t:
                grown = new.new_empty(*new.shape[:2], t - 1 + GROWTH, new.shape[3])
                grown[:, :, : t - 1] = store[number][:, :, : t - 1]
                store[number] = grown
            store[number][:, :, t - 1] = new[:, :, 0]
        return self.keys[number][:, :, :t], self.values[number][:, :, :t]

    def _used(self) -> int:
        """Return the number of positions to copy: those in use, rounded up to where the cache next grows."""
        return -(-self.length // GROWTH) * GROWTH
