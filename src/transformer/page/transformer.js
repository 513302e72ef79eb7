// The Transformer of "Attention Is All You Need" and its beam search, for one sentence at a time, in the order of the
// paper.  It computes what src/transformer/model/ and src/transformer/decoding/ compute.
//
// Shapes: S source positions; R rows, the positions that are computed together; V entries of the vocabulary; h heads.
// A matrix (rows, columns) is a Float32Array that holds one row after the other.  Sums are of 64 bits.

const PAD = 0, EOS = 1, UNK = 2;
const LAYER_NORM_EPSILON = 1e-6;
const MOST_OPENINGS = 8;

// ---- Section 3.2: attention

// x W^T + b, from x (R, inputs), W of shape [outputs, inputs] and b (outputs), to (R, outputs).
// Two rows and four outputs at a time, so that each number is read from memory less often.  The last ones of an odd
// number are computed twice.
function linear({ W, b }, x) {
  const [outputs, inputs] = W.shape, w = W.data, R = x.length / inputs;
  const y = new Float32Array(R * outputs);
  for (let o = 0; o < outputs; o += 4) {
    const last = outputs - 1, o1 = Math.min(o + 1, last), o2 = Math.min(o + 2, last), o3 = Math.min(o + 3, last);
    const w0 = o * inputs, w1 = o1 * inputs, w2 = o2 * inputs, w3 = o3 * inputs;
    for (let r = 0; r < R; r += 2) {
      const r1 = Math.min(r + 1, R - 1), x0 = r * inputs, x1 = r1 * inputs;
      let a0 = 0, a1 = 0, a2 = 0, a3 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0;
      for (let i = 0; i < inputs; i++) {
        const u = x[x0 + i], v = x[x1 + i], m0 = w[w0 + i], m1 = w[w1 + i], m2 = w[w2 + i], m3 = w[w3 + i];
        a0 += u * m0; a1 += u * m1; a2 += u * m2; a3 += u * m3;
        b0 += v * m0; b1 += v * m1; b2 += v * m2; b3 += v * m3;
      }
      const y0 = r * outputs, y1 = r1 * outputs;
      y[y0 + o] = a0; y[y0 + o1] = a1; y[y0 + o2] = a2; y[y0 + o3] = a3;
      y[y1 + o] = b0; y[y1 + o1] = b1; y[y1 + o2] = b2; y[y1 + o3] = b3;
    }
  }
  if (b) for (let n = 0; n < y.length; n++) y[n] += b.data[n % outputs];
  return y;
}

// Equation (1) for each head: softmax(Q K^T / sqrt(d_k)) V, from Q (R, h d_k) and the lists of rows K (nodes, h d_k)
// and V (nodes, h d_v) to the heads side by side (R, h d_v).  The mask is a list: row r may attend to the nodes seen[r] only, which rise.
// The weights of row r and head j, up to those of the last node, are pushed to record[j], if it is given.
function attention(Q, K, V, seen, { h, d_k, d_v }, record) {
  const heads = new Float32Array(seen.length * h * d_v);
  seen.forEach((nodes, r) => {
    for (let j = 0; j < h; j++) {
      const q = (r * h + j) * d_k, weights = new Float32Array(nodes.length);
      nodes.forEach((node, n) => {
        const key = K[node], k = j * d_k;
        let score = 0;
        for (let i = 0; i < d_k; i++) score += Q[q + i] * key[k + i];
        weights[n] = score / Math.sqrt(d_k);
      });
      softmax(weights);
      const out = (r * h + j) * d_v;
      nodes.forEach((node, n) => {
        const value = V[node], v = j * d_v, weight = weights[n];
        for (let i = 0; i < d_v; i++) heads[out + i] += weight * value[v + i];
      });
      if (record) {
        record[j].push(new Float32Array(nodes.at(-1) + 1));
        nodes.forEach((node, n) => record[j].at(-1)[node] = weights[n]);
      }
    }
  });
  return heads;
}

// The R rows of a matrix, without a copy.
function rowsOf(x, R) {
  return Array.from({ length: R }, (_, r) => x.subarray(r * x.length / R, (r + 1) * x.length / R));
}

function softmax(x) {
  const largest = x.reduce((a, b) => Math.max(a, b), -Infinity);
  let total = 0;
  for (let i = 0; i < x.length; i++) total += x[i] = Math.exp(x[i] - largest);
  for (let i = 0; i < x.length; i++) x[i] /= total;
}

