// Choosing among the lengths of sentences: the best of every total at once, so that the slider never asks anyone.

/** The totals that can be had, each with the answer chosen for every sentence, by an exact knapsack. */
export function everyTotal(sentences) {
  let rows = [new Map([[0, 0]])];
  const steps = [];
  for (const { answers } of sentences) {
    const reached = new Map(), chosen = new Map();
    for (const [total, score] of rows.at(-1)) {
      answers.forEach((answer, place) => {
        const sum = total + answer.words, worth = score + (answer.score ?? 0);
        if (!reached.has(sum) || worth > reached.get(sum)) { reached.set(sum, worth); chosen.set(sum, place); }
      });
    }
    rows.push(reached);
    steps.push(chosen);
  }
  const totals = [...rows.at(-1).keys()].sort((one, other) => one - other);
  const choice = (total) => {
    const places = new Array(sentences.length);
    for (let at = sentences.length - 1; at >= 0; at--) {
      places[at] = steps[at].get(total);
      total -= sentences[at].answers[places[at]].words;
    }
    return places;
  };
  return { totals, choice };
}

/** Words as people count them: pieces between white space with a letter or a figure. */
export const countWords = (text) => text.split(/\s+/u).filter((piece) => /[\p{L}\p{N}]/u.test(piece)).length;

/** Characters as the service counts them: code points. */
export const countCharacters = (text) => [...text].length;
