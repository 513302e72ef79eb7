"""The keys of config/config.yaml and of a scale's file, each declared once; those of a run are in run_settings.py."""

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from transformer.common.checked import AS_WRITTEN, Checked, Different, Number, Text, key
from transformer.settings.free_text import Argument, Line

# The parsers of Table 4, and the data that each is trained on: the treebank, or the treebank and silver trees.
PARSERS = {"parser": "en-trees", "parser-semi": "en-silver"}

Pair = Annotated[str, Field(pattern="^[a-z]{2,3}-[a-z]{2,3}$")]
Side = Annotated[str, Field(pattern="^[a-z]{2,3}$")]
Count = Annotated[int, Field(ge=1)]
Tokens = Annotated[float, Field(ge=1), AS_WRITTEN]
Seed = Annotated[int, Field(ge=0, le=(1 << 32) - 1)]
Names = Annotated[list[str], Field(min_length=1), Different]
# Settings of a run, which ``merging.py`` checks.
RunChanges = dict[str, Any]


class Command(Checked):
    """What is built: config/config.yaml, as `--config` changes it."""

    scale: str = key("the name of a scale's file, without `.yaml`", "demo")
    seed: Seed = key("the seed of everything that is random, 0 to 4294967295", 1)
    seeds: Annotated[list[Seed], Field(min_length=1), Different] | None = key(
        "the seeds for the runs of Tables 2 to 4, e.g. `[1, 2, 3]`; what shows one model shows the first; "
        "`null`: `seed` only",
        None,
    )
    plan_device: Argument | None = key(
        "the device for `results/plan.md`, a name in `devices.yaml`; needed for a scale that trains on GPUs; "
        "`null`: `cpu-core`",
        None,
    )
    treebank: Argument | None = key(
        "the folder of your Wall Street Journal treebank, if the scale has `parsing.source: wsj`", None
    )
    silver_text: Argument | None = key("your file of raw English, which replaces the text of any scale", None)
    silver_trees: Argument | None = key(
        "your file of silver trees, which replaces the text of any scale and its parsing", None
    )
    table2: Names | None = key(
        "the runs that are rows of Table 2, e.g. `[base, big, mine]`; `null`: those of the scale, or base and"
        " big",
        None,
    )
    layer_rows: bool = key("`true`: Table 2 has three rows with the other layers of Table 1", False)
    t2t_rows: bool = key("`true`: Table 2 has base and big as Tensor2Tensor 1.0.3 made them", False)
    jobs_per_gpu: Annotated[int, Field(ge=1, le=64)] | None = key(
        "how many of the jobs that use one GPU share it (`docs/cluster.md`)", 1
    )
    track: Literal["tensorboard"] | None = key(
        "`tensorboard`: shows training curves while trainings run (`docs/terminal.md`)", None
    )
    mirror: Argument | None = key(
        "a folder or a base URL to download from before the public addresses are tried", None
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.silver_text is not None and self.silver_trees is not None:
            raise ValueError(
                "silver_text and silver_trees are both set; the trees replace the text, so give one"
            )
        return self


class Grammar(Checked):
    """Sentences to generate, instead of a download."""

    train: Count = key("sentences of this split to generate, instead of a download")
    dev: Count = key("sentences of this split")
    test: Count = key("sentences of this split")


class Sources(Checked):
    """Of what each split consists."""

    train: Names = key("a list of names in `sources.yaml`, whose sentence pairs are joined")
    dev: Names = key("a list of names, as for `train`")
    test: str = key("one name")


class OwnText(Checked):
    """A path for each language, or `tsv` with `columns`."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[Side, Text]
    tsv: Text | None = key(
        "one file with tab-separated columns, in place of a file for each language, such as `en`", None
    )
    columns: dict[Side, Count] | None = key("the column of each language, from 1", None)


class OwnFiles(Checked):
    """The user's own text by its splits."""

    train: OwnText = key(
        "a path for each language, which may have wildcards or lead into an archive; plain text, `.sgm` or "
        "`.xml`, also compressed"
    )
    dev: OwnText | Count | None = key(
        "a text, or the number of pairs to cut from `train`; if it is left out, a number is chosen", None
    )
    test: OwnText | Count | None = key("as `dev`", None)


class Subwords(Checked):
    """A vocabulary (section 5.1)."""

    kind: Literal["bpe", "wordpiece"] = key("how it is learned: `bpe` or `wordpiece`")
    vocab_size: int = key("entries of the vocabulary, at least 300", ge=300, le=1000000)


class Clean(Checked):
    """Limits for training text."""

    max_length: Count = key(
        "most words per side of a training pair; without blanks between words, they are estimated "
        "(`docs/your-corpus.md`)"
    )
    max_ratio: Annotated[float, Field(ge=1), AS_WRITTEN] = key(
        "most words of the longer side divided by those of the shorter"
    )
    deduplicate: bool = key("`true`: repeated training pairs are dropped")
    max_pairs: Count | None = key(
        "the most training pairs that are kept, from the beginning of the corpus", None
    )


class LanguagePair(Checked):
    """The corpus of a language pair."""

    source: str | Sources | None = key(
        "a name in `sources.yaml`, or names for `train`, `dev` and `test`", None
    )
    files: OwnFiles | None = key("your own text (`docs/your-corpus.md`)", None)
    clean: dict[str, Any] | None = key(
        "limits for this pair in place of those of `clean`, with the same keys", None
    )
    subwords: Subwords = key("the vocabulary that both languages share")


class SilverPart(Checked):
    """A split of a source."""

    source: str = key("a name in `sources.yaml`")
    split: Literal["train", "dev", "test"] = key("of that source: `train`, `dev` or `test`")


class Silver(Checked):
    """Silver trees for the semi-supervised parser."""

    text: Literal["grammar", "file"] | Annotated[list[SilverPart], Field(min_length=1), Different] = key(
        "`grammar`, `file` (your own) or a list of sources, each with `source` and `split`"
    )
    sentences: Count = key("sentences of raw text to parse")
    beam_size: int = key("the beam of our parser on the raw text", ge=1, le=100)
    vocab_size: int = key(
        "entries of the vocabulary of the parser that is trained on silver trees", ge=300, le=1000000
    )
    min_f1: Annotated[float, Field(ge=1, le=100), AS_WRITTEN] = key(
        "two trees agree if their F1, in percent, is at least this"
    )
    oversample: Count = key("how often each gold tree is repeated")


class Parsing(Checked):
    """Table 4 (section 6.3)."""

    treebank: Line = key("the name of the treebank in captions; without `parsing`, there is no Table 4")
    source: Text = key("`grammar`, `wsj` (your own copy) or a name in `sources.yaml`")
    sentences: Count | None = key("sentences in the training split of a generated treebank", None)
    words: Literal["tags", "XX"] = key("what a word is in a linearised tree: `tags` (its tag) or `XX`")
    input_tags: Literal["none", "gold", "predicted"] = key(
        "the tags before the words of the input: `none`, `gold` or `predicted` (by a PCFG)"
    )
    subwords: Subwords = key("the vocabulary of words")
    shared_vocabulary: bool = key("`true`: subwords and tree symbols share one embedding matrix")
    constituents: Annotated[float, Field(ge=0, le=1), AS_WRITTEN] = key(
        "the share of constituents that become training sentences of their own, 0 to 1"
    )
    copies: Count = key("copies of the training split, each with other subword segmentations")
    bpe_dropout: Annotated[float, Field(ge=0, lt=1), AS_WRITTEN] = key(
        "the probability that a merge is skipped in a copy"
    )
    silver: Silver = key("silver trees for the semi-supervised parser")


class Expected(Checked):
    """The size of a corpus, before there is one."""

    pairs: Count = key("sentence pairs that the memory of trainings, and `results/plan.md`, assume", 100000)
    source_tokens: Tokens = key("subwords per sentence that `results/plan.md` assumes", 20)
    target_tokens: Tokens = key("subwords per sentence of the other side", 20)


class FarWord(Checked):
    """A sentence, and the word whose attention is drawn (Figure 3)."""

    sentence: Text | None = key("the sentence; without `attention`, Figures 3 to 5 are left out", None)
    test_line: Count | None = key("instead of a sentence, its line in the English test set", None)
    word: Text = key("the word whose attention is drawn alone")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        """Find words that no vocabulary could have; a sentence given by its line is read only by the figures."""
        if (self.sentence is None) == (self.test_line is None):
            raise ValueError("give exactly one of sentence, test_line")
        sentence = " ".join((self.sentence or "").split())
        for name in ("word", "antecedent"):
            word = getattr(self, name, "")
            if sentence and word not in sentence:
                raise ValueError(
                    f"{name}: {word!r} is not in the sentence; name one of its words: {sentence}"
                )
        return self


class Anaphora(FarWord):
    """The same for a pronoun (Figures 4 and 5)."""

    antecedent: Text = key("the word that `word` refers to")


class Attention(Checked):
    """The sentences whose attention Figures 3, 4 and 5 show."""

    long_distance: FarWord = key("of Figure 3")
    anaphora: Anaphora = key("of Figures 4 and 5")


class ScaleFile(Checked):
    """The file of a scale, with what it inherits."""

    inherits: Text | None = key("the name of a scale, whose values hold where this file has none", None)
    corpus: Line = key("the name of the corpus in captions", max_length=1000)
    licence: Line | None = key("the licence of your own files; tables and model cards repeat it", None)
    citation: Line | None = key("what to cite for your own files; tables and model cards repeat it", None)
    grammar: Grammar | None = key("the sentences to generate", None)
    translation: dict[Pair, LanguagePair] = key(
        "by pairs of language codes of two or three letters, e.g. `de-en`", min_length=1
    )
    table2: Names | None = key("the runs that are rows of Table 2, unless `config.yaml` names them", None)
    parsing: Parsing | None = key("the parsers of Table 4", None)
    expected: dict[str, Expected] | None = key(
        "the sizes of the corpora, by language pairs, `en-trees` and `en-silver`", None
    )
    attention: Attention | None = key("the sentences of Figures 3 to 5", None)
    clean: Clean = key("limits for training text")
    data_threads: Count = key("processes of each job that encodes text")
    shrink: dict[str, Annotated[Number, Field(ge=1)]] = key(
        "the numbers by which settings of `runs.yaml` are divided, each at least 1"
    )
    settings: RunChanges = key("settings that replace those of `base`, with the keys of `runs.yaml`")
    runs: dict[str, RunChanges] | None = key(
        "settings for single runs, by the names of `runs.yaml`; any other name is a run of your own", None
    )
