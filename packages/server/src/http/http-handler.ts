import { createHash, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { addressOf, isForwarded, isLoopback } from "./addresses.ts";
import type { ConnectionLimiter, HttpRefusal, RefusalName } from "./connection-limiter.ts";
import { answerByGame, type RequestHandler } from "./game-requests.ts";
import type { HostCheck } from "./host-and-origin.ts";
import type { HttpListener } from "./http-listener.ts";
import type { PageFile, ServedPage } from "./page-files.ts";

/** Metrics of requests. */
export interface HttpMetrics {
  /** Counts a refused or disconnected client. */
  refused(name: RefusalName): void;
  /** Counts an error in our own code. */
  error(): void;
  /** Returns all metrics in the format of Prometheus. */
  text(): Promise<string>;
}

/** Dependencies and settings of an HTTP handler. */
export interface HttpHandlerOptions {
  readonly listener: HttpListener;
  readonly limiter: ConnectionLimiter;
  readonly metrics: HttpMetrics;
  readonly log: Logger;
  readonly proxies: number;
  readonly refusalOfHost: HostCheck;
  readonly metricsRule: MetricsRule;
  /** The web page at `/`; `undefined` for none. */
  readonly page: ServedPage | undefined;
  /** The game's own answers to other requests, and where its errors go. */
  readonly game?:
    | { readonly handler: RequestHandler; readonly onError: (error: unknown) => void }
    | undefined;
}

/** Answers plain HTTP requests, and limits the sockets of each network. */
export class HttpHandler {
  readonly #options: HttpHandlerOptions;
  readonly #unready: () => string | undefined;

  /** `unready` returns why no client should be sent here; `undefined` when the server is ready. */
  constructor(options: HttpHandlerOptions, unready: () => string | undefined) {
    const { listener, metrics } = options;
    this.#options = options;
    this.#unready = unready;
    const { server } = listener;
    server.on("connection", (socket: Socket) => this.#countSocket(socket));
    server.on("drop", () => metrics.refused("connectionsMax"));
    server.on("request", (request, response) => this.answer(request, response));
    server.on("clientError", (error, socket) => this.#refuseBrokenRequest(error, socket));
    // Node has already dropped that socket.
    server.on("tlsClientError", (error) => isTlsStall(error) && metrics.refused("httpHeaderMs"));
  }

  /** Answers a plain request. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    const { limiter, metrics, proxies, log } = this.#options;
    const refusal = limiter.countRequest(addressOf(request, proxies)) ?? this.#misdirected(request);
    if (refusal !== undefined) {
      metrics.refused(refusal.name);
      refuseRequest(response, refusal);
      return;
    }
    this.#answer(request, response).then(
      (refusal) => refusal && metrics.refused(refusal),
      (error: unknown) => {
        metrics.error();
        log.error({ err: error }, "a page could not be made");
        response.destroy();
      },
    );
  }

  /** Answers a request. Returns why it was refused, if it was. */
  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<HttpRefusal["name"] | undefined> {
    const { metrics, metricsRule, page, game } = this.#options;
    const sources = { unready: this.#unready, metrics: () => metrics.text(), metricsRule, page };
    if (game === undefined || isOurs(request, page)) return answerRequest(request, response, sources);
    try {
      const refusal = await answerByGame(request, response, game.handler);
      if (refusal === undefined) return undefined;
      if (refusal === "unanswered") return answerRequest(request, response, sources);
      refuseRequest(response, refusal);
      return refusal.name;
    } catch (error) {
      game.onError(error);
      if (response.headersSent) response.destroy();
      else refuseRequest(response, { status: 500, name: "http", detail: "the game failed" });
      return "http";
    }
  }

  /** Probes use many names for a server, and learn nothing sensitive. */
  #misdirected(request: IncomingMessage): HttpRefusal | undefined {
    return isProbe(request) ? undefined : this.#options.refusalOfHost(request);
  }

  /** Refuses an upgrade request and drops its socket. */
  refuse(socket: Duplex, refusal: HttpRefusal): void {
    this.#options.metrics.refused(refusal.name);
    refuseUpgrade(socket, refusal);
  }

  /** Behind a proxy all sockets have the same address, which is meaningless. */
  #countSocket(socket: Socket): void {
    const { limiter, metrics, proxies } = this.#options;
    if (proxies > 0) return;
    const address = socket.remoteAddress ?? "";
    if (limiter.openSocket(address)) {
      socket.once("close", () => limiter.closeSocket(address));
      return;
    }
    metrics.refused("httpSocketsPerAddress");
    socket.destroy();
  }

  /** Refuses a malformed or unfinished request. Network failures are not counted. */
  #refuseBrokenRequest(error: Error, socket: Duplex): void {
    const refusal = brokenRequest(error);
    if (refusal !== undefined && socket.writable) this.refuse(socket, refusal);
    else socket.destroy();
  }
}

/** Returns what is wrong with a request that Node gave up on; `undefined` when its socket failed. */
function brokenRequest(error: Error & { readonly code?: string }): HttpRefusal | undefined {
  const { code = "", message } = error;
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return { status: 408, name: "httpHeaderMs", detail: "the head of the request took too long" };
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    return { status: 431, name: "httpHeaderBytesMax", detail: "the head of the request is too long" };
  }
  return code.startsWith("HPE_") ? { status: 400, name: "http", detail: message } : undefined;
}

