import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PackedPackage } from "@orthant/testkit/packages";

/** The oldest version of TypeScript that our types support, under the name that it is installed by. */
export const OLDEST_COMPILER: readonly [name: string, version: string] = [
  "oldest-typescript",
  "npm:typescript@5.7.3",
];

/** The ways in which a compiler finds the types of a package. */
const RESOLUTIONS = [
  ["node16", "node16"],
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
] as const;
const OPTIONS =
  "--noEmit --strict --skipLibCheck false --target es2022 --lib es2022,dom,dom.iterable --types node";

/** Compiles the declarations of every entry point, and those that they need, with the oldest compiler that we support. */
export function tryTypes(
  folder: string,
  packed: readonly PackedPackage[],
  run: (command: string, parameters: readonly string[], cwd: string) => string,
): void {
  const entries = packed.flatMap(entriesOf);
  const lines = entries.map((entry, index) => `export * as entry${index} from ${JSON.stringify(entry)};\n`);
  writeFileSync(join(folder, "entries.ts"), lines.join(""));
  const compiler = join("node_modules", OLDEST_COMPILER[0], "bin", "tsc");
  for (const [module, resolution] of RESOLUTIONS) {
    const options = ["--module", module, "--moduleResolution", resolution, "entries.ts"];
    run(process.execPath, [compiler, ...OPTIONS.split(" "), ...options], folder);
  }
  console.log(`the types of ${entries.length} entry points compile with ${OLDEST_COMPILER[1].slice(4)}`);
}

function entriesOf({ name, manifest }: PackedPackage): readonly string[] {
  return Object.keys((manifest["exports"] as object | undefined) ?? {}).map((entry) => name + entry.slice(1));
}
