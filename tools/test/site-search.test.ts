import { expect, test } from "vitest";
import { renderMarkdown } from "../site/render-markdown.ts";
import { type SiteIndex, search } from "../site/search.ts";
import { searchIndex } from "../site/search-index.ts";
import { sitePages } from "../site/site-page.ts";
import { readSourceTree } from "../source-tree.ts";

/** What people ask in their own words, and the page, or the places on it, that should come first. */
const QUESTIONS: readonly (readonly [question: string, pages: readonly string[]])[] = [
  ["how do players log in with a password", ["cookbook.html#login"]],
  ["login", ["cookbook.html#login"]],
  ["protect land plots", ["cookbook.html#protect-land"]],
  ["claim a plot", ["cookbook.html#protect-land"]],
  ["how do I open a door", ["cookbook.html#doors"]],
  ["chest inventory", ["cookbook.html#chests"]],
  ["duplicated items", ["cookbook.html", "save-things-of-your-game.html#things-that-move"]],
  ["chat", ["cookbook.html#chat"]],
  ["teleport a player", ["cookbook.html#teleport", "server.html"]],
  ["leaderboard", ["cookbook.html#a-leaderboard"]],
  ["high scores", ["cookbook.html#a-leaderboard"]],
  ["day and night", ["cookbook.html#day-and-night"]],
  ["minimap", ["cookbook.html#a-minimap"]],
  ["ban a griefer", ["cookbook.html#kick-and-ban", "cookbook.html#undo"]],
  ["undo griefing", ["cookbook.html#undo"]],
  ["crops that grow", ["cookbook.html#things-that-grow-back"]],
  ["what does a block drop", ["cookbook.html#what-a-block-costs"]],
  ["falling sand", ["simulate-a-world.html"]],
  ["water that flows", ["simulate-a-world.html"]],
  ["backup", ["cli.html#backup", "run-a-server.html"]],
  ["docker", ["containers.html", "first-game.html"]],
  ["import minecraft world", ["bring-your-world.html"]],
  ["write a terrain generator", ["write-a-generator.html"]],
  ["my own texture", ["make-it-look-like-yours.html", "looks.html"]],
  [
    "resource pack",
    ["bring-your-world.html", "looks.html", "make-it-look-like-yours.html", "view-a-world.html"],
  ],
  ["single player in the browser", ["worlds-in-the-browser.html"]],
  ["client prediction", ["move-players.html", "client.html"]],
  [
    "repair a damaged world",
    ["recover-a-damaged-save.html", "cli.html#repair", "first-world.html#repair-it"],
  ],
  ["rate limit", ["limits.html"]],
  ["prometheus metrics", ["run-a-server.html", "server.html"]],
  ["several servers", ["cluster.html", "cookbook.html"]],
  ["players walk through walls", ["mesh.html", "move-players.html", "draw-it-yourself.html"]],
  ["save things of players", ["save-things-of-your-game.html", "world.html"]],
];
const RIGHT_SHARE = 0.9;

test("search answers ordinary questions with the right place first", () => {
  const tree = readSourceTree(".");
  const pages = sitePages(tree)
    .filter(({ file, section }) => file.endsWith(".md") && section !== undefined)
    .map(({ file, url, title, section = "" }) => {
      const text = tree.find(({ path }) => path === file)?.text ?? "";
      const { passages } = renderMarkdown(text, { link: (target) => target, picture: () => "" });
      return { url, title, section, passages };
    });
  const program = searchIndex(pages, []);
  const index = JSON.parse(program.replace(/^globalThis\.siteIndex = |;\n$/g, "")) as SiteIndex;
  const wrong = QUESTIONS.flatMap(([question, wanted]) => {
    const [first] = search(index, question, 5);
    const isRight = wanted.some((place) => first?.url.includes(place) === true);
    return isRight ? [] : [`${question}: ${first?.url}`];
  });
  expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(QUESTIONS.length * (1 - RIGHT_SHARE));
});
