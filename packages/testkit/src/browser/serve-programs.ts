import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "vite";

/** Programs for a browser, served from their own origin. */
export interface ServedPrograms {
  /** Serves an empty page with the first program. */
  readonly origin: string;
  close(): void;
}

/** Bundles each program, as a game would ship it, and serves it at `/NAME.js`; a page runs the first. */
export async function servePrograms(programs: Readonly<Record<string, string>>): Promise<ServedPrograms> {
  const bundles = new Map<string, string>();
  for (const [name, path] of Object.entries(programs)) bundles.set(`/${name}.js`, await bundle(path));
  const [first = ""] = bundles.keys();
  const server = createServer((request, response) => {
    const code = bundles.get(request.url ?? "");
    response.setHeader("content-type", code === undefined ? "text/html" : "text/javascript");
    response.end(code ?? `<!doctype html><script type="module" src="${first}"></script>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}

async function bundle(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["@orthant/source", "module", "browser"] },
    build: { write: false, target: "es2022", lib: { entry, formats: ["es"], fileName: "program" } },
  });
  const [output] = [result].flat();
  if (output === undefined || !("output" in output)) throw new Error(`no bundle of ${entry}`);
  return output.output.map((part) => (part.type === "chunk" ? part.code : "")).join("\n");
}
