import { posix } from "node:path";
import type { Finding } from "../finding.ts";
import { codeOnly, lineAt } from "../source-text.ts";
import { findFile, type SourceFile, type SourceTree } from "../source-tree.ts";
import { readArchitecture } from "./architecture.ts";
import { layerOf } from "./import-rules.ts";

/** A name that a file exports. */
interface ExportedName {
  readonly name: string;
  readonly line: number;
  readonly isType: boolean;
  /** Whether the file declares the name, or renames another one to it; otherwise it passes a name on. */
  readonly isDefined: boolean;
}

/** Where a name is defined. */
interface Definition {
  readonly path: string;
  readonly line: number;
  /** The package and runtime that it belongs to. */
  readonly owner: string;
  readonly runtime: string;
}

const DECLARATION =
  /^export (?:declare |abstract |async )*(?<keyword>function|class|const|let|interface|type|enum)\b[ *]*(?<name>[\w$]+)/gm;
const CLAUSE = /^export (?<type>type )?\{(?<names>[^}]*)\}/gm;
// Matches text with blanked literals, in which the content of any string is white space.
const STAR = /^export \* from "(?<module>\s*)"/dgm;

/** Finds exported names of packages that several files define: a reader could take one for the other. */
export function checkNames(tree: SourceTree): readonly Finding[] {
  return [...namesDefinedTwice(tree)].flatMap(([name, [first, ...others]]) =>
    others.map(({ path, line }) => ({
      path,
      line,
      problem: `exports ${name}, which ${first?.path}:${first?.line} exports with another meaning`,
      remedy: "rename one of them, or make them one",
    })),
  );
}

/** Returns the names that several files define. Variants for different runtimes share a name, as does a wrapper. */
function namesDefinedTwice(tree: SourceTree): ReadonlyMap<string, readonly Definition[]> {
  const architecture = readArchitecture(tree);
  const definitions = new Map<string, Definition[]>();
  for (const file of tree) {
    const layer = file.path.endsWith(".ts") ? layerOf(file.path, architecture) : undefined;
    if (layer === undefined) continue;
    const { path } = file;
    for (const { name, line, isDefined } of exportedNames(file)) {
      const known = definitions.get(name) ?? [];
      const isVariant = known.some(
        ({ owner, runtime }) => owner === layer.owner.name && runtime !== layer.runtime,
      );
      // Overloads repeat a name in one file.
      if (!isDefined || isVariant || wraps(file, name) || known.some((other) => other.path === path))
        continue;
      definitions.set(name, [...known, { path, line, owner: layer.owner.name, runtime: layer.runtime }]);
    }
  }
  return new Map([...definitions].filter(([, found]) => found.length > 1));
}

/** Whether a file imports a name under another one: what it exports by that name is then a variant of the original. */
function wraps({ text }: SourceFile, name: string): boolean {
  return new RegExp(`^import \\{[^}]*\\b${name} as \\w+[^}]*\\} from `, "m").test(text);
}

/** Returns the names that a file declares, renames or passes on, without those of an `export *`. */
function exportedNames({ text }: SourceFile): readonly ExportedName[] {
  const code = codeOnly(text);
  const declared = [...code.matchAll(DECLARATION)].map(({ index, groups }) => ({
    name: groups?.["name"] ?? "",
    line: lineAt(text, index),
    isType: groups?.["keyword"] === "interface" || groups?.["keyword"] === "type",
    isDefined: true,
  }));
  const listed = [...code.matchAll(CLAUSE)].flatMap(({ index, groups }) =>
    (groups?.["names"] ?? "")
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
      .map((item) => {
        const [, original, name = original ?? ""] =
          /^(?:type )?(?<original>[\w$]+)(?: as (?<name>[\w$]+))?$/.exec(item) ?? [];
        const isType = groups?.["type"] !== undefined || item.startsWith("type ");
        return { name, line: lineAt(text, index), isType, isDefined: name !== original };
      }),
  );
  return [...declared, ...listed];
}

/** Returns the names that importers of a file see, sorted: `createServer`, or `type ServerOptions`. */
export function publicNames(tree: SourceTree, path: string): readonly string[] {
  const file = findFile(tree, path);
  if (file === undefined) throw new Error(`there is no file ${path}`);
  const own = exportedNames(file).map(({ name, isType }) => (isType ? `type ${name}` : name));
  const passedOn = [...codeOnly(file.text).matchAll(STAR)].flatMap(({ indices }) => {
    const [start, end] = indices?.groups?.["module"] ?? [0, 0];
    return publicNames(tree, posix.join(posix.dirname(path), file.text.slice(start, end)));
  });
  const bare = (name: string): string => name.replace("type ", "");
  return [...new Set([...own, ...passedOn])].sort((a, b) => (bare(a) < bare(b) ? -1 : 1));
}
