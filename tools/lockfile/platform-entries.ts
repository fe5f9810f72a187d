import { type Platform, platformOf } from "./platform.ts";

/** An entry of `package-lock.json`, reduced to the fields that matter here. */
interface LockEntry extends Platform {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The contents of `package-lock.json`. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/** An entry that the lockfile should have. */
export interface MissingEntry {
  /** Its key in the lockfile, such as `node_modules/fsevents`. */
  readonly location: string;
  readonly wantedBy: string;
  readonly entry: LockEntry;
}

/**
 * Finds optional packages that the lockfile wants but does not list. npm leaves out those that the current
 * registry does not serve, and then `npm ci` rejects the lockfile.
 */
export function missingPlatformEntries({ packages }: Lockfile): readonly MissingEntry[] {
  const missing = new Map<string, MissingEntry>();
  for (const [wantedBy, parent] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(parent.optionalDependencies ?? {})) {
      if (candidateLocations(wantedBy, name).some((location) => packages[location] !== undefined)) continue;
      const entry = platformEntry(name, range, parent);
      const hoisted = `node_modules/${name}`;
      const taken = missing.get(hoisted);
      if (taken?.entry.version === entry.version) continue;
      const location = taken === undefined ? hoisted : `${wantedBy}/node_modules/${name}`;
      missing.set(location, { location, wantedBy, entry });
    }
  }
  return [...missing.values()];
}

/** Returns the lockfile with the missing entries added, in the order in which npm writes them. */
export function withPlatformEntries<L extends Lockfile>(lockfile: L): L {
  const added = missingPlatformEntries(lockfile).map(({ location, entry }) => [location, entry] as const);
  const entries = [...Object.entries(lockfile.packages), ...added];
  entries.sort(([left], [right]) => left.localeCompare(right, "en"));
  return { ...lockfile, packages: Object.fromEntries(entries) };
}

/** Returns the places where Node looks for a dependency of the package at `wantedBy`, innermost first. */
function candidateLocations(wantedBy: string, name: string): readonly string[] {
  const folders = wantedBy === "" ? [] : wantedBy.split("/");
  const candidates = folders
    .map((_, index) => folders.slice(0, folders.length - index))
    .filter((folder) => folder.at(-1) !== "node_modules")
    .map((folder) => `${folder.join("/")}/node_modules/${name}`);
  return [...candidates, `node_modules/${name}`];
}

/** The fields are in the order in which npm writes them. */
function platformEntry(name: string, range: string, parent: LockEntry): LockEntry {
  const { os, cpu, libc } = platformOf(name);
  return {
    version: range.replace(/^[\^~=v]+/, ""),
    ...(cpu && { cpu }),
    ...(parent.dev && { dev: true }),
    ...(parent.devOptional && { devOptional: true }),
    ...(libc && { libc }),
    optional: true,
    ...(os && { os }),
  };
}
