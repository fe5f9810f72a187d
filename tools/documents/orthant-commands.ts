import { posix } from "node:path";
import type { Finding } from "../finding.ts";
import { findFile, type SourceFile, type SourceTree } from "../source-tree.ts";
import { type CommandLine, commandLines } from "./command-lines.ts";

const TEMPLATES = "packages/create-orthant/templates/";

/** A command of the program, as far as the check needs it. */
export interface KnownCommand {
  readonly name: string;
  readonly arguments: readonly { readonly name: string }[];
  readonly options: readonly { readonly flags: string }[];
}

/** Options that every command accepts. */
const COMMON_FLAGS: readonly string[] = ["--json", "-q, --quiet", "--generators <module>", "-h, --help"];
/** A placeholder for a name that the reader chooses. */
const PLACEHOLDER = /^(?:[A-Z]+|…|\.\.\.)$/;
/** Folders of the programs that a script accepts by name. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  campaign: ["campaigns"],
  bench: ["benchmarks", "benchmarks/report"],
};

/** Finds lines with `orthant` or `npm run` in documents that would not work. */
export function checkCommands(tree: SourceTree, commands: readonly KnownCommand[]): readonly Finding[] {
  return tree
    .filter(({ path }) => path.endsWith(".md") || path.endsWith(".service"))
    .flatMap((page) =>
      commandLines(page).flatMap((line) => {
        const problem = orthantProblem(line, commands) ?? scriptProblem(tree, page, line);
        const found = {
          path: page.path,
          line: line.line,
          problem: problem ?? "",
          remedy: "correct the command",
        };
        return problem === undefined ? [] : [found];
      }),
    );
}

/** Returns what is wrong with a line that calls the program; `undefined` for correct and other lines. */
function orthantProblem(
  { words, isWhole }: CommandLine,
  commands: readonly KnownCommand[],
): string | undefined {
  const at = words.findIndex((word, index) => {
    const before = words[index - 1] ?? "";
    return word === "orthant" && (index === 0 || before.endsWith("npx"));
  });
  const [name, ...rest] = at < 0 ? [] : words.slice(at + 1);
  if (name === undefined || PLACEHOLDER.test(name) || name.startsWith("-")) return undefined;
  const command = commands.find((known) => known.name === name);
  if (command === undefined) return `calls orthant ${name}, which there is not`;
  const flags = flagsOf(command);
  let given = 0;
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? "";
    if (!/^--?[a-z]/.test(word)) {
      given++;
      continue;
    }
    const takesValue = flags.get(word.split("=")[0] ?? "");
    if (takesValue === undefined) return `gives orthant ${name} the option ${word}, which it has not`;
    if (takesValue && !word.includes("=")) index++;
  }
  if (!isWhole || rest.includes("--help")) return undefined;
  const needed = command.arguments.filter((argument) => argument.name.startsWith("<")).length;
  if (given >= needed && given <= command.arguments.length) return undefined;
  return `gives orthant ${name} ${given} arguments, where it takes ${needed} to ${command.arguments.length}`;
}

/** Returns each spelling of each option, and whether a value follows. */
function flagsOf({ options }: KnownCommand): ReadonlyMap<string, boolean> {
  const all = [...options.map(({ flags }) => flags), ...COMMON_FLAGS];
  return new Map(
    all.flatMap((flags) => {
      const spellings = flags.match(/--?[a-z][\w-]*/g) ?? [];
      return spellings.map((spelling) => [spelling, flags.includes("<")] as const);
    }),
  );
}

/** Returns what is wrong with a line that calls a script of the repository. */
function scriptProblem(tree: SourceTree, page: SourceFile, { words }: CommandLine): string | undefined {
  const plain = words.filter((word) => word !== "--silent");
  const [program, run, script = "", dashes, name = ""] = plain.slice(Math.max(0, plain.indexOf("npm")));
  if (program !== "npm" || run !== "run" || script === "" || PLACEHOLDER.test(script)) return undefined;
  if (!scriptsFor(tree, page).has(script)) return `calls npm run ${script}, which there is not`;
  const folders = FOLDERS[script];
  if (folders === undefined || dashes !== "--" || PLACEHOLDER.test(name)) return undefined;
  const isThere = folders.some((folder) => findFile(tree, `${folder}/${name}.ts`) !== undefined);
  return isThere ? undefined : `calls npm run ${script} -- ${name}, but there is no ${folders[0]}/${name}.ts`;
}

/**
 * Returns the scripts of all packages around the page, because its reader may be in any of their folders, and those of
 * templates if the page has its reader create a project.
 */
function scriptsFor(tree: SourceTree, { path, text }: SourceFile): ReadonlySet<string> {
  const folders = new Set<string>();
  for (let folder = posix.dirname(path); !folders.has(folder); folder = posix.dirname(folder))
    folders.add(folder);
  const isAround = (file: SourceFile): boolean => folders.has(posix.dirname(file.path));
  const isCreated = ({ path: manifest }: SourceFile): boolean =>
    text.includes("npm create orthant") && manifest.startsWith(TEMPLATES);
  const scripts = tree
    .filter((file) => posix.basename(file.path) === "package.json" && (isAround(file) || isCreated(file)))
    .flatMap((file) => Object.keys((JSON.parse(file.text) as { readonly scripts?: object }).scripts ?? {}));
  return new Set(scripts);
}
