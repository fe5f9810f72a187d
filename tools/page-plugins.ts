import { dirname, join } from "node:path";
import type { Plugin } from "vite";

/** Where a pool starts a program of its own. */
const POOL_PROGRAM =
  /new Worker\(new URL\("\.\/(?:mesh-)?worker\.js", import\.meta\.url\), \{ type: "module" \}\)/g;
/** Where a page of the viewer starts its worker. */
const WORKER_ADDRESS = /new URL\("\.\/((?:page|browser)-worker\.ts)", import\.meta\.url\)/;

/** Leaves out the pools' own worker programs: the viewer's program does their work. */
export function withoutPoolPrograms(): Plugin {
  return {
    name: "without-pool-programs",
    enforce: "pre",
    transform: (code) => code.replace(POOL_PROGRAM, "undefined"),
  };
}

/** Lets the page and its worker share files: Vite would bundle the worker alone, with all that the page has too. */
export function sharedWorker(): Plugin {
  return {
    name: "shared-worker",
    enforce: "pre",
    transform(code, id) {
      const [address, program] = WORKER_ADDRESS.exec(code) ?? [];
      if (address === undefined || program === undefined) return undefined;
      const worker = this.emitFile({ type: "chunk", id: join(dirname(id), program) });
      return code.replace(address, `import.meta.ROLLUP_FILE_URL_${worker}`);
    },
  };
}
