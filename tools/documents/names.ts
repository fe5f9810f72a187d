import type { Finding } from "../finding.ts";
import { lineAt, scanLiterals } from "../source-text.ts";
import type { SourceFile, SourceTree } from "../source-tree.ts";

/** A name that cannot be an English word, because of a capital or an underscore inside. */
const NAME =
  /\b(?:[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*|[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*|[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b/g;
/** In a message names have no backticks, and `MarsMiner` is a word: only names in lower camel case count. */
const NAME_IN_MESSAGE = /\b[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*\b/g;
const CODE_SPAN = /`[^`\n]+`/g;
const FENCE = /^```.*?^```/gms;
const CODE_FILE = /\.(?:ts|mjs)$/;
const TEST_FILE = /(?:^|\/)test\/|\.test\.ts$/;
const MESSAGE_FILE = /^packages\/[^/]+\/src\/.*\.ts$/;
/** Text for people has a space; shaders and scripts have several lines. */
const MESSAGE = /^[^\n]*\S [^\n]*$/;

/** Names from other programs that our documents and comments mention: of Polychora, Node, browsers and three.js. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set([
  "castShadow",
  "EffectComposer",
  "logarithmicDepthBuffer",
  "NATS_NAME",
  "optimizeDeps",
  "OutputPass",
  "receiveShadow",
  "RegionSubtreePatch",
  "RenderPass",
  "styleText",
  "transferControlToOffscreen",
  "VoxelManip",
  "WebGPURenderer",
]);

/** A member of a class or interface, as documents write it: `World.restoreChunks`. */
const MEMBER = /\b([A-Z][A-Za-z0-9]*)\.([a-z][A-Za-z0-9]*)\b/g;
/** A class or an interface with what it extends, up to its closing brace at the start of a line. */
const TYPE_WITH_MEMBERS =
  /^(?:export )?(?:abstract )?(?:class|interface) (\w+)([^{}]*)\{(?:\s*\}|(.*?)^\})/gms;
/** A member, which is indented by two spaces; what is indented more is inside of a method. */
const DECLARED =
  /^ {2}(?:(?:static|abstract|override|declare|readonly|async|get|set) )*\*?(\w+)[?!]?\s*[(<:=;]/gm;

/** This page names what was removed. */
const CHANGELOG = "CHANGELOG.md";

/** Finds names in documents, comments and messages that are not in the code, such as removed functions. */
export function checkNames(tree: SourceTree): readonly Finding[] {
  const pieces = tree.filter(({ path }) => !TEST_FILE.test(path)).flatMap(piecesOf);
  const known = new Set(
    pieces.flatMap(({ kind, text }) =>
      kind === "code" ? [...text.matchAll(NAME)].map(([name]) => name) : [],
    ),
  );
  const members = membersIn(pieces);
  return pieces.flatMap(({ file, kind, text, offset }) =>
    [
      ...mentionsIn(kind, text).filter((name) => !known.has(name) && !FOREIGN_NAMES.has(name)),
      ...missingMembersIn(kind, text, members),
    ].map((name) => ({
      path: file.path,
      line: lineAt(file.text, offset),
      problem: `names ${name}, which is not in the code`,
      remedy: "name what exists, or add it to FOREIGN_NAMES if another program has it",
    })),
  );
}

/** Declared members of a class or interface, and the names in its `extends` clause. */
interface Members {
  readonly own: Set<string>;
  readonly bases: Set<string>;
}

function membersIn(pieces: readonly Piece[]): ReadonlyMap<string, Members> {
  const members = new Map<string, Members>();
  const files = new Map<SourceFile, string>();
  for (const { file, kind, text } of pieces) {
    if (kind === "code" && MESSAGE_FILE.test(file.path)) files.set(file, (files.get(file) ?? "") + text);
  }
  for (const code of files.values()) {
    for (const [, name = "", heritage = "", body = ""] of code.matchAll(TYPE_WITH_MEMBERS)) {
      const { own, bases } = members.get(name) ?? { own: new Set(), bases: new Set() };
      for (const [, member = ""] of body.matchAll(DECLARED)) own.add(member);
      for (const base of heritage.match(/\w+/g) ?? []) bases.add(base);
      members.set(name, { own, bases });
    }
  }
  return members;
}

function missingMembersIn(
  kind: Piece["kind"],
  text: string,
  members: ReadonlyMap<string, Members>,
): readonly string[] {
  if (kind !== "spans") return [];
  const has = (name: string, member: string): boolean => {
    const found = members.get(name);
    if (found === undefined) return false;
    return found.own.has(member) || [...found.bases].some((base) => base !== name && has(base, member));
  };
  return (text.match(CODE_SPAN) ?? [])
    .flatMap((span) => [...span.matchAll(MEMBER)])
    .filter(([, name = "", member = ""]) => members.has(name) && !has(name, member))
    .map(([mention]) => mention);
}

/** A part of a file: `code` defines names, `spans` mentions them in backticks, `message` in plain text. */
interface Piece {
  readonly file: SourceFile;
  readonly kind: "code" | "spans" | "message";
  readonly text: string;
  readonly offset: number;
}

function piecesOf(file: SourceFile): readonly Piece[] {
  if (file.path.endsWith(".md")) return piecesOfPage(file);
  return CODE_FILE.test(file.path) ? piecesOfCode(file) : [];
}

function piecesOfPage(file: SourceFile): readonly Piece[] {
  const code = { file, kind: "code", text: (file.text.match(FENCE) ?? []).join("\n"), offset: 0 } as const;
  if (file.path === CHANGELOG) return [code];
  const prose = file.text.replace(FENCE, (fence) => fence.replace(/[^\n]/g, " "));
  const spans = [...prose.matchAll(CODE_SPAN)].map(({ 0: text, index: offset }): Piece => {
    return { file, kind: "spans", text, offset };
  });
  return [code, ...spans];
}

function piecesOfCode(file: SourceFile): readonly Piece[] {
  const { path, text: source } = file;
  const pieces: Piece[] = [];
  let end = 0;
  for (const literal of scanLiterals(source)) {
    pieces.push({ file, kind: "code", text: source.slice(end, literal.start), offset: end });
    end = literal.end;
    const text = source.slice(literal.start, literal.end);
    if (literal.kind === "comment") pieces.push({ file, kind: "spans", text, offset: literal.start });
    if (literal.kind !== "string" && literal.kind !== "template") continue;
    const kind = !MESSAGE.test(text) ? "code" : MESSAGE_FILE.test(path) ? "message" : undefined;
    if (kind !== undefined) pieces.push({ file, kind, text, offset: literal.start });
  }
  pieces.push({ file, kind: "code", text: source.slice(end), offset: end });
  return pieces;
}

function mentionsIn(kind: Piece["kind"], text: string): readonly string[] {
  if (kind === "code") return [];
  if (kind === "message") return text.match(NAME_IN_MESSAGE) ?? [];
  return (text.match(CODE_SPAN) ?? []).flatMap((span) => span.match(NAME) ?? []);
}
