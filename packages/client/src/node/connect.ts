import { SERVER_FRAME_BYTES_MAX } from "@orthant/protocol";
import { WebSocket } from "ws";
import { connect as connectWith } from "../world/connect.ts";
import type { ConnectOptions } from "../world/connect-options.ts";
import type { SharedWorld } from "../world/shared-world.ts";

/** Longest delay that a Node timer supports. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Connects like `connect` of `@orthant/client`, with the WebSocket of the `ws` package, which Node 20 lacks.
 * The process stays alive until the client is closed, even while it waits to reconnect.
 */
export function connect(url: string, options: ConnectOptions = {}): SharedWorld {
  const socket = (address: string): WebSocket =>
    new WebSocket(address, { maxPayload: SERVER_FRAME_BYTES_MAX, perMessageDeflate: false });
  const world = connectWith(url, { socket, ...options });
  const alive = setInterval(() => undefined, TIMER_MS_MAX);
  world.onStatus((status) => {
    if (status === "closed") clearInterval(alive);
  });
  return world;
}
