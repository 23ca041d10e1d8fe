// Why a word stays or goes, in words, from the dependency tree that came with the sentence.

const RELATIONS = {
  acl: "what says more about", "acl:relcl": "the relative clause of", advcl: "the adverbial clause of", advmod: "the adverb of",
  amod: "the adjective of", appos: "the apposition to", aux: "the auxiliary of", "aux:pass": "the auxiliary of", case: "the preposition of",
  cc: "the conjunction before", ccomp: "what is said by", compound: "the first part of", conj: "joined to", cop: "the copula of",
  det: "the article of", discourse: "an interjection beside", iobj: "the recipient of", mark: "what opens the clause of",
  nmod: "what belongs to", "nmod:poss": "the owner of", "nmod:tmod": "the time of", nsubj: "the subject of", "nsubj:pass": "the subject of",
  nummod: "the number of", obj: "the object of", obl: "the circumstance of", "obl:tmod": "the time of", "obl:npmod": "the extent of",
  parataxis: "set beside", punct: "a mark at", xcomp: "what completes", vocative: "who is spoken to beside", neg: "the negation of",
};

/** The highest word above a deleted one that went together with it. */
function top(word, heads, kept) {
  while (heads[word] >= 0 && !kept.has(heads[word])) word = heads[word];
  return word;
}

/** What became of a word and why, as parts: plain text, and the words that are named. */
export function reason(sentence, answer, pins, index) {
  const word = sentence.words[index], quoted = (text) => ["b", text];
  const pin = pins?.get(index);
  if (pin) return [quoted(word), pin === "keep" ? " is pinned in: it stays at every length." : " is pinned out: it never stays."];
  if (!answer) return [quoted(word), " went with its whole sentence."];
  if (!answer.kept) return ["This system writes the sentence anew."];
  const kept = new Set(answer.kept);
  const mended = answer.repairs.find((repair) => repair.where === index);
  if (kept.has(index)) {
    if (mended) return [quoted(word), `: ${mended.kind}, as deletion had broken the sentence here.`];
    return [quoted(word), " stays."];
  }
  const heads = sentence.heads, first = top(index, heads, kept), head = heads[first];
  const gone = sentence.words.map((_, at) => at).filter((at) => !kept.has(at) && top(at, heads, kept) === first);
  const phrase = trimmed(gone.map((at) => sentence.words[at] + (sentence.spaces[at] || (gone.includes(at + 1) ? "" : " "))).join(""));
  const named = gone.length === 1 ? [quoted(word), " goes"] : [quoted(word), " goes with ", quoted(phrase)];
  if (head < 0) return [...named, "."];
  const relation = RELATIONS[sentence.relations[first]] ?? `${sentence.relations[first]} of`;
  return [...named, `, ${relation} `, quoted(sentence.words[head]), "."];
}

const trimmed = (text) => text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "") || text.trim();
