// The page: a text, its sentences with all their lengths, one slider, pins, limits. What is shown follows from `state`.

import { countCharacters, countWords, everyTotal } from "./lengths.js";
import { reason } from "./reasons.js";
import { get, post, postFile, Problem } from "./service.js";
import { drawTree } from "./tree.js";

const EXAMPLES = [
  "On Tuesday the city council, which had met in private for several hours, agreed to lower the fees for small businesses that had suffered most during the long closure of the old bridge, officials said. The mayor, who has been in office since March, did not oppose the plan.",
  "A rare white rhinoceros that was born in a wildlife park in the north of England last winter has been given a name by more than nine thousand people who voted in an online poll.",
  "The ferry left the harbour at dawn, as it has done every day for sixty years, with eleven passengers, a dog and four hundred loaves of bread for the islands. By noon the wind had risen so much that nobody could stand on deck, and the captain, a calm woman from the smallest of the islands, decided to turn round.",
];
const AT_ONCE = 3; // requests for lengths at a time
const LONGEST_RUN = 30; // characters without a space that are not broken

const element = (id) => document.getElementById(id);
const ui = Object.fromEntries(
  ["text", "stage", "file", "example", "like", "slider", "length", "reading", "reason", "notes", "answer", "copy", "download", "link", "amount", "unit",
    "named", "drop-sentences", "no-limit", "limit-state", "meter", "tree-panel", "tree", "systems-panel", "systems", "compared",
    "subtitles-panel", "subtitles-summary", "cues", "norm", "save-subtitles", "announcer"].map((id) => [id, element(id)]),
);

const state = {
  pieces: [], // { source, sentence?, answers?, natural? }: sentences have all their lengths once these have come
  totals: null, // what the slider can be set to, and what is chosen at each
  at: null, // the total that is shown; null until lengths have come
  goal: null, // the total that was asked for, by the slider or a link
  limited: null, // the answer to a limit, which is shown instead
  pins: new Map(), // the text of a sentence -> number of a word -> "keep" or "drop"
  focus: 0, // the sentence whose tree is drawn
  systems: ["default", "dependency", "truncate"],
};
const known = new Map(); // lengths that have come, by sentence, pins and manner
let asking = new AbortController();

// ---- what is asked of the service

async function read() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking, text = ui.text.value;
  Object.assign(state, { totals: null, limited: null });
  busy(true);
  if (!text.trim()) {
    state.pieces = [];
    busy(false);
    return show();
  }
  try {
    const found = await post("/compress", { text, detail: true, ...manner() }, signal);
    state.pieces = found.pieces.map((piece) =>
      piece.compression ? { source: piece.source, sentence: piece.compression.sentence, natural: piece.compression } : { source: piece.source });
    show();
    await measure(signal);
  } catch (error) {
    fail(error);
  }
}

const manner = () => (ui.like.value ? { like: ui.like.value } : {});

