import type { Finding } from "../finding.ts";
import { codeOnly, lineAt } from "../source-text.ts";
import type { SourceFile } from "../source-tree.ts";

/** Code that may read names from files, messages or people. */
const SOURCE = /^packages\/(?!testkit\/|create-orthant\/)[^/]+\/src\/.*\.ts$/;
/** A table with names as keys, written as an object. */
const TABLE = /\bRecord<string,(?:[^;={}]|=>|\{[^{}=]*\})*?(?<!=)>+ =\s*\{\s*(?:\w+|"[^"]*"|\[\w+\]):/g;
/** A variable, field or parameter that holds an object with any names as keys. */
const DECLARED = /(?<![\w.])(#?[A-Za-z]\w*)\??: (?:Readonly<)?Record<string,/g;
/** The same without a variable. */
const CAST = /\bas (?:Readonly<)?Record<string, \w+>+\)\[(?!")[^\]]*\]/g;
/** A name that is only claimed to be a key. */
const CLAIMED = /\[[\w.]+ as keyof [^\]]*\]/g;
/** A question for a name, which an object also answers for what it inherits. */
const ASKED = /(?<![\w."`]|\bfor \((?:const|let) |\[)(?!Symbol\b)[A-Za-z][\w.]* in [\w.#]+/g;

/** Uses of objects whose names do not come from outside, and why. */
const ALLOWED: readonly (readonly [path: string, code: string, reason: string])[] = [
  ["cli/src/command/command.ts", "this.#options[option]", "options of our own commands"],
  ["cli/src/world/found-world.ts", "values[name]", "options of our own formats"],
  ["cli/src/generators/named-generators.ts", "values[name]", "names that the defaults have"],
  ["cli/src/serve/credentials.ts", "environment[variable]", "our own variables"],
  ["core/src/bytes/combinators.ts", "value[name]", "fields of our own records"],
  ["core/src/bytes/combinators.ts", "[name as keyof Value]", "fields of our own records"],
  ["core/src/bytes/struct.ts", "offsets[name]", "fields of our own structs"],
  ["core/src/bytes/struct.ts", "value[name]", "fields of our own structs"],
  ["core/src/chunk/block-ids.ts", "found[name]", "names begin with a letter, so none is __proto__"],
  ["core/src/chunk/define-blocks.ts", "as Record<string, unknown>)[unknown]", "a key of the same object"],
  ["core/src/generate/plain-parameters.ts", "parameters[name]", "names that the defaults have"],
  ["formats/src/tilesave/save-text.ts", "values[name]", "our own fields"],
  ["mesh/src/voxel-reader.ts", "given[method]", "our own methods"],
  ["protocol/src/wire1/message/wire1-command.ts", "values[name]", "our own fields"],
  ["save/src/codec/manifest.ts", "object[key]", "our own keys"],
  ["save/src/codec/manifest.ts", "value[key]", "our own keys"],
  ["save/src/leaves/page-codec.ts", "[name as keyof IndexTotals]", "keys of our own totals"],
  ["server/src/auth/decision.ts", "given[field]", "fields that our own table has"],
  ["server/src/checked-options.ts", "as Readonly<Record<string, unknown>>)[name]", "our own options"],
  ["world/src/entities/checked-records.ts", "checked[field]", "fields that our own table has"],
];

/**
 * Finds objects that are asked for a name from elsewhere. An object also has what it inherits: a block property named
 * `constructor` finds a function, and setting `__proto__` replaces the prototype.
 */
export function checkForeignNames({ path, text }: SourceFile): readonly Finding[] {
  if (!SOURCE.test(path)) return [];
  const code = codeOnly(text);
  const allowed = ALLOWED.filter(([file]) => path === `packages/${file}`);
  const finding = (index: number, problem: string): Finding => ({
    path,
    line: lineAt(code, index),
    problem,
    remedy: "use a Map, or ask Object.hasOwn on the same line",
  });
  const tables = [...code.matchAll(TABLE)].map(({ index }) =>
    finding(index, "has a table by name as an object"),
  );
  const indexed = [...indexPatterns(code), CAST, CLAIMED, ASKED]
    .flatMap((pattern) => [...code.matchAll(pattern)])
    .filter(({ 0: found, index }) => {
      if (allowed.some(([, use]) => found.endsWith(use) || found === use)) return false;
      return !lineOf(code, index).includes("Object.hasOwn(");
    })
    .map(({ 0: found, index }) => finding(index, `asks an object for a name in ${found}`));
  const stale = allowed
    .filter(([, use]) => !code.includes(use))
    .map(([, use]) => ({ path, line: 0, problem: `no longer has ${use}`, remedy: "remove it from ALLOWED" }));
  return [...tables, ...indexed, ...stale];
}

/** Returns patterns for an index that is neither a text nor a number in the code, one for each declared name. */
function indexPatterns(code: string): readonly RegExp[] {
  const names = new Set([...code.matchAll(DECLARED)].map(([, name = ""]) => name));
  return [...names].map((name) => new RegExp(`(?<![\\w#])(?:this\\.)?${name}\\[(?!["\\d])[^\\]]*\\]`, "g"));
}

function lineOf(code: string, index: number): string {
  const start = code.lastIndexOf("\n", index) + 1;
  const end = code.indexOf("\n", index);
  return code.slice(start, end === -1 ? code.length : end);
}