function isTlsStall(error: Error & { readonly code?: string }): boolean {
  return error.code === "ERR_TLS_HANDSHAKE_TIMEOUT";
}

/** Destination of the metrics, and who may read them. */
export interface MetricsOptions {
  /** Your own registry, to which this server adds its metrics. */
  readonly registry?: Registry;
  /**
   * Token that a reader of `/metrics` must send as `Authorization: Bearer`; by default, only programs of this
   * machine may read.
   */
  readonly bearer?: string;
  /** Lets every client that reaches the port read `/metrics`. */
  readonly public?: boolean;
}

/** Who may read the metrics: clients that send the bearer, every client, or only programs of this machine. */
interface MetricsRule {
  readonly bearer: string | undefined;
  readonly isPublic: boolean;
}

/** Returns the rule for the given options. */
export function metricsRuleOf({ bearer, public: isPublic = false }: MetricsOptions = {}): MetricsRule {
  return { bearer, isPublic };
}

/** Sources of the answers. */
interface EndpointSources {
  /** Returns why no client should be sent here; `undefined` when the server is ready. */
  readonly unready: () => string | undefined;
  readonly metrics: () => Promise<string>;
  readonly metricsRule: MetricsRule;
  readonly page: ServedPage | undefined;
}

/** The answer to a request. */
interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
  readonly refusal?: HttpRefusal["name"];
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";

/** Answers a plain request. Returns why it was refused, if it was. */
async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  sources: EndpointSources,
): Promise<HttpRefusal["name"] | undefined> {
  const { page } = sources;
  const file = isReading(request) ? page?.files.get(pathOf(request)) : undefined;
  if (page !== undefined && file !== undefined) {
    answerFile(request, response, file, page.policy);
    return undefined;
  }
  const { status, text, type = TEXT_TYPE, refusal } = await answerFor(request, sources);
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

/** Refuses a plain request. */
function refuseRequest(response: ServerResponse, refusal: HttpRefusal): void {
  const { status } = refusal;
  const retry = isTemporary(status) ? { "retry-after": "1" } : {};
  response.writeHead(status, { connection: "close", "content-type": TEXT_TYPE, ...retry });
  response.end(textOf(refusal));
}

/** Refuses an upgrade request and drops its socket. */
function refuseUpgrade(socket: Duplex, refusal: HttpRefusal): void {
  const { status } = refusal;
  const text = textOf(refusal);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "connection: close",
      `content-type: ${TEXT_TYPE}`,
      `content-length: ${Buffer.byteLength(text)}`,
      ...(isTemporary(status) ? ["retry-after: 1"] : []),
      "",
      text,
    ].join("\r\n"),
    () => socket.destroy(),
  );
}

function isTemporary(status: number): boolean {
  return status === 429 || status === 503;
}

/** Returns the path of a request, without its query. */
export function pathOf({ url = "" }: IncomingMessage): string {
  return url.split(/[?#]/, 1)[0] ?? "";
}

function textOf({ detail, name }: HttpRefusal): string {
  return `${detail} (${name})\n`;
}

/** Whether a request is for the server itself, or for a file of its page. */
function isOurs(request: IncomingMessage, page: ServedPage | undefined): boolean {
  const path = pathOf(request);
  return isProbe(request) || path === "/metrics" || (isReading(request) && page?.files.has(path) === true);
}

/** Whether a request is a health check. */
function isProbe(request: IncomingMessage): boolean {
  const path = pathOf(request);
  return path === "/healthz" || path === "/readyz";
}

async function answerFor(
  request: IncomingMessage,
  { unready, metrics, metricsRule }: EndpointSources,
): Promise<Answer> {
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
      return (
        metricsRefusal(request, metricsRule) ?? { status: 200, text: await metrics(), type: METRICS_TYPE }
      );
    default:
      return { status: 404, text: "there is nothing here\n", refusal: "path" };
  }
}

function metricsRefusal(request: IncomingMessage, { bearer, isPublic }: MetricsRule): Answer | undefined {
  if (bearer !== undefined) {
    if (isBearer(request.headers.authorization, bearer)) return undefined;
    return { status: 401, text: "send the token for metrics as Authorization: Bearer\n", refusal: "bearer" };
  }
  if (isPublic || (isLoopback(request.socket.remoteAddress ?? "") && !isForwarded(request))) return undefined;
  const text =
    "only programs of the server's own machine may read the metrics, unless its operator gives metrics.bearer or metrics.public\n";
  return { status: 403, text, refusal: "metrics" };
}

function isReading({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

function answerFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: PageFile,
  policy: string,
): void {
  const takesGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  const body = takesGzip ? file.gzipped : file.bytes;
  response.writeHead(200, {
    "content-type": file.type,
    "content-length": body.length,
    "cache-control": file.isFixed ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": policy,
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
  // Digests have equal lengths, and comparing them takes constant time.
  return timingSafeEqual(digest(authorization ?? ""), digest(`Bearer ${bearer}`));
}
