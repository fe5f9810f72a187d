import { createRequire } from "node:module";
import { join } from "node:path";

const load = createRequire(join(process.cwd(), "benchmarks", "peers", "package.json"));

/** Calls `make` with a package of benchmarks/peers. Prints a note and returns nothing without it. */
export function ifInstalled<Peer>(name: string, make: (load: NodeJS.Require) => Peer): Peer | undefined {
  try {
    return make(load);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : error;
    console.error(`peers: no ${name} here; run npm ci in benchmarks/peers (${reason})`);
    return undefined;
  }
}