async function measure(signal) {
  const sentences = state.pieces.filter((piece) => piece.sentence), waiting = [...sentences];
  const work = async () => {
    for (let piece = waiting.shift(); piece; piece = waiting.shift()) {
      await lengthsOf(piece, signal);
      if (!signal.aborted) settle();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (signal.aborted) return;
  busy(false);
  show();
  if (ui.amount.value || ui.unit.value.startsWith("for:")) await limit();
}

async function lengthsOf(piece, signal) {
  const pins = state.pins.get(piece.source), body = { text: piece.source, ...manner() };
  for (const way of ["keep", "drop"]) {
    const places = [...(pins ?? [])].filter(([, pin]) => pin === way).map(([word]) => placeOf(piece.sentence, word));
    if (places.length) body[way] = places;
  }
  const key = JSON.stringify(body);
  if (!known.has(key)) known.set(key, await post("/frontier", body, signal));
  const [found, ...more] = known.get(key).sentences;
  if (!found || more.length || !found.answers.length) return delete piece.answers;
  piece.sentence = found;
  piece.answers = found.answers;
  return true;
}

/** Where a word stands in its sentence, in code points, as the service counts them. */
function placeOf(sentence, word) {
  let start = 0;
  for (let at = 0; at < word; at++) start += countCharacters(sentence.words[at]) + countCharacters(sentence.spaces[at]);
  return [start, start + countCharacters(sentence.words[word])];
}

/** The sentences with what may become of them: those that are not measured yet stay at their natural length. */
const choices = () => state.pieces.filter((piece) => piece.sentence).map((piece) => ({
  answers: piece.answers ?? [{ ...piece.natural, words: countWords(piece.natural.text), characters: undefined }],
}));

function settle() {
  const sentences = choices();
  if (!sentences.length) return show();
  state.totals = everyTotal(sentences);
  const { totals } = state.totals;
  const natural = state.pieces.reduce((sum, piece) => sum + (piece.sentence ? countWords(piece.natural.text) : 0), 0);
  const goal = state.goal ?? natural;
  state.at = totals.reduce((best, total) => (Math.abs(total - goal) < Math.abs(best - goal) ? total : best), totals[0]);
  ui.slider.max = totals.length - 1;
  ui.slider.disabled = false;
  return show();
}

function busy(is) {
  ui.stage.setAttribute("aria-busy", String(is));
}

async function limit() {
  const unit = ui.unit.value, named = unit.startsWith("for:"), amount = Number(ui.amount.value);
  ui["no-limit"].hidden = !named && !amount;
  ui.amount.disabled = named;
  if (!named && !amount) {
    state.limited = null;
    return show();
  }
  const { keep, drop } = pinsInText(), asked = named ? { for: unit.slice(4) } : { [unit]: amount };
  if (unit === "tokens") asked.tokenizer = "laconic";
  try {
    const body = { text: ui.text.value, detail: true, ...asked, keep, drop, drop_sentences: ui["drop-sentences"].checked, ...manner() };
    state.limited = await post("/compress", body, asking.signal);
    ui["limit-state"].textContent = named ? ui.unit.selectedOptions[0].title : "";
    ui["limit-state"].className = "quiet";
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    state.limited = null;
    const possible = error.problem?.possible;
    ui["limit-state"].textContent = possible ? `That cannot be met; possible: ${possible.join(" or ")}.` : error.message;
    ui["limit-state"].className = "error";
  }
  return show();
}

function pinsInText() {
  const found = { keep: [], drop: [] };
  let start = 0;
  for (const piece of state.pieces) {
    for (const [word, pin] of (piece.sentence && state.pins.get(piece.source)) ?? []) {
      found[pin].push(placeOf(piece.sentence, word).map((place) => place + start));
    }
    start += countCharacters(piece.source);
  }
  return found;
}

// ---- what is shown

/** What is left of each piece: its text, and for sentences the answer, null if it was dropped. */
function shown() {
  if (state.limited) return state.limited.pieces.map((piece) => ({ text: piece.text, answer: piece.compression }));
  const chosen = state.totals && state.at !== null ? state.totals.choice(state.at) : null;
  let at = 0;
  return state.pieces.map((piece) => {
    if (!piece.sentence) return { text: piece.source };
    const place = chosen?.[at++], answer = piece.answers && chosen ? piece.answers[place] : piece.natural;
    return { text: answer.text, answer };
  });
}

function show() {
  const left = shown(), text = left.map((piece) => piece.text).join("");
  showWords(left);
  ui.answer.textContent = text;
  showLength(text);
  showMeter(text, left);
  showNotes(left);
  if (ui["tree-panel"].open) showTree(left);
}

function showWords(left) {
  const focused = document.activeElement?.dataset?.place;
  const parts = state.pieces.map((piece, number) => {
    const group = document.createElement("span");
    if (!piece.sentence) {
      group.textContent = piece.source;
      return group;
    }
    const { answer } = left[number], pins = state.pins.get(piece.source);
    const kept = new Set(answer?.kept ?? []), mended = new Map((answer?.repairs ?? []).map((repair) => [repair.where, repair.kind]));
    const stands = (index) => kept.has(index) && !mended.get(index)?.startsWith("removed");
    let run;
    piece.sentence.words.forEach((word, index) => {
      if (index === 0 || piece.sentence.spaces[index - 1]) {
        run = runFrom(piece.sentence, index);
        group.append(run);
      }
      const button = document.createElement("button"), pin = pins?.get(index), stays = stands(index), space = piece.sentence.spaces[index];
      const joined = !stays && index + 1 < piece.sentence.words.length && !stands(index + 1); // one line through all that goes
      button.type = "button";
      button.className = ["word", stays ? "" : "gone", pin ?? "", stays && mended.has(index) ? "mended" : ""].join(" ").trim();
      button.textContent = joined ? word + space : word;
      button.dataset.place = `${number}:${index}`;
      button.tabIndex = -1;
      button.setAttribute("aria-label", `${word}, ${stays ? "stays" : "goes"}${pin ? `, pinned ${pin === "keep" ? "in" : "out"}` : ""}`);
      run.append(button);
      group.append(joined ? "" : space);
    });
    if (answer && !answer.kept) {
      const written = document.createElement("ins");
      written.textContent = ` ${answer.text}`;
      group.append(written);
    }
    if (answer?.notes?.length) [...group.querySelectorAll(".word")].at(-1)?.classList.add("noted");
    return group;
  });
  ui.reading.replaceChildren(...parts);
  const target = (focused && ui.reading.querySelector(`[data-place="${focused}"]`)) || ui.reading.querySelector(".word");
  if (target) target.tabIndex = 0;
  if (focused && target?.dataset.place === focused) target.focus({ preventScroll: true });
}

/** What words go into that have no space between them: a line does not start with a comma. An address may be broken. */
function runFrom({ words, spaces }, start) {
  const run = document.createElement("span"), end = spaces.findIndex((space, index) => index >= start && space);
  const length = words.slice(start, end < 0 ? words.length : end + 1).join("").length;
  run.className = length > LONGEST_RUN ? "" : "together";
  return run;
}

function showLength(text) {
  const words = countWords(text), all = countWords(ui.text.value);
  ui.length.replaceChildren(`${words} word${words === 1 ? "" : "s"} `);
  if (all) {
    const small = document.createElement("small");
    small.textContent = `of ${all} · ${Math.round((100 * words) / all)} %${ui.stage.ariaBusy === "true" ? " · reading every length …" : ""}`;
    ui.length.append(small);
  }
  if (!state.totals) {
    ui.slider.disabled = true;
    return;
  }
  const { totals } = state.totals, place = totals.indexOf(state.at);
  if (document.activeElement !== ui.slider || Number(ui.slider.value) !== place) ui.slider.value = place;
  ui.slider.style.setProperty("--share", `${totals.length > 1 ? (100 * place) / (totals.length - 1) : 100}%`);
  ui.slider.setAttribute("aria-valuetext", `${words} words of ${all}`);
}

function showMeter(text, left) {
  const tokens = left.every((piece) => !piece.answer || piece.answer.tokens !== undefined)
    ? left.reduce((sum, piece) => sum + (piece.answer?.tokens ?? 0), 0) : state.limited?.costs.tokens;
  const counts = { words: countWords(text), characters: countCharacters(text), tokens };
  const whole = { words: countWords(ui.text.value), characters: countCharacters(ui.text.value) };
  whole.tokens = state.pieces.reduce((sum, piece) => sum + (piece.answers?.at(-1).tokens ?? 0), 0) || tokens;
  const option = ui.unit.selectedOptions[0], unit = option?.dataset.unit ?? ui.unit.value, most = Number(option?.dataset.amount ?? ui.amount.value);
  ui.meter.replaceChildren(...Object.entries(counts).map(([name, count]) => {
    const row = document.createElement("div"), label = document.createElement("dt"), value = document.createElement("dd"), bar = document.createElement("meter");
    const limited = name === unit && most > 0;
    label.textContent = limited ? `${name}, at most ${most}` : name;
    value.textContent = count === undefined ? "–" : String(count);
    bar.max = Math.max(1, limited ? most : whole[name] ?? 1);
    bar.value = Math.min(bar.max, count ?? 0);
    bar.setAttribute("aria-label", `${name}: ${count ?? "unknown"}`);
    row.classList.toggle("over", limited && count > most);
    value.append(bar);
    row.append(value, label);
    return row;
  }));
}

function showNotes(left) {
  const notes = left.flatMap((piece) => piece.answer?.notes ?? []);
  ui.notes.replaceChildren(...[...notes, ...(state.limited?.unmet ?? [])].map((note) => {
    const item = document.createElement("li");
    item.textContent = note;
    return item;
  }));
}

function showReason(place) {
  const [number, index] = place.split(":").map(Number), piece = state.pieces[number];
  state.focus = number;
  const parts = reason(piece.sentence, shown()[number].answer, state.pins.get(piece.source), index);
  ui.reason.replaceChildren(...parts.map((part) => {
    if (typeof part === "string") return part;
    const named = document.createElement("b");
    named.textContent = part[1];
    return named;
  }));
}

function showTree(left = shown()) {
  const number = state.pieces[state.focus]?.sentence ? state.focus : state.pieces.findIndex((piece) => piece.sentence);
  const piece = state.pieces[number];
  ui.tree.replaceChildren(...(piece?.sentence.tree ? [drawTree(piece.sentence, left[number].answer?.kept ?? [])] : []));
}

async function compare() {
  if (!ui["systems-panel"].open || !ui.text.value.trim()) return;
  const words = countWords(ui.answer.textContent), text = ui.text.value;
  const cards = state.systems.map((name) => {
    const card = document.createElement("article"), title = document.createElement("h3"), body = document.createElement("p");
    title.textContent = name;
    body.textContent = "…";
    card.append(title, body);
    return { name, card, title, body };
  });
  ui.compared.replaceChildren(...cards.map(({ card }) => card));
  await Promise.all(cards.map(async ({ name, title, body }) => {
    try {
      const found = await post("/compress", { text, system: name, words: `=${words}`, impossible: "nearest" });
      body.textContent = found.text;
      const small = document.createElement("small");
      small.textContent = ` ${found.costs.words} words`;
      title.append(small);
    } catch (error) {
      body.textContent = error.message;
      body.className = "error";
    }
  }));
}

function fail(error) {
  if (error.name === "AbortError") return;
  busy(false);
  if (!(error instanceof Problem)) console.error(error);
  ui.reason.textContent = error.message;
  announce(error.message);
}

const announce = (message) => { ui.announcer.textContent = message; };

// ---- what people do

function later(work, wait) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, wait);
  };
}
const readLater = later(read, 300), limitLater = later(limit, 250), compareLater = later(compare, 400), rememberLater = later(remember, 400);
const announceLater = later(() => announce(`${ui.length.textContent}: ${ui.answer.textContent}`), 600);

