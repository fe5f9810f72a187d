import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

// Usage: node tools/published/check-published.mjs FOLDER
// Checks each packed package in a folder as its users' tools see it: the entry points and their types for Node and for
// bundlers, and that it has nothing that users do not need.

/** Our packages are ES modules: `require` needs a Node that can load those, and the resolution of Node 10 is too old. */
const ACCEPTED = [
  ({ kind }) => kind === "CJSResolvesToESM",
  ({ resolutionKind }) => resolutionKind === "node10",
];
const NEEDED =
  /^(?:dist\/.*(?<!\.map|\.tsbuildinfo)|bin\/[\w-]+\.js|templates\/.*|package\.json|README\.md|LICENSE)$/;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder of the packed packages");
const archives = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
if (archives.length === 0) throw new Error(`no packed packages in ${folder}`);
const findings = [];
for (const archive of archives) {
  for (const problem of await problemsOf(new Uint8Array(readFileSync(join(folder, archive))))) {
    findings.push(`${archive}: ${problem}`);
  }
}
for (const finding of findings) console.error(finding);
if (findings.length === 0)
  console.log(`${archives.length} packed packages resolve, with types, under Node and bundlers`);
process.exitCode = findings.length === 0 ? 0 : 1;

async function problemsOf(bytes) {
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  const contents = createPackageFromTarballData(bytes);
  const prefix = `/node_modules/${contents.packageName}/`;
  const files = contents.listFiles().map((path) => path.slice(prefix.length));
  // A package that is only a command has no entry points.
  const { types, problems = [] } = pkg.exports === undefined ? { types: true } : await checkPackage(contents);
  return [
    ...messages.map((message) => formatMessage(message, pkg)),
    ...(types === false ? ["has no types"] : []),
    ...problems
      .filter((problem) => !ACCEPTED.some((isAccepted) => isAccepted(problem)))
      .map(({ kind, entrypoint, resolutionKind }) => `${kind} of ${entrypoint} under ${resolutionKind}`),
    ...files.filter((path) => !NEEDED.test(path)).map((path) => `${path} is published, and no user needs it`),
    ...(pkg.exports !== undefined && pkg.sideEffects === undefined ? ["does not declare sideEffects"] : []),
    ...(files.includes("LICENSE") && files.includes("README.md") ? [] : ["lacks a LICENSE or a README.md"]),
  ];
}
