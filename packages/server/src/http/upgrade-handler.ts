import { type IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { addressOf, isForwarded } from "./addresses.ts";
import type { Refusal } from "./connection-limiter.ts";
import { type OriginRule, originMayConnect } from "./host-and-origin.ts";
import { PageEntrance, type PageEntranceOptions, pathOf } from "./http-handler.ts";
import type { Limits } from "./limits.ts";

/** Dependencies and settings of an entrance. */
export interface EntranceOptions extends PageEntranceOptions {
  readonly limits: Limits;
  readonly originRule: OriginRule;
  /** Whether any client may join, only because the server is reachable from this machine alone. */
  readonly trustsMachine: boolean;
}

/** Callbacks of an entrance. */
interface EntranceEvents {
  /** Returns why no client should be sent here; `undefined` when the server is ready. */
  readonly unready: () => string | undefined;
  readonly isClosing: () => boolean;
  /** A client has connected. */
  readonly onSocket: (socket: WebSocket, address: string) => void;
}

/** Paths that accept connections. */
const WORLD_PATHS: readonly string[] = ["/", "/world"];

/** Handles everything that arrives at the port: HTTP requests and new connections. */
export class Entrance {
  readonly #options: EntranceOptions;
  readonly #events: EntranceEvents;
  readonly #sockets: WebSocketServer;
  readonly #pages: PageEntrance;

  constructor(options: EntranceOptions, events: EntranceEvents) {
    const { listener, limits } = options;
    this.#options = options;
    this.#events = events;
    // The library's types lack some of these.
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
    this.#sockets.on("wsClientError", (error, socket) => this.#pages.refuse(socket, notWebSocket(error)));
    this.#pages = new PageEntrance(options, events.unready);
    listener.server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { door, log, proxies } = this.#options;
    // A socket that fails before it is a connection is only destroyed.
    socket.on("error", () => socket.destroy());
    if (request.headers.upgrade?.toLowerCase() !== "websocket" && socket instanceof Socket) {
      this.#answerPlainly(request, socket);
      return;
    }
    const address = addressOf(request, proxies);
    const refusal = this.#refusalOf(request, address) ?? door.enter(address);
    if (refusal !== undefined) {
      log.debug({ address, name: refusal.name }, "connection refused");
      this.#pages.refuse(socket, refusal);
      return;
    }
    // Counted from here on until the socket closes: the library may still refuse it.
    socket.once("close", () => door.leave(address));
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) =>
      this.#events.onSocket(webSocket, address),
    );
  }

  /** Some programs offer HTTP/2 with every request. The server may ignore the offer. */
  #answerPlainly(request: IncomingMessage, socket: Socket): void {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => socket.end());
    this.#pages.answer(request, response);
  }

  #refusalOf(request: IncomingMessage, address: string): Refusal | undefined {
    const { door, hostNames, originRule, trustsMachine } = this.#options;
    const tooMany = door.knock(address);
    if (tooMany !== undefined) return tooMany;
    if (this.#events.isClosing()) {
      return { status: 503, name: "closing", detail: "the server is going down" };
    }
    if (!WORLD_PATHS.includes(pathOf(request))) {
      return { status: 404, name: "path", detail: "the world is at / and at /world" };
    }
    const misdirected = hostNames.refusalOf(request);
    if (misdirected !== undefined) return misdirected;
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