// ---- Sections 3.1 and 3.3: the sub-layers

const ACTIVATIONS = {
  relu: x => Math.max(0, x),
  // x Φ(x); the polynomial is off by 1.5e-7 at most (Abramowitz and Stegun 1964, 7.1.26, for erf).
  gelu(x) {
    const t = 1 / (1 + 0.3275911 * Math.abs(x) / Math.SQRT2);
    const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
    const tail = sum * Math.exp(-x * x / 2) / 2;
    return x * (x > 0 ? 1 - tail : tail);
  },
};

// Equation (2): max(0, x W_1 + b_1) W_2 + b_2, or another activation.
function feedForward({ W_1, W_2 }, x, activation = "relu") {
  return linear(W_2, linear(W_1, x).map(ACTIVATIONS[activation]));
}

// The convolutional layer of section 4: row r of x (R, d) becomes W (d, d, k) times the k rows centred on it, `dilation`
// apart, which are zero past the ends, plus b.
function convolution({ W, b }, x, dilation) {
  const [d, , k] = W.shape, windows = new Float32Array(x.length * k);
  for (let n = 0; n < windows.length; n++) {
    const column = Math.floor(n / k) % d, row = Math.floor(n / (k * d)) + dilation * (n % k - (k - 1) / 2);
    windows[n] = x[row * d + column] ?? 0;
  }
  return linear({ W: { shape: [d, d * k], data: W.data }, b }, windows);
}

// LayerNorm(x + Sublayer(x)); all are (R, d_model).
function addAndNorm({ gain, bias }, x, sublayer) {
  const d = gain.data.length, y = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += d) {
    let mean = 0, variance = 0;
    for (let i = 0; i < d; i++) mean += (y[start + i] = x[start + i] + sublayer[start + i]) / d;
    for (let i = 0; i < d; i++) variance += (y[start + i] - mean) ** 2 / d;
    const scale = 1 / Math.sqrt(variance + LAYER_NORM_EPSILON);
    for (let i = 0; i < d; i++) y[start + i] = (y[start + i] - mean) * scale * gain.data[i] + bias.data[i];
  }
  return y;
}

// ---- Section 3.5: positional encodings

// PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos(the same).
function sinusoids(position, d) {
  return Array.from({ length: d }, (_, i) => {
    const angle = position / 10000 ** ((i - i % 2) / d);
    return i % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

// As in the 2017 code: all sines, then all cosines.
function sinusoidsInHalves(position, d) {
  const half = Math.floor(d / 2);
  return Array.from({ length: d }, (_, i) => {
    const angle = position / 10000 ** (half === 1 ? 0 : i % half / (half - 1));
    return i < half ? Math.sin(angle) : Math.cos(angle);
  });
}

// ---- The model

class Transformer {
  // `config` is that of model.json; `tensors` maps the names in model.safetensors to { shape, data }.
  constructor(config, tensors) {
    const { h, d_k, d_v } = config, unused = new Set(tensors.keys());
    const optional = name => unused.delete(name) ? tensors.get(name) : undefined;
    const tensor = name => optional(name) ?? fail(`${name} is missing`);
    const fail = problem => { throw new Error(`model.safetensors holds another model: ${problem}`); };
    const matrix = name => ({ W: tensor(`${name}.weight`), b: optional(`${name}.bias`) });
    const norm = name => ({ gain: tensor(`${name}.norm.weight`), bias: tensor(`${name}.norm.bias`) });
    const sublayers = name => ({
      W_1: matrix(`${name}.feed_forward.W_1`), W_2: matrix(`${name}.feed_forward.W_2`),
      afterFeedForward: norm(`${name}.after_feed_forward`),
    });
    const selfAttention = name => {
      const [W_Q, W_K, W_V] = parts(matrix(`${name}.W_QKV`), [h * d_k, h * d_k, h * d_v]);
      return { W_Q, W_K, W_V, W_O: matrix(`${name}.W_O`) };
    };
    const crossAttention = name => {
      const [W_K, W_V] = parts(matrix(`${name}.W_KV`), [h * d_k, h * d_v]);
      return { W_Q: matrix(`${name}.W_Q`), W_K, W_V, W_O: matrix(`${name}.W_O`) };
    };
    const layers = kind => Array.from({ length: config.N }, (_, n) => `${kind}.${n}`);
    const first = name => config.encoder_layer === "convolutional" ? { kernel: matrix(`${name}.kernel`) } : selfAttention(name);
    this.config = config;
    this.encoder = layers("encoder").map(name => ({
      first: first(`${name}.self_attention`), afterSelf: norm(`${name}.after_attention`), ...sublayers(name),
    }));
    this.decoder = layers("decoder").map(name => ({
      self: selfAttention(`${name}.self_attention`), afterSelf: norm(`${name}.after_self_attention`),
      cross: crossAttention(`${name}.cross_attention`), afterCross: norm(`${name}.after_cross_attention`),
      ...sublayers(name),
    }));
    this.embedding = tensor("embedding");
    this.targetEmbedding = optional("own_target_embedding") ?? this.embedding;
    this.softmaxMatrix = optional("own_softmax") ?? this.targetEmbedding;
    this.targetSpace = optional("target_space");
    this.learned = optional("positions.table");
    this.sourceWords = optional("positions.source_words")?.data;
    this.targetWords = optional("positions.target_words")?.data;
    if (unused.size) fail(`there is no place for ${[...unused][0]}`);
  }

  // The encoding (d_model) of a position in the word of this number, which only the encoding "words" looks at.
  position(position, word) {
    const { positions, d_model } = this.config;
    if (positions === "sinusoidal") return sinusoids(position, d_model);
    if (positions === "halves") return sinusoidsInHalves(position, d_model);
    if (positions === "words") return [...sinusoids(position, d_model / 2), ...sinusoids(word, d_model / 2)];
    const row = Math.min(position, this.learned.shape[0] - 1);
    return this.learned.data.subarray(row * d_model, (row + 1) * d_model);
  }

  // Section 3.4: embeddings times sqrt(d_model), plus positional encodings: (R, d_model).  PAD's embedding is zero.
  embed({ data }, tokens, positions, words) {
    const d = this.config.d_model, x = new Float32Array(tokens.length * d), factor = Math.sqrt(d);
    tokens.forEach((token, r) => {
      const encoding = this.position(positions[r], words?.[r]);
      for (let i = 0; i < d; i++) {
        x[r * d + i] = (token === PAD ? 0 : data[token * d + i] * factor) + encoding[i];
      }
    });
    return x;
  }

  // Return what the decoder needs: the keys and values of the encoder's output for each of its layers, an empty cache,
  // and the attention weights of each of the encoder's layers and heads.  `source` ends in EOS.
  encode(source) {
    const { config } = this, all = [...source.keys()], weights = recorder(config);
    const side = config.encoder_layer === "restricted" ? (config.window_size - 1) / 2 : source.length;
    const seen = all.map(s => all.slice(Math.max(0, s - side), s + side + 1));
    let count = 0;
    const words = this.sourceWords && source.map(token => count += this.sourceWords[token]);
    const rows = (W, x) => rowsOf(linear(W, x), source.length);
    let x = this.embed(this.embedding, source, all, words);
    if (this.targetSpace) x = x.map((value, i) => value + this.targetSpace.data[i % config.d_model]);
    this.encoder.forEach((layer, n) => {
      const { kernel, W_Q, W_K, W_V, W_O } = layer.first;
      const y = kernel ? convolution(kernel, x, ((config.kernel_size + 1) / 2) ** n)
        : linear(W_O, attention(linear(W_Q, x), rows(W_K, x), rows(W_V, x), seen, config, weights[n]));
      x = addAndNorm(layer.afterSelf, x, y);
      x = addAndNorm(layer.afterFeedForward, x, feedForward(layer, x, config.activation));
    });
    return {
      S: source.length, weights, nodes: 0, words: [],
      memory: this.decoder.map(({ cross }) => ({ K: rows(cross.W_K, x), V: rows(cross.W_V, x) })),
      cache: this.decoder.map(() => ({ K: [], V: [] })),
    };
  }

  // Decode R tokens that belong to one or several hypotheses, and return their states (R, d_model).
  // Each becomes a node of the cache, which keeps its keys and values.  paths[r] lists the nodes from the first token to
  // that of row r; these are all that the row attends to.  `record` receives attention weights, see attentionWeights().
  decode(state, tokens, paths, record) {
    const { config } = this, source = Array.from({ length: state.S }, (_, s) => s), seen = tokens.map(() => source);
    // The number of the word that follows each token.
    tokens.forEach((token, r) => {
      const before = paths[r].length > 1 ? state.words[paths[r].at(-2)] : 1;
      state.words.push(before + (this.targetWords?.[token] ?? 0));
    });
    const words = state.words.slice(state.nodes), positions = paths.map(path => path.length - 1);
    let x = this.embed(this.targetEmbedding, tokens, positions, words);
    this.decoder.forEach((layer, n) => {
      const { self, cross } = layer, cache = state.cache[n], memory = state.memory[n];
      cache.K.push(...rowsOf(linear(self.W_K, x), tokens.length));
      cache.V.push(...rowsOf(linear(self.W_V, x), tokens.length));
      const own = attention(linear(self.W_Q, x), cache.K, cache.V, paths, config, record?.decoder[n]);
      x = addAndNorm(layer.afterSelf, x, linear(self.W_O, own));
      const looked = attention(linear(cross.W_Q, x), memory.K, memory.V, seen, config, record?.cross[n]);
      x = addAndNorm(layer.afterCross, x, linear(cross.W_O, looked));
      x = addAndNorm(layer.afterFeedForward, x, feedForward(layer, x, config.activation));
    });
    state.nodes += tokens.length;
    return x;
  }

  // The pre-softmax linear map of section 3.4: (R, d_model) to (R, V).
  logits(states) {
    return linear({ W: this.softmaxMatrix }, states);
  }

  // The attention weights of each layer and head while the model reads a source, which ends in EOS, and writes a target
  // and EOS: { encoder, decoder, cross }, each [layer][head][query][key].  A query of the decoder is a token of its
  // input, PAD and the target; row t of cross belongs to the token that is written at t.
  attentionWeights(source, target) {
    const state = this.encode(source), input = [PAD, ...target];
    const weights = { encoder: state.weights, decoder: recorder(this.config), cross: recorder(this.config) };
    this.decode(state, input, input.map((_, t) => Array.from({ length: t + 1 }, (_, node) => node)), weights);
    return weights;
  }
}

// The blocks of rows of a joint matrix, without a copy.
function parts({ W, b }, widths) {
  const columns = W.shape[1];
  let start = 0;
  return widths.map(width => {
    const end = start + width, block = {
      W: { shape: [width, columns], data: W.data.subarray(start * columns, end * columns) },
      b: b && { shape: [width], data: b.data.subarray(start, end) },
    };
    start = end;
    return block;
  });
}

function recorder({ N, h }) {
  return Array.from({ length: N }, () => Array.from({ length: h }, () => []));
}

// ---- Section 6.1: beam search, by the rules of src/transformer/decoding/beam_search.py

// ((5 + length) / 6)^alpha, which divides a log-probability (Wu et al. 2016, equation 14).
function lengthPenalty(length, alpha) {
  return ((5 + length) / 6) ** alpha;
}

// Search for the best target of a source, which ends in EOS.  `constraint` is a TreeConstraint or nothing.
// Returns { best, steps }: steps[t] has the hypotheses of t + 1 tokens, those `alive` and those `finished`, each from the
// best to the worst.  A hypothesis has its `tokens` without EOS, logP, the score logP / penalty, and the place of its
// parent among the alive ones of the step before.
function beamSearch(model, source, { beam_size: K, alpha, max_extra_tokens }, constraint) {
  const considered = K === 1 ? 1 : 2 * K, longest = source.length + max_extra_tokens;
  const state = model.encode(source), steps = [];
  let alive = [{ tokens: [], path: [], logP: 0, tree: constraint?.start(longest) }];
  let best = null;  // of the finished ones
  for (let length = 1; length <= longest; length++) {
    const penalty = lengthPenalty(length, alpha), finished = [], next = [];
    const paths = alive.map(({ path }, k) => [...path, state.nodes + k]);
    const logits = model.logits(model.decode(state, alive.map(({ tokens }) => tokens.at(-1) ?? PAD), paths));
    for (const { parent, token, logP } of continuations(model.config, logits, alive, considered, constraint)) {
      const { tokens, tree } = alive[parent], scored = { parent, logP, score: logP / penalty };
      if (token === EOS) {
        finished.push({ tokens, ...scored });
      } else if (next.length < K) {
        next.push({ tokens: [...tokens, token], path: paths[parent], tree: constraint?.after(tree, token), ...scored });
      }
    }
    steps.push({ alive: next, finished });
    if (finished.length && !(best?.score >= finished[0].score)) best = finished[0];
    alive = next;
    // Log-probabilities only fall, so no alive hypothesis can reach more than this.
    const reachable = alive.length ? alive[0].logP / lengthPenalty(longest, alpha) : -Infinity;
    if (best?.score >= reachable || !alive.length) break;
  }
  return { best: best ?? alive[0], steps };
}

// The best continuations { parent, token, logP } of the alive hypotheses, whose logits are (R, V), the best one first.
function continuations(config, logits, alive, count, constraint) {
  const V = logits.length / alive.length, entries = config.target_vocab_size ?? config.vocab_size, found = [];
  alive.forEach(({ logP, tree }, parent) => {
    const row = logits.subarray(parent * V, (parent + 1) * V);
    let largest = -Infinity, total = 0;
    for (let token = 0; token < V; token++) largest = Math.max(largest, row[token]);
    for (let token = 0; token < V; token++) total += Math.exp(row[token] - largest);
    const before = logP - largest - Math.log(total);
    for (let token = PAD + 1; token < entries; token++) {  // rows without a token are never output
      const candidate = { parent, token, logP: before + row[token] };
      if (found.length === count && candidate.logP <= found[count - 1].logP) continue;
      if (constraint && !constraint.allows(tree, token)) continue;
      const place = found.findIndex(other => other.logP < candidate.logP);
      found.splice(place < 0 ? found.length : place, 0, candidate);
      found.length = Math.min(found.length, count);
    }
  });
  return found;
}

// The symbols with which a linearised tree over a number of words can go on, as in
// src/transformer/parsing/tree_constraint.py: each hypothesis becomes a tree.
class TreeConstraint {
  constructor(symbols, firstId, words) {
    this.symbols = symbols;
    this.firstId = firstId;
    this.words = words;
  }

  // The state of the empty hypothesis: words still to come, symbols that still fit, openings at the end, open labels.
  start(room) {
    return { left: this.words, room, openings: 0, open: [] };
  }

  allows({ left, room, openings, open }, token) {
    const symbol = this.symbols[token - this.firstId] ?? "", depth = open.length;
    if (token === EOS) return depth === 0 && left === 0;
    if (symbol === "") return false;
    // After an opening, the words left, one closing more than now, and EOS must still fit.
    if (symbol[0] === "(") return left > 0 && openings < MOST_OPENINGS && room - 1 >= left + depth + 2;
    if (symbol[0] !== ")") return depth > 0 && left > 0;
    // The outermost constituent closes after the last word, and no constituent is empty.
    return depth > 0 && openings === 0 && (depth > 1 || left === 0) && symbol.slice(1) === open.at(-1);
  }

  after({ left, room, openings, open }, token) {
    const symbol = this.symbols[token - this.firstId];
    if (symbol[0] === "(") return { left, room: room - 1, openings: openings + 1, open: [...open, symbol.slice(1)] };
    if (symbol[0] === ")") return { left, room: room - 1, openings: 0, open: open.slice(0, -1) };
    return { left: left - 1, room: room - 1, openings: 0, open };
  }
}

// ---- Weights

// The bytes (ArrayBuffer) of a text in base64.
function unpacked(text) {
  return Uint8Array.from(atob(text), character => character.charCodeAt(0)).buffer;
}

// The number whose 16 bits are given: a sign, 5 bits of an exponent and 10 of a fraction (IEEE 754, binary16).
function fromHalf(bits) {
  const sign = bits >> 15 ? -1 : 1, exponent = bits >> 10 & 31, fraction = bits & 1023;
  return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction / 1024) : sign * 2 ** -14 * fraction / 1024;
}

// Read the content of a safetensors file (ArrayBuffer): 8 bytes, the length of the header; the header, JSON; the data.
// The page's own are of 16 bits.  A kernel's rows are (d, k).
function readTensors(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true)), tensors = new Map();
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const bytes = name => {
    const [start, end] = header[name].data_offsets;
    return buffer.slice(8 + length + start, 8 + length + end);
  };
  for (const [name, { dtype, shape }] of Object.entries(header)) {
    if (dtype === "F16") tensors.set(name, { shape, data: Float32Array.from(new Uint16Array(bytes(name)), fromHalf) });
    if (dtype === "F32") tensors.set(name, { shape, data: new Float32Array(bytes(name)) });
  }
  return tensors;
}
