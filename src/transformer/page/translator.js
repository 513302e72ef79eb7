// The part of the page in which the models answer.  startTranslator() connects translator.html with subwords.js and
// transformer.js; `content` is what pack_models.py wrote.

const ROW = 24, BETWEEN = 160;  // pixels: height of a word in the attention view, and width of its lines
const LONGEST = 1000;  // subwords with EOS: a longer sentence takes minutes
const COLUMN = 100, LINE = 17;  // pixels: a step of the beam search, and a hypothesis

function startTranslator(root, content) {
  const part = name => root.querySelector(`[data-part="${name}"]`);
  const entries = [...content.models];
  let loaded = null;  // { entry, vocabulary, model }
  let answer = null;  // { source, words, steps, finished, chosen, weights }
  let example = "";
  const say = text => { part("status").textContent = text; };

  function showEntries(chosen) {
    part("model").replaceChildren(...entries.map((entry, n) => {
      const text = `${entry.run}, ${entry.pair}${entry.left_out ? " (not in this page)" : ""}`;
      return element("option", { value: n, ...(entry === chosen && { selected: "" }) }, text);
    }));
  }

  // Make an entry's model the one that answers.
  function choose(entry) {
    loaded = null;
    part("answer").hidden = true;
    if (entry.left_out) {
      const open = entry.opens ? `Open model.safetensors and model.json of ${entry.folder}, or run` : "Run";
      say(`${entry.run}, ${entry.pair}: ${entry.left_out}. ${open}: ${entry.command}`);
      return;
    }
    entry.tensors ??= readTensors(unpacked(entry.weights));
    loaded = {
      entry, vocabulary: new Vocabulary(content.vocabularies[entry.vocabulary]),
      model: new Transformer(entry.config, entry.tensors),
    };
    const { isParser, tags } = loaded.vocabulary, { beam_size, alpha } = entry.beam;
    part("go").textContent = isParser ? "Parse" : "Translate";
    part("hint").hidden = !isParser;
    part("hint").textContent = tags.length ? "Write each word after its tag: DT The NN dog VBZ runs . ."
      : "Write spaces before marks, as the treebank does: The dog runs .";
    part("beam").max = Math.max(8, beam_size);
    part("beam").value = beam_size;
    part("alpha").max = Math.max(2, alpha);
    part("alpha").value = alpha;
    const sentence = part("sentence");
    if (sentence.value === example) sentence.value = entry.example;
    example = entry.example;
    // A convolution has no attention weights.
    const encoder = part("kind").querySelector('[value="encoder"]');
    encoder.disabled = entry.config.encoder_layer === "convolutional";
    if (encoder.disabled && encoder.selected) part("kind").value = "cross";
    const { N, h } = entry.config, numbers = count => Array.from({ length: count }, (_, n) => n);
    part("layer").replaceChildren(...numbers(N).map(n => element("option", { value: n }, `${n + 1} of ${N}`)));
    part("layer").value = Math.max(0, N - 2);
    part("head").replaceChildren(element("option", { value: "mean" }, `mean of ${h}`),
      ...numbers(h).map(n => element("option", { value: n }, n + 1)));
    run();
  }

  // Translate or parse the sentence.
  function run() {
    const beam_size = Number(part("beam").value), alpha = Number(part("alpha").value);
    part("beam-value").textContent = beam_size;
    part("alpha-value").textContent = Number(alpha.toFixed(3));
    if (!loaded) return;
    const { entry, vocabulary, model } = loaded, start = performance.now();
    part("answer").hidden = true;
    try {
      const { ids, words } = vocabulary.encode(part("sentence").value);
      if (!ids.length) return say("Type a sentence.");
      const constraint = vocabulary.isParser
        ? new TreeConstraint(vocabulary.symbols, vocabulary.firstId, words.length) : undefined;
      if (ids.length >= LONGEST) {
        return say(`The sentence has ${ids.length} subwords, and this page reads fewer than ${LONGEST}. Run: ${entry.command}`);
      }
      const source = [...ids, EOS];
      const { best, steps } = beamSearch(model, source, { ...entry.beam, beam_size, alpha }, constraint);
      const finished = steps.flatMap(step => step.finished).sort((a, b) => b.score - a.score);
      answer = { source, words, steps, finished: finished.length ? finished : [best] };
    } catch (error) {
      return say(error.message);
    }
    const took = performance.now() - start;
    say(`${entry.run}, ${entry.pair}: ${answer.source.length} subwords with EOS, ${answer.steps.length} steps, ` +
      `${took.toFixed(0)} ms`);
    showSubwords();
    part("answer").hidden = false;
    chooseHypothesis(answer.finished[0]);
  }

  function showSubwords() {
    const { vocabulary } = loaded, ids = answer.source.slice(0, -1);
    const begins = ids.map((id, n) => n === 0 || vocabulary.sourcePiece(id).startsWith("\u2581"));
    // The number of the word that each subword belongs to; a word with a character in bytes is unknown.
    let count = 0;
    const word = begins.map(first => count += first);
    const unknown = new Set(word.filter((_, n) => vocabulary.isUnknown(ids[n])));
    part("subwords").replaceChildren(...ids.map((id, n) => {
      const look = ["t-subword", begins[n] && "t-first", unknown.has(word[n]) && "t-unknown"].filter(Boolean).join(" ");
      return element("span", { class: look, title: `token ${id}` }, vocabulary.sourcePiece(id));
    }));
    part("unknown").hidden = !unknown.size;
  }

  // Show everything that depends on which finished hypothesis was chosen.
  function chooseHypothesis(hypothesis) {
    const { vocabulary, model, entry } = loaded, text = vocabulary.decode(hypothesis.tokens);
    answer.chosen = hypothesis;
    answer.weights = model.attentionWeights(answer.source, hypothesis.tokens);
    const tree = vocabulary.isParser ? treeOf(text.split(" "), answer.words) : null;
    part("output").textContent = tree ? brackets(tree) : text;
    part("output").lang = vocabulary.isParser ? "en" : entry.pair.split("-")[1];
    part("parse").hidden = !tree;
    part("parse").replaceChildren(...(tree ? [drawnTree(tree)] : []));
    part("beams").replaceChildren(drawnBeams(answer.steps, hypothesis, id => vocabulary.targetPiece(id)));
    part("hypotheses").replaceChildren(...answer.finished.map(other => {
      const button = element("button", { type: "button", dir: "auto", "aria-pressed": other === hypothesis },
        vocabulary.decode(other.tokens));
      button.addEventListener("click", () => {
        chooseHypothesis(other);
        part("hypotheses").querySelector('[aria-pressed="true"]').focus();  // of the table that replaced this one
      });
      const numbers = [other.score.toFixed(3), other.logP.toFixed(3), other.tokens.length + 1];
      return element("tr", {}, element("td", {}, button), ...numbers.map(number => element("td", {}, number)));
    }));
    showAttention();
  }

  function showAttention() {
    const { vocabulary } = loaded, { source, chosen, weights } = answer;
    const names = {
      source: source.map(id => id === EOS ? "<EOS>" : vocabulary.sourcePiece(id)),
      input: ["<start>", ...chosen.tokens.map(id => vocabulary.targetPiece(id))],
      output: [...chosen.tokens.map(id => vocabulary.targetPiece(id)), "<EOS>"],
    };
    const kind = part("kind").value, heads = weights[kind][part("layer").value], head = part("head").value;
    const rows = head === "mean" ? mean(heads) : heads[head];
    const [queries, keys] = { encoder: ["source", "source"], decoder: ["input", "input"], cross: ["output", "source"] }[kind];
    drawAttention(part("attention"), part("reading"), names[queries], names[keys], rows);
  }

  // Open the files of another model, which must have been trained with a vocabulary of this page.
  async function open(files) {
    const find = ending => [...files].find(file => file.name.endsWith(ending));
    const description = find(".json"), weights = find(".safetensors");
    if (!description || !weights) throw new Error("Choose two files of one folder: model.safetensors and model.json.");
    const { config, vocabulary_sha256, weights_sha256 } = JSON.parse(await description.text());
    const same = entries.find(entry => entry.weights_sha256 === weights_sha256);
    const like = same ?? entries.find(entry => entry.vocabulary === vocabulary_sha256);
    if (!content.vocabularies[vocabulary_sha256]) {
      throw new Error("This page does not hold the vocabulary of that model. Use it with: " + (like?.command ??
        "python src/transformer/decoding/translate.py --model averaged --subwords subwords.model"));
    }
    const unheld = Object.keys(config).find(name => content.held[name] !== null && !content.held[name]?.includes(config[name]));
    if (unheld) {
      throw new Error(`${unheld} is ${config[unheld]}, which this page does not compute. Use it with: ${like.command}`);
    }
    const buffer = await weights.arrayBuffer(), digest = await crypto.subtle.digest("SHA-256", buffer);
    const found = Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, "0")).join("");
    if (found !== weights_sha256) throw new Error(`${weights.name} is not the file that ${description.name} describes.`);
    const entry = { ...like, ...(!same && { run: `your model, searched as ${like.run}` }), config, vocabulary: vocabulary_sha256 };
    Object.assign(entry, { weights_sha256, weights: undefined, left_out: undefined, tensors: readTensors(buffer) });
    entries.splice(same ? entries.indexOf(same) : entries.length, same ? 1 : 0, entry);
    showEntries(entry);
    choose(entry);
  }

  part("form").addEventListener("submit", event => { event.preventDefault(); run(); });
  part("model").addEventListener("change", event => choose(entries[event.target.value]));
  for (const name of ["beam", "alpha"]) part(name).addEventListener("input", run);
  for (const name of ["kind", "layer", "head"]) part(name).addEventListener("change", showAttention);
  // Emptied first, or the browser would not tell that files of the same names were chosen again.
  part("files").addEventListener("click", event => { event.target.value = ""; });
  part("files").addEventListener("change", event => open(event.target.files).catch(error => say(error.message)));
  showEntries(entries[0]);
  choose(entries[0]);
}

