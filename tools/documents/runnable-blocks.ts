/** The program on a page, and its output. */
export interface RunnablePage {
  /** All `ts` blocks of the page, in order, as one module of TypeScript. */
  readonly module: string;
  /** The expected output: all `text` blocks of the page, in order. */
  readonly output: string;
}

interface Block {
  readonly language: string;
  readonly code: string;
  /** The line of the page on which the code begins, starting at 1. */
  readonly line: number;
}

const FENCE = /^```(?<language>ts|text)\n(?<code>.*?)^```$/gms;
const NAMED_IMPORT = /^import \{(?<names>[^}]*)\} from "(?<from>[^"]+)";$/gm;
const RESULT = /^(?<indent>\s*)(?<expression>.+);\s+\/\/ => (?<expected>.+)$/;
const FIRST_WORD_OF_STATEMENT =
  /^(?:break|class|const|continue|for|function|if|let|return|switch|throw|var|while)\b/;

const COMPARE = `import { inspect as $inspect, isDeepStrictEqual as $isEqual } from "node:util";
function $result(line: number, value: unknown, expected: unknown): void {
  if (!$isEqual(value, expected)) throw new Error(\`line \${line}: \${$inspect(value)} is not \${$inspect(expected)}\`);
}`;

/**
 * Returns the program of a page; `undefined` when it has none. A page is one program: later blocks may use
 * the declarations of earlier ones. A one-line expression followed by `; // => value` must have that value.
 */
export function runnablePage(page: string): RunnablePage | undefined {
  const blocks = blocksOf(page);
  const programs = blocks.filter(({ language }) => language === "ts");
  if (programs.length === 0) return undefined;
  const code = programs.map(withResults).join("\n");
  const outputs = blocks.filter(({ language }) => language === "text");
  return {
    module: [COMPARE, ...mergedImports(code), code.replace(NAMED_IMPORT, "")].join("\n"),
    output: outputs.map((block) => block.code).join(""),
  };
}

function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(FENCE)].map(({ index, groups }) => ({
    language: groups?.["language"] ?? "",
    code: groups?.["code"] ?? "",
    line: page.slice(0, index).split("\n").length + 1,
  }));
}

/** Returns the code of a block, with each line that states a result turned into a comparison. */
function withResults({ code, line }: Block): string {
  return code
    .split("\n")
    .map((text, index) => {
      const { indent = "", expression = "", expected = "" } = RESULT.exec(text)?.groups ?? {};
      if (expected === "") return text;
      if (FIRST_WORD_OF_STATEMENT.test(expression)) {
        throw new Error(`line ${line + index}: only an expression can have a result, not: ${expression}`);
      }
      return `${indent}$result(${line + index}, ${expression}, ${expected});`;
    })
    .join("\n");
}

/** Merges the imports of all blocks into one per module, because two blocks may import the same name. */
function mergedImports(code: string): readonly string[] {
  const namesByModule = new Map<string, Set<string>>();
  for (const { groups } of code.matchAll(NAMED_IMPORT)) {
    const from = groups?.["from"] ?? "";
    const names = namesByModule.get(from) ?? new Set<string>();
    namesByModule.set(from, names);
    for (const name of (groups?.["names"] ?? "").split(",")) if (name.trim() !== "") names.add(name.trim());
  }
  return Array.from(namesByModule, ([from, names]) => `import { ${[...names].join(", ")} } from "${from}";`);
}
