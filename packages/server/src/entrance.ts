import { type IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { addressOf, isForwarded } from "./client-address.ts";
import type { EntranceOptions } from "./entrance-options.ts";
import type { Refusal } from "./front-door.ts";
import { answerPage, pathOf, refusePage, refuseUpgrade } from "./http-pages.ts";
import { originMayConnect } from "./origin.ts";

/** What happens behind an entrance. */
export interface EntranceEvents {
  /** Why nobody should be sent here; `undefined` when all is well. */
  readonly unready: () => string | undefined;
  readonly isClosing: () => boolean;
  /** Somebody was let in. */
  readonly onSocket: (socket: WebSocket, address: string) => void;
}

/** Paths at which a connection may begin. */
const WORLD_PATHS: readonly string[] = ["/", "/world"];

/** Answers all that comes to the port: pages, and those who want to connect. */
export class Entrance {
  readonly #options: EntranceOptions;
  readonly #events: EntranceEvents;
  readonly #sockets: WebSocketServer;

  constructor(options: EntranceOptions, events: EntranceEvents) {
    const { listener, limits, metrics } = options;
    this.#options = options;
    this.#events = events;
    // Not all of these are in the library's types yet.
    const socketOptions = {
      noServer: true,
      clientTracking: false,
      autoPong: false,
      perMessageDeflate: false,
      maxPayload: limits.frameBytesMax,
      maxFragments: limits.fragmentsMax,
      closeTimeout: limits.closeMs,
    };
    this.#sockets = new WebSocketServer(socketOptions);
    this.#sockets.on("wsClientError", (error, socket) => this.#refuse(socket, notWebSocket(error)));
    const { server } = listener;
    server.on("connection", (socket: Socket) => this.#countSocket(socket));
    server.on("drop", () => metrics.refused("connectionsMax"));
    server.on("request", (request, response) => this.#answer(request, response));
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    server.on("clientError", (error, socket) => this.#refuseBrokenRequest(error, socket));
    // Node has dropped that socket already.
    server.on("tlsClientError", (error) => isTlsStall(error) && metrics.refused("httpHeaderMs"));
  }

  /** Behind a proxy all sockets come from the same address, which says nothing. */
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

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { door, metrics, proxies, bearer, log, files } = this.#options;
    const tooMany = door.knock(addressOf(request, proxies));
    if (tooMany !== undefined) {
      metrics.refused(tooMany.name);
      refusePage(response, tooMany);
      return;
    }
    const sources = { unready: this.#events.unready, metrics: () => metrics.text(), bearer, files };
    answerPage(request, response, sources).then(
      (refusal) => refusal && metrics.refused(refusal),
      (error: unknown) => {
        metrics.error();
        log.error({ err: error }, "a page could not be made");
        response.destroy();
      },
    );
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { door, log, proxies } = this.#options;
    // A socket that fails before it is a connection only has to go away.
    socket.on("error", () => socket.destroy());
    if (request.headers.upgrade?.toLowerCase() !== "websocket" && socket instanceof Socket) {
      this.#answerPlainly(request, socket);
      return;
    }
    const address = addressOf(request, proxies);
    const refusal = this.#refusalOf(request, address) ?? door.enter(address);
    if (refusal !== undefined) {
      log.debug({ address, name: refusal.name }, "connection refused");
      this.#refuse(socket, refusal);
      return;
    }
    // From here on it is counted, until the socket closes: the library may still refuse it.
    socket.once("close", () => door.leave(address));
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) =>
      this.#events.onSocket(webSocket, address),
    );
  }

  /** Some programs offer HTTP/2 with every request. Nobody has to take such an offer. */
  #answerPlainly(request: IncomingMessage, socket: Socket): void {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => socket.end());
    this.#answer(request, response);
  }

  /** What came is no request, or does not end. A network that fails is nobody's fault, and not counted. */
  #refuseBrokenRequest(error: Error, socket: Duplex): void {
    const refusal = brokenRequest(error);
    if (refusal !== undefined && socket.writable) this.#refuse(socket, refusal);
    else socket.destroy();
  }

  #refuse(socket: Duplex, refusal: Refusal): void {
    this.#options.metrics.refused(refusal.name);
    refuseUpgrade(socket, refusal);
  }

  #refusalOf(request: IncomingMessage, address: string): Refusal | undefined {
    const { door, originRule, trustsMachine } = this.#options;
    const tooMany = door.knock(address);
    if (tooMany !== undefined) return tooMany;
    if (this.#events.isClosing()) {
      return { status: 503, name: "closing", detail: "the server is going down" };
    }
    if (!WORLD_PATHS.includes(pathOf(request))) {
      return { status: 404, name: "path", detail: "the world is at / and at /world" };
    }
    if (!originMayConnect(request.headers, originRule)) {
      return {
        status: 403,
        name: "origin",
        detail: "pages of this origin may not connect; the origins of the server say which may",
      };
    }
    if (trustsMachine && isForwarded(request)) {
      const detail = "this server lets anybody of its own machine in, and nobody through a proxy";
      return { status: 403, name: "forwarded", detail };
    }
    return undefined;
  }
}

function notWebSocket({ message }: Error): Refusal {
  return { status: 400, name: "webSocket", detail: message };
}

/** What is wrong with a request that Node gave up on; `undefined` when its socket failed. */
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