function made(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function element(tag, attributes, ...children) {
  return made(document.createElement(tag), attributes, children);
}

function shape(tag, attributes, ...children) {
  return made(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function drawing(width, height, label, ...children) {
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  return shape("svg", { ...size, role: "img", "aria-label": label }, ...children);
}

// The weights of all heads (h, queries, keys) to their mean (queries, keys).
function mean(heads) {
  return heads[0].map((row, query) => row.map((_, key) =>
    heads.reduce((sum, head) => sum + head[query][key], 0) / heads.length));
}

// ---- The beam search, one column for each step

function drawnBeams(steps, chosen, pieceOf) {
  const onPath = pathTo(steps, chosen), alive = Math.max(...steps.map(step => step.alive.length));
  const finished = Math.max(...steps.map(step => step.finished.length));
  const x = t => COLUMN * (t + 1) + 4, y = k => LINE * (k + 1), lines = [], texts = [];
  const below = y(alive) - LINE / 2, height = y(alive + finished) + LINE, width = x(steps.length);
  texts.push(shape("text", { x: 4, y: y(0) }, "<start>"));
  steps.forEach((step, t) => {
    const all = [...step.alive.map((h, k) => [h, k, pieceOf(h.tokens.at(-1))]),
      ...step.finished.map((h, k) => [h, alive + k, `■ ${h.score.toFixed(2)}`])];
    for (const [hypothesis, k, text] of all) {
      const look = onPath.has(hypothesis) ? { class: "t-chosen" } : {}, title = shape("title", {},
        `score ${hypothesis.score.toFixed(3)}, log P ${hypothesis.logP.toFixed(3)}`);
      lines.push(shape("line", { x1: x(t) - 26, y1: y(hypothesis.parent) - 4, x2: x(t) - 3, y2: y(k) - 4, ...look }));
      texts.push(shape("text", { x: x(t), y: y(k), ...look }, text.length > 11 ? `${text.slice(0, 10)}…` : text, title));
    }
  });
  const line = shape("line", { x1: 0, y1: below, x2: width, y2: below });
  const label = `${steps.length} steps with at most ${alive} alive hypotheses; the table below lists the finished ones`;
  return drawing(width, height, label, line, ...lines, ...texts);
}

// The hypotheses from the first step to `chosen`, which it included.
function pathTo(steps, chosen) {
  const path = new Set([chosen]);
  let t = steps.findIndex(({ alive, finished }) => alive.includes(chosen) || finished.includes(chosen)), node = chosen;
  for (; t > 0; t--) path.add(node = steps[t - 1].alive[node.parent]);
  return path;
}

// ---- Attention between words

// Draw words that attend (left) and those attended to (right), with lines as strong as the weights, rows[query][key].
function drawAttention(place, reading, queries, keys, rows) {
  const height = ROW * Math.max(queries.length, keys.length);
  const lines = shape("svg", { width: BETWEEN, height, "aria-hidden": "true" });

  function draw(side, index) {
    const drawn = [];
    rows.forEach((row, query) => row.forEach((weight, key) => {
      const other = side === "query" ? query !== index : side === "key" && key !== index;
      if (weight < 0.01 || other) return;
      const ends = { x1: 0, y1: ROW * (query + 0.5), x2: BETWEEN, y2: ROW * (key + 0.5) };
      drawn.push(shape("line", { ...ends, "stroke-opacity": weight, "stroke-width": 1 + 4 * weight }));
    }));
    lines.replaceChildren(...drawn);
  }

  // Say which weights a word has, the largest first.
  function read(side, index) {
    const weights = side === "query" ? [...rows[index]].map((weight, key) => [keys[key], weight])
      : rows.map((row, query) => [queries[query], row[index] ?? 0]);
    const largest = weights.sort((a, b) => b[1] - a[1]).slice(0, 4).map(([name, weight]) => `${name} ${weight.toFixed(2)}`);
    const [name, verb] = side === "query" ? [queries[index], "attends to"] : [keys[index], "is attended to by"];
    reading.textContent = `${name} ${verb} ${largest.join(", ")}`;
  }

  function column(names, side) {
    return element("div", {}, ...names.map((name, index) => {
      const button = element("button", { type: "button", dir: "auto" }, name);
      const show = () => { draw(side, index); read(side, index); };
      for (const event of ["pointerenter", "focus", "click"]) button.addEventListener(event, show);
      for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => draw());
      return button;
    }));
  }

  draw();
  reading.textContent = "";
  place.replaceChildren(column(queries, "query"), lines, column(keys, "key"));
}

// ---- Trees

// The tree { label, children } or { label, word } of symbols that a TreeConstraint allowed, under TOP.
function treeOf(symbols, words) {
  const rest = [...words], path = [{ label: "TOP", children: [] }];
  for (const symbol of symbols) {
    const { children } = path.at(-1);
    if (symbol[0] === ")") {
      path.pop();
    } else if (symbol[0] === "(") {
      children.push({ label: symbol.slice(1), children: [] });
      path.push(children.at(-1));
    } else {
      children.push({ label: symbol, word: rest.shift() });
    }
  }
  const [outermost] = path[0].children;
  return outermost.label === "TOP" ? outermost : path[0];
}

// The tree in the brackets of the Penn Treebank.
function brackets({ label, word, children }) {
  return `(${label} ${word ?? children.map(brackets).join(" ")})`;
}

function drawnTree(tree) {
  const shapes = [], line = (x1, y1, x2, y2) => shapes.push(shape("line", { x1, y1, x2, y2 }));
  let right = 0, bottom = 0;

  // Draw a node, and return the x of its middle.
  function draw(node, depth) {
    const y = 16 + 40 * depth;
    let x;
    if (node.word !== undefined) {
      const width = 8 * Math.max(node.word.length, node.label.length) + 12;
      x = right + width / 2;
      right += width;
      shapes.push(shape("text", { x, y: y + 18, "text-anchor": "middle" }, node.word));
    } else {
      const middles = node.children.map(child => draw(child, depth + 1));
      x = (middles[0] + middles.at(-1)) / 2;
      for (const middle of middles) line(x, y + 4, middle, y + 26);
    }
    shapes.push(shape("text", { x, y, "text-anchor": "middle", class: "t-tag" }, node.label));
    bottom = Math.max(bottom, y + 26);
    return x;
  }

  draw(tree, 0);
  return drawing(right, bottom, brackets(tree), ...shapes);
}
