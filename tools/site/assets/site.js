// Search: loads its index when the field is first used, and shows what matches while the visitor types.
import { search } from "./search.js";

const root = document.documentElement.dataset.root;
const field = document.querySelector("input[type=search]");
const results = document.querySelector("#results");
const RESULTS_MAX = 30;
const EXCERPT_LETTERS = 160;
let loading;

field.addEventListener("focus", () => void load());
field.addEventListener("input", () => void show());
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, textarea, select, orthant-viewer") !== null;
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "Escape" && !results.hidden) close();
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") step(event);
  else if (event.key === "Enter" && event.target === field) results.querySelector("a")?.click();
});
results.addEventListener("click", ({ target }) => {
  if (target.closest("a") !== null) close();
});

/** Resolves when the index is there. */
function load() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${root}search-index.js`;
    script.addEventListener("load", resolve);
    script.addEventListener("error", () => reject(new Error("the search index cannot be loaded")));
    document.head.append(script);
  });
  return loading;
}

async function show() {
  const query = field.value.trim();
  if (query === "") return close();
  await load();
  if (query !== field.value.trim()) return;
  const found = search(globalThis.siteIndex, query, RESULTS_MAX);
  results.hidden = false;
  const list = document.createElement("ol");
  list.append(...found.map((result) => resultItem(result, query)));
  results.replaceChildren(found.length === 0 ? `Nothing found for “${query}”.` : list);
}

function close() {
  results.hidden = true;
  results.replaceChildren();
}

/** Moves the focus between the field and the results. */
function step(event) {
  const stops = [field, ...results.querySelectorAll("a")];
  const index = stops.indexOf(document.activeElement);
  if (results.hidden || index < 0) return;
  event.preventDefault();
  stops[index + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
}

function resultItem({ url, title, where, text }, query) {
  const link = document.createElement("a");
  link.href = root + url;
  const name = document.createElement("strong");
  name.append(title);
  const place = document.createElement("small");
  place.append(where);
  link.append(name, " ", place);
  if (text !== "") {
    const excerpt = document.createElement("p");
    excerpt.append(...marked(text, query));
    link.append(excerpt);
  }
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** Returns the text around the first word of the query, with that word marked. */
function marked(text, query) {
  const word = query.split(/\s+/)[0].toLowerCase();
  const at = text.toLowerCase().indexOf(word);
  const start = Math.max(0, at - EXCERPT_LETTERS / 3);
  const cut = text.slice(start, start + EXCERPT_LETTERS);
  const before = start > 0 ? "… " : "";
  const after = start + EXCERPT_LETTERS < text.length ? " …" : "";
  if (at < 0) return [before + cut + after];
  const mark = document.createElement("mark");
  mark.append(text.slice(at, at + word.length));
  return [
    before + text.slice(start, at),
    mark,
    text.slice(at + word.length, start + EXCERPT_LETTERS) + after,
  ];
}
