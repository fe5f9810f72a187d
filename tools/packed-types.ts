import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PackedPackage } from "@orthant/testkit/packages";

/** The versions of TypeScript that our types support, oldest first, under the names that they are installed by. */
export const COMPILERS: readonly (readonly [name: string, version: string])[] = [
  "5.7.3",
  "5.8.3",
  "5.9.3",
  "6.0.3",
  "7.0.2",
].map((version) => [`typescript-${version}`, `npm:typescript@${version}`]);

/** The ways in which a compiler finds the types of a package. */
const RESOLUTIONS = [
  ["node16", "node16"],
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
] as const;
const OPTIONS =
  "--noEmit --strict --skipLibCheck false --target es2022 --lib es2022,dom,dom.iterable --types node";

/** Compiles the declarations of every entry point, and those that they need, with each compiler that we support. */
export function tryTypes(
  folder: string,
  packed: readonly PackedPackage[],
  run: (command: string, parameters: readonly string[], cwd: string) => string,
): void {
  const entries = packed.flatMap(entriesOf);
  const lines = entries.map((entry, index) => `export * as entry${index} from ${JSON.stringify(entry)};\n`);
  writeFileSync(join(folder, "entries.ts"), lines.join(""));
  for (const [name, version] of COMPILERS) {
    const compiler = join("node_modules", name, "bin", "tsc");
    for (const [module, resolution] of RESOLUTIONS) {
      const options = ["--module", module, "--moduleResolution", resolution, "entries.ts"];
      run(process.execPath, [compiler, ...OPTIONS.split(" "), ...options], folder);
    }
    console.log(`the types of ${entries.length} entry points compile with ${version.slice(4)}`);
  }
}

function entriesOf({ name, manifest }: PackedPackage): readonly string[] {
  return Object.keys((manifest["exports"] as object | undefined) ?? {}).map((entry) => name + entry.slice(1));
}
