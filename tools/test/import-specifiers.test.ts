import { expect, test } from "vitest";
import { importSpecifiers } from "../import-specifiers.ts";

function specifiersOf(text: string): readonly string[] {
  return importSpecifiers(text).map(({ specifier }) => specifier);
}

test.each<[what: string, text: string]>([
  ["a named import", 'import { one } from "./found.ts";'],
  ["an import over several lines", 'import {\n  one,\n  two,\n} from "./found.ts";'],
  ["a type import", 'import type { One } from "./found.ts";'],
  ["a namespace import in single quotes", "import * as everything from './found.ts';"],
  ["a side-effect import", 'import "./found.ts";'],
  ["an export of names", 'export { one } from "./found.ts";'],
  ["an export of everything", 'export * from "./found.ts";'],
  ["a dynamic import", 'const module = await import("./found.ts");'],
  ["a dynamic import of a template", "const module = await import(`./found.ts`);"],
  ["an import in a type", 'let value: import("./found.ts").One;'],
  ["a require call", 'const module = require("./found.ts");'],
  ["an import inside a template substitution", 'const text = `a ${await import("./found.ts")} b`;'],
  ["an import after a template with a nested one", 'const a = `x ${`y ${1}`} z`;\nimport "./found.ts";'],
  [
    "an import after a regular expression with a quote",
    'const a = text.replace(/["`]/g, "");\nimport "./found.ts";',
  ],
  ["an import after a division", 'const half = whole / 2; // "\nimport "./found.ts";'],
])("the search for imports finds %s", (_what, text) => {
  expect(specifiersOf(text)).toEqual(["./found.ts"]);
});

test.each<[what: string, text: string]>([
  ["a line comment", '// import "./hidden.ts";'],
  ["a block comment", '/* export * from "./hidden.ts"; */'],
  ["a string", `const text = 'import "./hidden.ts"';`],
  ["a template", 'const text = `import "./hidden.ts"`;'],
  ["a template after its substitution", 'const text = `${1} import "./hidden.ts"`;'],
  ["a call of a method named import", 'loader.import("./hidden.ts");'],
  ["a regular expression", 'const pattern = /import "x"/;'],
  ["a call of a method named from", 'const bytes = Uint8Array.from("abc");'],
  ["the import meta object", "const here = import.meta.url;"],
])("the search for imports finds nothing in %s", (_what, text) => {
  expect(specifiersOf(text)).toEqual([]);
});

test("the search for imports returns the line of each one", () => {
  const text = 'import "./first.ts";\n\n/* a comment\n   of two lines */\nimport "./second.ts";\n';
  expect(importSpecifiers(text)).toEqual([
    { specifier: "./first.ts", line: 1 },
    { specifier: "./second.ts", line: 5 },
  ]);
});
