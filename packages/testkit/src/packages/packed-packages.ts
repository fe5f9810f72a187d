import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../../../../", import.meta.url));

/** A package, as `npm publish` would upload it. */
export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  /** The contents of its `package.json`. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Path of its archive. */
  readonly archive: string;
}

interface PackReport {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Packs every package that is published, from what is built now. Throws if one has files that only tests use. */
export function packPackages(into: string): readonly PackedPackage[] {
  const manifests = publishedManifests();
  const chosen = manifests.map(({ name }) => `--workspace=${name}`);
  const output = execFileSync("npm", ["pack", "--json", "--pack-destination", into, ...chosen], {
    cwd: REPOSITORY,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const reports = JSON.parse(output) as readonly PackReport[];
  return manifests.map((manifest) => {
    const { name, version } = manifest;
    const report = reports.find((packed) => packed.name === name);
    if (report === undefined) throw new Error(`npm did not pack ${name}`);
    const internal = report.files.find(({ path }) => path.startsWith("dist/internal."));
    if (internal !== undefined) throw new Error(`${name} publishes ${internal.path}`);
    return { name, version, manifest, archive: join(into, report.filename) };
  });
}

interface Manifest extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly version: string;
}

function publishedManifests(): readonly Manifest[] {
  const folder = join(REPOSITORY, "packages");
  return readdirSync(folder)
    .map((name) => join(folder, name, "package.json"))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, "utf8")) as Manifest)
    .filter((manifest) => manifest["private"] !== true);
}
