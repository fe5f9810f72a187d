import { describe, expect, test } from "vitest";
import { sourceFile } from "../source-tree.ts";
import { checkTidy } from "../tidy/check-tidy.ts";

const SOURCE = "packages/made-up/src/apple.ts";
const TEST = "packages/made-up/test/apple.test.ts";

function problemsOf(path: string, text: string): readonly string[] {
  return checkTidy([sourceFile(path, text)]).map(({ problem }) => problem);
}

describe("the check of sizes and names", () => {
  test("rejects a file of more than a mebibyte", () => {
    expect(problemsOf("docs/long.md", "a".repeat(1024 * 1024))).toEqual([]);
    expect(problemsOf("docs/long.md", "a".repeat(1024 * 1024 + 1))).toEqual([
      "has 1048577 bytes, the limit is 1048576",
    ]);
  });

  test.each(["utils", "util", "common", "shared", "misc", "helpers", "impl"])(
    "rejects the name %s",
    (name) => {
      const problem = `is named "${name}"`;
      expect(problemsOf(`tools/${name}.ts`, "")).toEqual([problem]);
      expect(problemsOf(`tools/${name}/apple.ts`, "")).toEqual([problem]);
      expect(problemsOf(`tools/apple-${name}.test.ts`, "")).toEqual([problem]);
      expect(problemsOf(`tools/${name}-apple.ts`, "")).toEqual([]);
    },
  );
});

describe("plain words", () => {
  test.each([
    "whoever",
    "Nobody",
    "so many",
    "anew",
    "lets go",
    "is told",
    "known is",
    "is no box",
    "are none",
  ])("rejects a comment, a message and a page that say %s", (words) => {
    const problem = `says "${words.toLowerCase()}"`;
    expect(problemsOf(TEST, `// ${words} asks\n`)).toEqual([problem]);
    expect(problemsOf(TEST, `fail("${words} asks");\n`)).toEqual([problem]);
    expect(problemsOf("docs/apple.md", `# Apple\n\n${words} asks.\n`)).toEqual([problem]);
  });

  test("leaves code, names and code blocks alone, and what the words mean elsewhere", () => {
    expect(problemsOf(TEST, 'const nobody = "nobody";\n')).toEqual([]);
    expect(problemsOf("tools/apple.ts", 'fail("nobody asks");\n')).toEqual([]);
    expect(problemsOf(TEST, 'fail("there is no apple, and it is no longer there");\n')).toEqual([]);
    expect(problemsOf("docs/apple.md", "# Apple\n\n```sh\nnobody\n```\n")).toEqual([]);
  });
});

describe("names from elsewhere", () => {
  const TABLES = [
    "const SIZES: Readonly<Record<string, number>> = { apple: 1 };",
    'const SIZES: Record<string, () => void> = {\n  "apple tree": () => undefined,\n};',
    "const SIZES: Readonly<Record<string, { readonly size: number }>> = { [APPLE]: { size: 1 } };",
  ];
  test.each(TABLES)("a table by name is not an object: %s", (table) => {
    expect(problemsOf(SOURCE, `${table}\n`)).toEqual(["has a table by name as an object"]);
    expect(problemsOf(TEST, `${table}\n`)).toEqual([]);
  });

  test.each([
    ["function size(sizes: Record<string, number>) {\n  return sizes[name];\n}", "sizes[name]"],
    [
      "class Apple {\n  readonly #sizes: Readonly<Record<string, number>>;\n  size = () => this.#sizes[name];\n}",
    ],
    ["const size = (value as Record<string, unknown>)[name];", "as Record<string, unknown>)[name]"],
    ["const size = SIZES[name as keyof typeof SIZES];", "[name as keyof typeof SIZES]"],
    ["if (name in sizes) return;", "name in sizes"],
  ])("an object is not asked for a name from elsewhere: %s", (code, use = "this.#sizes[name]") => {
    expect(problemsOf(SOURCE, `${code}\n`)).toEqual([`asks an object for a name in ${use}`]);
  });

  test.each([
    "const SIZES: ReadonlyMap<string, number> = new Map([[name, 1]]);\nSIZES.get(name);",
    "function size(sizes: Record<string, number>) {\n  return Object.hasOwn(sizes, name) ? sizes[name] : 0;\n}",
    'function size(sizes: Record<string, number>) {\n  return sizes["apple"];\n}',
    "const sizes: Record<string, number> = {};",
    "for (const name in sizes) add(name);",
    'if ("apple" in sizes) return;',
    "type Sizes = { readonly [Name in keyof Fruit]: number };",
  ])("own names and maps may be asked: %s", (code) => {
    expect(problemsOf(SOURCE, `${code}\n`)).toEqual([]);
  });
});