async function pin(place) {
  const [number, index] = place.split(":").map(Number), piece = state.pieces[number];
  const pins = new Map(state.pins.get(piece.source) ?? []), before = pins.get(index);
  if (!before) pins.set(index, "keep");
  else if (before === "keep") pins.set(index, "drop");
  else pins.delete(index);
  state.pins.set(piece.source, pins);
  show();
  showReason(place);
  busy(true);
  try {
    await lengthsOf(piece, asking.signal);
    if (!piece.answers) throw new Problem({ detail: "Nothing can be left of the sentence with these pins." });
    settle();
    if (state.limited) await limit();
    showReason(place);
    rememberLater();
  } catch (error) {
    pins.delete(index);
    await lengthsOf(piece, asking.signal);
    settle();
    fail(error);
  }
  busy(false);
}

function move(from, step) {
  const words = [...ui.reading.querySelectorAll(".word")], next = words[words.indexOf(from) + step];
  if (!next) return;
  from.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

ui.text.addEventListener("input", () => { state.goal = state.at = null; readLater(); rememberLater(); });
ui.like.addEventListener("change", () => { read(); rememberLater(); });
ui.example.addEventListener("click", () => {
  const at = EXAMPLES.indexOf(ui.text.value);
  ui.text.value = EXAMPLES[(at + 1) % EXAMPLES.length];
  state.goal = state.at = null;
  read();
});
ui.slider.addEventListener("input", () => {
  state.goal = state.at = state.totals.totals[Number(ui.slider.value)];
  clearLimit();
  show();
  compareLater();
  rememberLater();
  announceLater();
});
for (const type of ["mouseover", "focusin"]) {
  ui.reading.addEventListener(type, ({ target }) => { if (target.dataset.place) { showReason(target.dataset.place); if (ui["tree-panel"].open) showTree(); } });
}
ui.reading.addEventListener("click", ({ target }) => { if (target.dataset.place) pin(target.dataset.place); });
ui.reading.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step || !event.target.dataset.place) return;
  event.preventDefault();
  move(event.target, step);
});
ui.amount.addEventListener("input", () => { limitLater(); rememberLater(); });
ui.unit.addEventListener("change", () => { limit(); rememberLater(); });
ui["drop-sentences"].addEventListener("change", limit);
ui["no-limit"].addEventListener("click", () => { clearLimit(); show(); });
function clearLimit() {
  state.limited = null;
  if (ui.unit.value.startsWith("for:")) ui.unit.value = "words";
  Object.assign(ui.amount, { value: "", disabled: false });
  ui["no-limit"].hidden = true;
  ui["limit-state"].textContent = "";
}
ui["tree-panel"].addEventListener("toggle", () => showTree());
ui["systems-panel"].addEventListener("toggle", compare);

