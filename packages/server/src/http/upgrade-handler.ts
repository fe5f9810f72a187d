import { type IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { addressOf, isForwarded } from "./addresses.ts";
import type { HttpRefusal } from "./connection-limiter.ts";
import { originMayConnect } from "./host-and-origin.ts";
import { HttpHandler, pathOf } from "./http-handler.ts";
import type { UpgradeHandlerOptions } from "./upgrade-handler-options.ts";

/** Callbacks of an upgrade handler. */
interface UpgradeHandlerEvents {
  /** Returns why no client should be sent here; `undefined` when the server is ready. */
  readonly unready: () => string | undefined;
  readonly isClosing: () => boolean;
  /** A client has connected. `stream` is what its socket writes to. */
  readonly onSocket: (socket: WebSocket, stream: Duplex, address: string) => void;
}

/** Paths that accept connections. */
const WORLD_PATHS: readonly string[] = ["/", "/world"];

/** Accepts or refuses WebSocket connections, and has an `HttpHandler` answer plain requests. */
export function handleUpgrades(options: UpgradeHandlerOptions, events: UpgradeHandlerEvents): void {
  const { listener, limiter, limits, log, proxies } = options;
  const http = new HttpHandler(options, events.unready);
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
  const sockets = new WebSocketServer(socketOptions);
  sockets.on("wsClientError", (error, socket) => http.refuse(socket, notWebSocket(error)));
  listener.server.on("upgrade", (request, socket, head) => {
    // A socket that fails before it is a connection is only destroyed.
    socket.on("error", () => socket.destroy());
    if (request.headers.upgrade?.toLowerCase() !== "websocket" && socket instanceof Socket) {
      answerWithoutUpgrade(request, socket, http);
      return;
    }
    const address = addressOf(request, proxies);
    const refusal = refusalOf(request, address, options, events) ?? limiter.openConnection(address);
    if (refusal !== undefined) {
      log.debug({ address, name: refusal.name }, "connection refused");
      http.refuse(socket, refusal);
      return;
    }
    // Counted from here on until the socket closes: the library may still refuse it.
    socket.once("close", () => limiter.closeConnection(address));
    sockets.handleUpgrade(request, socket, head, (webSocket) => events.onSocket(webSocket, socket, address));
  });
}

/** Some programs offer HTTP/2 with every request. The server may ignore the offer. */
function answerWithoutUpgrade(request: IncomingMessage, socket: Socket, http: HttpHandler): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => socket.end());
  http.answer(request, response);
}

function refusalOf(
  request: IncomingMessage,
  address: string,
  { limiter, refusalOfHost, originRule, trustsMachine }: UpgradeHandlerOptions,
  { isClosing }: UpgradeHandlerEvents,
): HttpRefusal | undefined {
  const tooMany = limiter.countRequest(address);
  if (tooMany !== undefined) return tooMany;
  if (isClosing()) return { status: 503, name: "closing", detail: "the server is shutting down" };
  if (!WORLD_PATHS.includes(pathOf(request))) {
    return { status: 404, name: "path", detail: "the world is at / and at /world" };
  }
  const misdirected = refusalOfHost(request);
  if (misdirected !== undefined) return misdirected;
  if (!originMayConnect(request.headers, originRule)) {
    const detail = "pages of this origin may not connect; the origins of the server say which may";
    return { status: 403, name: "origin", detail };
  }
  if (trustsMachine && isForwarded(request)) {
    const detail = "this server accepts every program of its own machine, and no client through a proxy";
    return { status: 403, name: "forwarded", detail };
  }
  return undefined;
}

function notWebSocket({ message }: Error): HttpRefusal {
  return { status: 400, name: "webSocket", detail: message };
}
