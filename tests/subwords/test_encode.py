"""A parallel corpus as token ids, by the scripts."""

from pathlib import Path

import tiny

from transformer.common.special_tokens import EOS
from transformer.dataset.tokenized import TokenizedDataset
from transformer.subwords import encode, learn_subwords
from transformer.subwords.subwords import load_subwords


def test_every_sentence_ends_in_eos_and_decodes_to_itself(tmp_path: Path) -> None:
    texts = {"en": "The dog sees {} cats.\n", "de": "Der Hund sieht {} Katzen.\n"}
    files = {side: tmp_path / f"train.{side}" for side in texts}
    for side, line in texts.items():
        files[side].write_text("".join(map(line.format, range(100))))
    learning = [*files.values(), "--kind", "bpe", "--vocab-size", 300, "--output", tmp_path]
    assert tiny.run(learn_subwords.main, *learning) == 0
    options = ["--subwords", tmp_path / "subwords.model", "--output", tmp_path / "train"]
    assert tiny.run(encode.main, "--source", files["en"], "--target", files["de"], *options) == 0
    subwords, store = load_subwords(tmp_path / "subwords.model"), TokenizedDataset.open(tmp_path / "train")
    assert store.vocabulary_sha256 == subwords.sha256
    for of_side, file in ((store.source, files["en"]), (store.target, files["de"])):
        sentences = [of_side[index].tolist() for index in range(len(store))]
        assert all(sentence[-1] == EOS and EOS not in sentence[:-1] for sentence in sentences)
        assert "".join(subwords.decode(sentence) + "\n" for sentence in sentences) == file.read_text()
