import { createHash, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Refusal } from "./front-door.ts";
import type { PageFile } from "./page-files.ts";

/** What the pages show. */
export interface PageSources {
  /** Why nobody should be sent here; `undefined` when all is well. */
  readonly unready: () => string | undefined;
  readonly metrics: () => Promise<string>;
  /** What a reader of the metrics has to know; `undefined` when anybody may read them. */
  readonly bearer: string | undefined;
  /** Files of a web page, by the path that they are asked for with. */
  readonly files: ReadonlyMap<string, PageFile>;
}

/** One answer of the pages. */
interface Page {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
  readonly refusal?: Refusal["name"];
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";
/** A page may use what comes from here, and nothing else; nobody may put it into a frame of theirs. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Answers a plain request, and gives why it was refused, if it was. */
export async function answerPage(
  request: IncomingMessage,
  response: ServerResponse,
  sources: PageSources,
): Promise<Refusal["name"] | undefined> {
  const file = isReading(request) ? sources.files.get(pathOf(request)) : undefined;
  if (file !== undefined) {
    answerFile(request, response, file);
    return undefined;
  }
  const { status, text, type = TEXT_TYPE, refusal } = await pageFor(request, sources);
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(status === 405 ? { allow: "GET, HEAD" } : {}),
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : text);
  return refusal;
}

/** Answers a plain request that gets no page. */
export function refusePage(response: ServerResponse, refusal: Refusal): void {
  response.writeHead(refusal.status, { connection: "close", "content-type": TEXT_TYPE, "retry-after": "1" });
  response.end(textOf(refusal));
}

/** Answers a request for a connection that is not to be, and drops it. */
export function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  const { status } = refusal;
  const text = textOf(refusal);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "connection: close",
      `content-type: ${TEXT_TYPE}`,
      `content-length: ${Buffer.byteLength(text)}`,
      ...(status === 429 || status === 503 ? ["retry-after: 1"] : []),
      "",
      text,
    ].join("\r\n"),
    () => socket.destroy(),
  );
}

/** The path of a request, without what is asked of it. */
export function pathOf({ url = "" }: IncomingMessage): string {
  return url.split(/[?#]/, 1)[0] ?? "";
}

function textOf({ detail, name }: Refusal): string {
  return `${detail} (${name})\n`;
}

async function pageFor(request: IncomingMessage, { unready, metrics, bearer }: PageSources): Promise<Page> {
  if (!isReading(request)) {
    return { status: 405, text: "only GET is answered here\n", refusal: "method" };
  }
  switch (pathOf(request)) {
    case "/healthz":
      return { status: 200, text: "alive\n" };
    case "/readyz": {
      const why = unready();
      return why === undefined ? { status: 200, text: "ready\n" } : { status: 503, text: `${why}\n` };
    }
    case "/metrics":
      if (bearer !== undefined && !isBearer(request.headers.authorization, bearer)) {
        return { status: 401, text: "the metrics are not for everybody\n", refusal: "bearer" };
      }
      return { status: 200, text: await metrics(), type: METRICS_TYPE };
    default:
      return { status: 404, text: "there is nothing here\n", refusal: "path" };
  }
}

function isReading({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

function answerFile(request: IncomingMessage, response: ServerResponse, file: PageFile): void {
  const takesGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  const body = takesGzip ? file.gzipped : file.bytes;
  response.writeHead(200, {
    "content-type": file.type,
    "content-length": body.length,
    "cache-control": file.isFixed ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": PAGE_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    vary: "accept-encoding",
    "x-content-type-options": "nosniff",
    ...(takesGzip ? { "content-encoding": "gzip" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

function isBearer(authorization: string | undefined, bearer: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  // Digests have one length, and comparing them takes the same time whatever is in them.
  return timingSafeEqual(digest(authorization ?? ""), digest(`Bearer ${bearer}`));
}