async function told(button, work, done) {
  const before = button.textContent;
  try {
    await work();
    button.textContent = done;
    announce(done);
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => { button.textContent = before; }, 1600);
}
ui.copy.addEventListener("click", () => told(ui.copy, () => navigator.clipboard.writeText(ui.answer.textContent), "Copied"));
ui.link.addEventListener("click", () => {
  remember();
  told(ui.link, () => navigator.clipboard.writeText(location.href), "Link copied");
});
ui.download.addEventListener("click", () => save(ui.answer.textContent, "short.txt", "text/plain"));
function save(content, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

// ---- files

let subtitles = null;
ui.file.addEventListener("change", async () => {
  const [file] = ui.file.files;
  if (!file) return;
  if (/\.(srt|vtt)$/i.test(file.name)) {
    subtitles = { name: file.name, content: await file.arrayBuffer() };
    ui["subtitles-panel"].hidden = false;
    await fitSubtitles();
    ui["subtitles-panel"].scrollIntoView({ block: "start" });
  } else {
    ui.text.value = await file.text();
    state.goal = state.at = null;
    read();
  }
  ui.file.value = "";
});
ui.norm.addEventListener("change", fitSubtitles);
ui["save-subtitles"].addEventListener("click", () => subtitles?.fitted && save(subtitles.fitted, subtitles.name.replace(/(\.\w+)$/, ".short$1"), "text/plain"));

async function fitSubtitles() {
  ui["subtitles-summary"].textContent = "Reading …";
  ui.cues.replaceChildren();
  try {
    const found = await postFile(`/subtitles?answer=report&for=${encodeURIComponent(ui.norm.value)}`, subtitles.content);
    subtitles.fitted = found.content;
    ui["subtitles-summary"].textContent = `${found.summary}.`;
    ui.cues.replaceChildren(...found.cues.filter((cue) => cue.outcome !== "fits").map((cue) => {
      const item = document.createElement("li"), small = document.createElement("small");
      small.textContent = `${cue.cue} · ${cue.speed_before} → ${cue.speed_after} characters a second · ${cue.outcome}${cue.reason ? `: ${cue.reason}` : ""}`;
      item.append(small);
      for (const [text, stays] of cue.stretches) {
        const part = document.createElement(stays ? "span" : "del");
        part.textContent = `${text} `;
        item.append(part);
      }
      return item;
    }));
  } catch (error) {
    ui["subtitles-summary"].textContent = error.message;
  }
}

// ---- a link that holds the request

const encode = (value) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value)))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const decode = (text) => JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0))));

