// Text to token ids and back, with the vocabularies of src/transformer/subwords/: byte-pair encoding, word-pieces, and
// the symbols of trees.  A vocabulary is { kind, pieces, symbols, first_id, tags }; the last three are a parser's.

const SPECIAL = 3, FIRST_BYTE = 3;  // ids of PAD, EOS and UNK come first; in byte-pair encoding the 256 bytes follow

// Byte-pair encoding: the pair of neighbours that was learned first is merged first, and its piece has the smallest id.
// A character without a piece is spelled in bytes.  U+2581 stands for a space, so in a text it is escaped.
class BytePairs {
  constructor(pieces) {
    this.pieces = pieces;
    this.ids = new Map(pieces.map((piece, id) => [piece, id]).slice(FIRST_BYTE + 256));
  }

  encode(text) {
    if (!text) return [];
    const escaped = text.replace(/[\u2581\ue000]/g, character => character === "\u2581" ? "\ue0001" : "\ue0000");
    // In a piece, a space can only be the first character.
    const words = `\u2581${escaped.replaceAll(" ", "\u2581")}`.match(/\u2581[^\u2581]*/g);
    return words.flatMap(word => this.encodeWord([...word]));
  }

  encodeWord(parts) {
    for (;;) {
      let first = Infinity, place = -1;
      for (let i = 0; i + 1 < parts.length; i++) {
        const id = this.ids.get(parts[i] + parts[i + 1]) ?? Infinity;
        if (id < first) [first, place] = [id, i];
      }
      if (place < 0) break;
      parts.splice(place, 2, parts[place] + parts[place + 1]);
    }
    return parts.flatMap(part => this.ids.get(part) ?? Array.from(new TextEncoder().encode(part), b => FIRST_BYTE + b));
  }

  isByte(id) {
    return id >= FIRST_BYTE && id < FIRST_BYTE + 256;
  }

  bytes(id) {
    return this.isByte(id) ? [id - FIRST_BYTE] : [...new TextEncoder().encode(this.pieces[id])];
  }

  // The text of ids, with the space that begins the first word.  A byte that is part of no character becomes a �.
  text(ids) {
    const bytes = ids.filter(id => id >= SPECIAL).flatMap(id => this.bytes(id));
    let text = "";
    for (let start = 0, count; start < bytes.length; start += count) {
      count = [1, 2, 3, 4].find(count => isUtf8(bytes.slice(start, start + count))) ?? 1;
      text += decoded(bytes.slice(start, start + count));
    }
    return text.replaceAll("\u2581", " ").replace(/\ue000[01]/g, pair => pair === "\ue0001" ? "\u2581" : "\ue000");
  }
}

// Word-pieces: each word is segmented from left to right, always with the longest piece that fits.  Pieces are written
// in an alphabet with one character for each byte, as in GPT-2.
class WordPieces {
  constructor(pieces) {
    this.pieces = pieces;
    this.ids = new Map(pieces.map((piece, id) => [piece, id]));
    this.longest = Math.max(...pieces.map(piece => piece.length));
    const printable = byte => byte > 32 && byte < 127 || byte > 160 && byte !== 173;
    let others = 256;
    this.alphabet = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : others++));
    this.byteOf = new Map(this.alphabet.map((character, byte) => [character, byte]));
  }

  encode(text) {
    const space = "\\p{White_Space}", letters = "\\p{L}\\p{M}\\p{N}";
    const words = new RegExp(
      ` ?[${letters}]{1,64}| ?[^${space}${letters}]{1,64}|${space}{1,64}(?!\\P{White_Space})|${space}{1,64}`, "gu");
    return (` ${text}`.match(words) ?? []).flatMap(word => this.encodeWord(word));
  }

  encodeWord(word) {
    const written = Array.from(new TextEncoder().encode(word), byte => this.alphabet[byte]).join(""), ids = [];
    for (let start = 0; start < written.length;) {
      let end = Math.min(written.length, start + this.longest);
      while (!this.ids.has(written.slice(start, end))) end--;
      ids.push(this.ids.get(written.slice(start, end)));
      start = end;
    }
    return ids;
  }

  // A piece that is not a whole character: the vocabulary has none for the character that it belongs to.
  isByte(id) {
    return id >= SPECIAL && decoded(this.bytes(id)).includes("\ufffd");
  }

  bytes(id) {
    return [...this.pieces[id]].map(character => this.byteOf.get(character));
  }

  text(ids) {
    return decoded(ids.filter(id => id >= SPECIAL).flatMap(id => this.bytes(id)));
  }
}

function decoded(bytes, fatal = false) {
  return new TextDecoder("utf-8", { ignoreBOM: true, fatal }).decode(new Uint8Array(bytes));
}

function isUtf8(bytes) {
  try { return decoded(bytes, true) !== ""; } catch { return false; }
}

// What a model reads and writes.  A translator's source and target have the same vocabulary; a parser writes symbols.
class Vocabulary {
  constructor({ kind, pieces, symbols, first_id, tags }) {
    this.subwords = kind === "bpe" ? new BytePairs(pieces) : new WordPieces(pieces);
    this.symbols = symbols;
    this.firstId = first_id;
    this.tags = tags ?? [];
  }

  get isParser() { return this.symbols !== undefined; }

  // The ids of a typed sentence, without EOS, and the words of a parser's sentence: { ids, words }.  As in the training
  // text, a sentence to translate has no byte order marks and NULs, and no ends that Python's strip() takes away.
  // Where tags are the parser's input, each word follows its tag: DT The NN dog.
  encode(text) {
    if (!this.isParser) {
      const sentence = text.replace(/[\ufeff\0]/g, "").replace(/^[\s\x1c-\x1f\x85]+|[\s\x1c-\x1f\x85]+$/g, "");
      return { ids: sentence ? this.subwords.encode(sentence) : [], words: [] };
    }
    const tokens = text.replaceAll("(", "-LRB-").replaceAll(")", "-RRB-").match(/[^ \t\n\r\f\v]+/g) ?? [];
    if (!this.tags.length) return { ids: this.subwords.encode(tokens.join(" ")), words: tokens };
    if (tokens.length % 2) throw new Error("This parser reads each word after its tag: DT The NN dog");
    const ids = tokens.flatMap((token, n) => {
      if (n % 2) return this.subwords.encode(token);
      const tag = this.tags.indexOf(token);
      return [tag < 0 ? UNK : this.subwords.pieces.length + tag];
    });
    return { ids, words: tokens.filter((_, n) => n % 2) };
  }

  // The written form of a source token, with ▁ for the space before a word.
  sourcePiece(id) {
    const { pieces } = this.subwords;
    if (id >= pieces.length) return this.tags[id - pieces.length];
    if (id < SPECIAL || this.subwords.isByte(id)) return pieces[id];
    return this.subwords.text([id]).replaceAll(" ", "\u2581");
  }

  // Whether a source token spells a part of a character that the vocabulary lacks, or is an unknown tag.
  isUnknown(id) {
    return id === UNK || id < this.subwords.pieces.length && this.subwords.isByte(id);
  }

  targetPiece(id) {
    return this.isParser && id >= SPECIAL ? this.symbols[id - this.firstId] ?? "" : this.sourcePiece(id);
  }

  // The text of target ids: a translation, or symbols separated by spaces.
  decode(ids) {
    if (this.isParser) return ids.filter(id => id >= this.firstId).map(id => this.symbols[id - this.firstId]).join(" ");
    return this.subwords.text(ids).replace(/^ /, "").replaceAll("\n", " ");
  }
}
