// A constituency tree as a picture: phrases above, words below, what goes pale.

const SVG = "http://www.w3.org/2000/svg";

/** The nodes of a bracketed tree: label, children or the number of the word. */
function parse(brackets) {
  const tokens = brackets.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0, word = 0;
  const node = () => {
    at++; // the opening bracket
    const label = tokens[at] === "(" || tokens[at] === ")" ? "" : tokens[at++], children = [];
    let leaf = null;
    while (at < tokens.length && tokens[at] !== ")") {
      if (tokens[at] === "(") children.push(node());
      else { at++; leaf = word++; }
    }
    at++;
    return { label, children, leaf };
  };
  return node();
}

/** The picture of a sentence's tree, with the words that are kept. */
export function drawTree(sentence, keptWords) {
  const kept = new Set(keptWords), root = parse(sentence.tree);
  const top = root.label === "ROOT" && root.children.length === 1 ? root.children[0] : root;
  const tags = new Array(sentence.words.length).fill("");
  const width = (text) => 8.6 * Math.max(2, [...text].length) + 14;
  let deepest = 0;
  const measure = (node, depth) => { // by depth, so that no two lines cross
    if (node.leaf !== null) tags[node.leaf] = node.label;
    node.children.forEach((child) => measure(child, depth + 1));
    node.depth = depth;
    deepest = Math.max(deepest, depth);
    node.stays = node.leaf !== null ? kept.has(node.leaf) : node.children.some((child) => child.stays);
  };
  measure(top, 0);
  const centres = [];
  let edge = 8;
  sentence.words.forEach((word, index) => {
    const room = Math.max(width(word), width(tags[index]));
    centres.push(edge + room / 2);
    edge += room;
  });
  const level = 34, bottom = 24 + level * deepest, svg = document.createElementNS(SVG, "svg");
  const add = (name, attributes, text) => {
    const part = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
    if (text !== undefined) part.textContent = text;
    svg.append(part);
  };
  const place = (node) => {
    node.children.forEach(place);
    node.x = node.leaf !== null ? centres[node.leaf] : (node.children[0].x + node.children.at(-1).x) / 2;
    node.y = 18 + level * node.depth;
    for (const child of node.children) {
      add("line", { x1: node.x, y1: node.y + 5, x2: child.x, y2: child.y - 14, class: child.stays ? "" : "pale" });
    }
    if (node.depth < deepest && node.leaf !== null) {
      add("line", { x1: node.x, y1: node.y + 5, x2: node.x, y2: bottom + 2, class: node.stays ? "" : "pale" });
    }
    add("text", { x: node.x, y: node.y, "text-anchor": "middle", class: `phrase${node.stays ? "" : " pale"}` }, node.label);
  };
  place(top);
  sentence.words.forEach((word, index) => {
    add("text", { x: centres[index], y: bottom + 18, "text-anchor": "middle", class: kept.has(index) ? "leaf" : "leaf pale" }, word);
  });
  svg.setAttribute("width", edge + 8);
  svg.setAttribute("height", bottom + 34);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `The tree of: ${sentence.words.map((word, index) => (kept.has(index) ? word : `(${word})`)).join(" ")}`);
  return svg;
}
