import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { addressOf } from "./client-address.ts";
import type { FrontDoor, Refusal, RefusalName } from "./front-door.ts";
import type { HostNames } from "./host-names.ts";
import type { HttpListener } from "./http-listener.ts";
import { answerPage, isProbe, type MetricsRule, refusePage, refuseUpgrade } from "./http-pages.ts";
import type { PageFile } from "./page-files.ts";

/** Metrics of requests. */
export interface PageMetrics {
  /** Counts a refused or disconnected client. */
  refused(name: RefusalName): void;
  /** Counts an error in our own code. */
  error(): void;
  /** Returns all metrics in the format of Prometheus. */
  text(): Promise<string>;
}

/** Dependencies and settings of an entrance for plain requests. */
export interface PageEntranceOptions {
  readonly listener: HttpListener;
  readonly door: FrontDoor;
  readonly metrics: PageMetrics;
  readonly log: Logger;
  readonly proxies: number;
  readonly hostNames: HostNames;
  readonly metricsRule: MetricsRule;
  /** Files of a web page, by their request path. */
  readonly files: ReadonlyMap<string, PageFile>;
}

/** Answers plain requests that arrive at the port, and counts sockets. */
export class PageEntrance {
  readonly #options: PageEntranceOptions;
  readonly #unready: () => string | undefined;

  /** `unready` returns why no client should be sent here; `undefined` when the server is ready. */
  constructor(options: PageEntranceOptions, unready: () => string | undefined) {
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
    const { door, metrics, proxies, metricsRule, log, files } = this.#options;
    const refusal = door.knock(addressOf(request, proxies)) ?? this.#misdirected(request);
    if (refusal !== undefined) {
      metrics.refused(refusal.name);
      refusePage(response, refusal);
      return;
    }
    const sources = { unready: this.#unready, metrics: () => metrics.text(), metricsRule, files };
    answerPage(request, response, sources).then(
      (refusal) => refusal && metrics.refused(refusal),
      (error: unknown) => {
        metrics.error();
        log.error({ err: error }, "a page could not be made");
        response.destroy();
      },
    );
  }

  /** Probes use many names for a server, and learn nothing sensitive. */
  #misdirected(request: IncomingMessage): Refusal | undefined {
    return isProbe(request) ? undefined : this.#options.hostNames.refusalOf(request);
  }

  /** Refuses an upgrade request and drops its socket. */
  refuse(socket: Duplex, refusal: Refusal): void {
    this.#options.metrics.refused(refusal.name);
    refuseUpgrade(socket, refusal);
  }

  /** Behind a proxy all sockets have the same address, which is meaningless. */
  #countSocket(socket: Socket): void {
    const { door, metrics, proxies } = this.#options;
    if (proxies > 0) return;
    const address = socket.remoteAddress ?? "";
    if (door.openSocket(address)) {
      socket.once("close", () => door.closeSocket(address));
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
function brokenRequest(error: Error & { readonly code?: string }): Refusal | undefined {
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