describe("doc comments", () => {
  test.each<[declaration: string]>([
    ["export function apple(): void {}"],
    ["export async function apple(): Promise<void> {}"],
    ["export function* apple(): Iterable<number> {}"],
    ["export class apple {}"],
    ["export abstract class apple {}"],
    ["export const apple = 1;"],
    ["export interface apple {}"],
    ["export type apple = string;"],
  ])("are required before `%s`", (declaration) => {
    const problem = "exports apple without a doc comment";
    expect(problemsOf(SOURCE, declaration)).toEqual([problem]);
    expect(problemsOf(SOURCE, `/* plain */\n${declaration}`)).toEqual([problem]);
    expect(problemsOf(SOURCE, `/** Far away. */\n\n${declaration}`)).toEqual([problem]);
    expect(problemsOf(SOURCE, `/** A fruit. */\n${declaration}`)).toEqual([]);
    expect(problemsOf(SOURCE, `/**\n * A fruit.\n */\n// biome-ignore lint: known\n${declaration}`)).toEqual(
      [],
    );
  });

  test("are required once for a function with overloads", () => {
    const text = [
      "/** A fruit. */",
      "export function apple(count: number): void;",
      "export function apple(name: string): void;",
      "export function apple(value: unknown): void {}",
    ];
    expect(problemsOf(SOURCE, text.join("\n"))).toEqual([]);
  });

  test("are not required for re-exported names, nor outside packages", () => {
    expect(problemsOf("packages/made-up/src/index.ts", 'export { apple } from "./apple.ts";')).toEqual([]);
    expect(problemsOf("packages/made-up/src/index.ts", 'export type { Pear } from "./pear.ts";')).toEqual([]);
    expect(problemsOf("golden/apple.ts", "export const apple = 1;")).toEqual([]);
  });
});

describe("leftovers", () => {
  test.each(["TODO", "FIXME", "XXX", "HACK"])("are found when a comment or a page says %s", (word) => {
    expect(problemsOf("tools/apple.ts", `// ${word}: later`)).toEqual([`says ${word}`]);
    expect(problemsOf("docs/apple.md", `Text, ${word}.`)).toEqual([`says ${word}`]);
    expect(problemsOf("tools/apple.ts", `const word = "${word}";`)).toEqual([]);
    expect(problemsOf("docs/apple.md", `The word \`${word}\` is refused.`)).toEqual([]);
  });

  test.each<[comment: string, problem: string]>([
    ["// @ts-ignore because", "uses @ts-ignore"],
    ["// @ts-nocheck", "uses @ts-nocheck"],
    ["// @ts-expect-error", "uses @ts-expect-error without a reason"],
    ["// biome-ignore lint/style/useConst", "uses biome-ignore without a reason"],
    ["// biome-ignore lint/style/useConst: <explanation>", "uses biome-ignore without a reason"],
    ["// biome-ignore-all lint/style/useConst", "uses biome-ignore-all without a reason"],
    ["// eslint-disable-next-line no-console", "uses eslint-disable-next-line without a reason"],
  ])("are found in `%s`", (comment, problem) => {
    expect(problemsOf("tools/apple.ts", `${comment}\n`)).toEqual([problem]);
  });

  test.each([
    "// @ts-expect-error a number is not an apple",
    "// biome-ignore lint/style/useConst: it is written to by the generated part",
    "// eslint-disable-next-line no-console -- the only way to speak",
  ])("are not found in `%s`", (comment) => {
    expect(problemsOf("tools/apple.ts", `${comment}\n`)).toEqual([]);
  });
});

describe("tests", () => {
  test.each(["test.only", "test.skip", "describe.only", "describe.skip", "it.skip", "test.todo"])(
    "may not use %s",
    (call) => {
      expect(problemsOf(TEST, `${call}("grows", () => {});`)).toEqual([`uses ${call}`]);
      expect(problemsOf(TEST, `${call}.each([1])("grows", () => {});`)).toEqual([`uses ${call}`]);
    },
  );

  test("may use skipIf, and other objects' methods named skip", () => {
    expect(problemsOf(TEST, 'test.skipIf(isRoot)("grows", () => reader.skip(4));')).toEqual([]);
  });

  test.each(["that sends text", "[A1] of an apple is red", "whose name is long", "%s", "[%s] %s", "$name"])(
    "need a sentence as their title, not %s",
    (title) => {
      const problem = `has the title "${title.replace(/^\[[^\]]*\] /, "")}"`;
      expect(problemsOf(TEST, `test("${title}", () => {});\n`)).toEqual([problem]);
      expect(problemsOf(TEST, `test.each([1])(\n  "${title}",\n  () => {},\n);\n`)).toEqual([problem]);
      expect(problemsOf(TEST, `describe.each([1])("${title}", () => {});\n`)).toEqual([]);
      expect(problemsOf(TEST, `grow("${title}");\n`)).toEqual([]);
    },
  );

  test("may not sleep", () => {
    expect(problemsOf(TEST, "await new Promise((resolve) => setTimeout(resolve, 10));")).toEqual([
      "uses setTimeout",
    ]);
  });
});

describe("private places", () => {
  test.each([
    ["work", "apple"],
    ["root", "apple"],
    ["home", "eve", "apple"],
    ["tmp", "apple"],
  ])("include a path below /%s", (...folders) => {
    const path = ["", ...folders].join("/");
    expect(problemsOf("docs/apple.md", `Look at ${path} there.`)).toEqual(["names a path of one machine"]);
    expect(problemsOf("docs/apple.md", `Look at packages${path} there.`)).toEqual([]);
  });

  test.each([
    ["registry", "npmjs", "org"],
    ["npm", "example", "com"],
    ["deb", "debian", "org"],
  ])("include a host such as %s.%s.%s", (...labels) => {
    const problem = "names the host of a registry";
    expect(problemsOf("docs/apple.md", `It is on ${labels.join(".")} now.`)).toEqual([problem]);
  });

  test("include any web address in the lockfile, except the one for donations", () => {
    const locked = '"resolved": "https://example.org/apple.tgz"';
    expect(problemsOf("package-lock.json", locked)).toEqual(["locks a web address"]);
    expect(problemsOf("package-lock.json", '"url": "https://example.org/donate"')).toEqual([]);
    expect(problemsOf("package-lock.json", '"funding": [\n"https://example.org/donate"\n]')).toEqual([]);
    expect(problemsOf("package.json", locked)).toEqual([]);
  });
});