function remember() {
  const pins = [...state.pins].filter(([, words]) => words.size).map(([source, words]) => [source, [...words]]);
  const request = { text: ui.text.value, at: state.goal ?? undefined, like: ui.like.value || undefined, pins: pins.length ? pins : undefined,
    amount: ui.amount.value || undefined, unit: ui.unit.value === "words" ? undefined : ui.unit.value };
  if (request.text.length <= 8000) history.replaceState(null, "", `#${encode(request)}`);
}

function recall() {
  if (location.hash.length < 2) return false;
  try {
    const request = decode(location.hash.slice(1));
    ui.text.value = String(request.text ?? "");
    ui.like.value = request.like ?? "";
    ui.amount.value = request.amount ?? "";
    ui.unit.value = request.unit ?? "words";
    state.goal = Number.isInteger(request.at) ? request.at : null;
    state.pins = new Map((request.pins ?? []).map(([source, words]) => [source, new Map(words)]));
    return true;
  } catch {
    return false;
  }
}

async function start() {
  try {
    const offered = await get("/systems");
    for (const { name, about, amount, unit } of offered.limits) {
      const option = new Option(`${name} (${amount} ${unit})`, `for:${name}`);
      Object.assign(option.dataset, { amount, unit });
      option.title = `${about}: at most ${amount} ${unit}.`;
      ui.named.append(option);
    }
    for (const { name, cps } of offered.norms) ui.norm.append(new Option(`${name} (${cps} a second)`, name));
    for (const { name, about } of offered.systems) {
      const label = document.createElement("label"), box = document.createElement("input");
      label.className = "check";
      label.title = about;
      Object.assign(box, { type: "checkbox", value: name });
      box.checked = state.systems.includes(name);
      box.addEventListener("change", () => {
        state.systems = box.checked ? [...state.systems, name] : state.systems.filter((other) => other !== name);
        compare();
      });
      label.append(box, name);
      ui.systems.append(label);
    }
  } catch (error) {
    fail(error);
  }
  if (!recall()) [ui.text.value] = EXAMPLES;
  await read();
}
start();
