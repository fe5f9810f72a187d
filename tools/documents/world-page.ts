import type { Finding } from "../finding.ts";
import { codeOnly } from "../source-text.ts";
import { findFile, type SourceTree } from "../source-tree.ts";

const WORLD_PAGE = "docs/reference/world.md";
const WORLD_FOLDER = "packages/world/src";
const EXPORT_LIST = /^export (?:type )?\{(?<names>[^}]*)\} from "\.\/(?<file>[^"]+)";$/gm;
const CLASS = /^export class (?<name>\w+) .*?^\}$/gms;
/** A public member: private ones begin with a hash, and the content of a body is indented further. */
const MEMBER = /^ {2}(?:static |override |readonly |async |get |\*)*(?<name>[a-z]\w*)[(<:]/gm;
const CODE_SPAN = /`[^`\n]+`/g;

/** Finds exports of `@orthant/world`, and public members of its classes, that the reference lacks. */
export function checkWorldPage(tree: SourceTree): readonly Finding[] {
  const page = findFile(tree, WORLD_PAGE)?.text;
  if (page === undefined)
    return [{ path: WORLD_PAGE, line: 0, problem: "is missing", remedy: "list every export there" }];
  const words = new Set((page.match(CODE_SPAN) ?? []).flatMap((code) => code.split(/[^\w$]+/)));
  return publicNames(tree)
    .filter((name) => !name.split(".").every((word) => words.has(word)))
    .map((name) => ({
      path: WORLD_PAGE,
      line: 0,
      problem: `does not mention ${name}`,
      remedy: "say in a line what it promises",
    }));
}

/** Returns every name that the package exports, and for classes also `Class.member`. */
function publicNames(tree: SourceTree): readonly string[] {
  const index = findFile(tree, `${WORLD_FOLDER}/index.ts`)?.text ?? "";
  return [...index.matchAll(EXPORT_LIST)].flatMap(({ groups }) => {
    const names = (groups?.["names"] ?? "")
      .split(",")
      .map((name) => name.replace(/^\s*(?:type )?/, "").trim())
      .filter((name) => name !== "");
    const text = findFile(tree, `${WORLD_FOLDER}/${groups?.["file"] ?? ""}`)?.text ?? "";
    return [...names, ...membersOf(text).filter((member) => names.includes(member.split(".")[0] ?? ""))];
  });
}

function membersOf(text: string): readonly string[] {
  return [...codeOnly(text).matchAll(CLASS)].flatMap((found) =>
    [...found[0].matchAll(MEMBER)]
      .map(({ groups }) => groups?.["name"] ?? "")
      .filter((member) => member !== "constructor")
      .map((member) => `${found.groups?.["name"]}.${member}`),
  );
}
