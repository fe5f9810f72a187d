import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import type { PackedPackage } from "./packed-packages.ts";

/** A registry of npm on this machine. */
export interface LocalRegistry {
  /** Its address, for npm's setting `registry`. */
  readonly url: string;
  close(): void;
}

/**
 * Serves packed packages to npm as if they were published, and sends npm to the registry in its settings for all
 * others. So a test can run the commands that a user runs. The port is a free one unless it is given.
 */
export async function serveRegistry(packages: readonly PackedPackage[], port = 0): Promise<LocalRegistry> {
  const upstream = execFileSync("npm", ["config", "get", "registry"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
  const answers = new Map<string, Buffer>();
  const server = createServer((request, response) => answer(request, response, answers, upstream));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const published of packages) {
    const archive = readFileSync(published.archive);
    const path = `archives/${basename(published.archive)}`;
    answers.set(`/${path}`, archive);
    answers.set(`/${published.name}`, Buffer.from(JSON.stringify(describe(published, archive, url + path))));
  }
  return {
    url,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  answers: ReadonlyMap<string, Buffer>,
  upstream: string,
): void {
  const path = request.url ?? "/";
  const bytes = answers.get(decodeURIComponent(path));
  // The next test packs other bytes under the same name.
  if (bytes !== undefined) response.setHeader("cache-control", "no-store").end(bytes);
  else response.writeHead(307, { location: new URL(path.slice(1), upstream).href }).end();
}

/** Returns what a registry says about a package that has one version. */
function describe({ name, version, manifest }: PackedPackage, archive: Buffer, tarball: string): object {
  const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  return {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { ...manifest, dist: { tarball, integrity } } },
  };
}
