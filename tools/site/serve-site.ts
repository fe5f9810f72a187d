import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";
import { isPacked } from "./site-loads.ts";

/** A folder of files on a web server of this machine. */
export interface ServedSite {
  /** Address of the start page, below a path. */
  readonly url: string;
  /** Bytes of all bodies that were sent so far. */
  readonly sentBytes: number;
  close(): void;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
};
/** Not at the root, as on many hosts. */
const PREFIX = "/some/path/";

/** Serves a site as a plain host does: compressed, and below a path. The port is a free one unless it is given. */
export async function serveSite(site: string, port = 0): Promise<ServedSite> {
  let sentBytes = 0;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const inside = pathname.startsWith(PREFIX)
      ? decodeURIComponent(pathname.slice(PREFIX.length))
      : undefined;
    const named = inside === undefined ? undefined : join(site, normalize(`/${inside}`));
    const path = named?.endsWith("/") ? join(named, "index.html") : named;
    if (path === undefined || !existsSync(path) || !statSync(path).isFile()) {
      response.writeHead(404).end("not found");
      return;
    }
    response.setHeader("content-type", TYPES[extname(path)] ?? "text/plain; charset=utf-8");
    // As GitHub Pages does.
    response.setHeader("cache-control", "max-age=600");
    const isCompressed = isPacked(path);
    const body = isCompressed ? readFileSync(path) : gzipSync(readFileSync(path));
    if (!isCompressed) response.setHeader("content-encoding", "gzip");
    sentBytes += body.length;
    response.end(body);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}`,
    get sentBytes() {
      return sentBytes;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
