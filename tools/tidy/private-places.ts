import type { Finding } from "../finding.ts";
import { lineAt } from "../source-text.ts";
import type { SourceFile } from "../source-tree.ts";

const MACHINE_PATH = /(?<![\w.@)\]}*-])\/(?:work\/|root\/|home\/[\w-]+\/|tmp\/[\w.-]+)/g;
const REGISTRY_HOST =
  /\b(?:registry|npm|deb|artifactory|nexus)\.(?:[\w-]+\.)+(?:com|org|net|io|dev|local|internal)\b|https?:\/\/[^\s"'`/]+\/(?:artifactory|nexus|npm)\//g;
const LOCKFILE = /(?:^|\/)package-lock\.json$/;
const LOCKFILE_ADDRESS = /^\s*"(?!url")[^"]+": "[^"]*https?:\/\//gm; // "url" has the address for donations

/** Finds places that exist on only one machine or network: paths of home folders, hosts of registries. */
export function checkPrivatePlaces({ path, text }: SourceFile): readonly Finding[] {
  const find = (pattern: RegExp, problem: string, remedy: string): readonly Finding[] =>
    [...text.matchAll(pattern)].map(({ index }) => ({ path, line: lineAt(text, index), problem, remedy }));
  return [
    ...find(MACHINE_PATH, "names a path of one machine", "use a relative path, or os.tmpdir()"),
    ...find(REGISTRY_HOST, "names the host of a registry", "leave the host to the settings of npm"),
    ...(LOCKFILE.test(path)
      ? find(LOCKFILE_ADDRESS, "locks a web address", "set omit-lockfile-registry-resolved in .npmrc")
      : []),
  ];
}
