import { SERVER_FRAME_BYTES_MAX } from "@orthant/protocol";
import { WebSocket } from "ws";
import { connect as connectWith } from "../world/connect.ts";
import type { ConnectOptions } from "../world/connect-options.ts";
import type { SharedWorld } from "../world/shared-world.ts";

/** The longest delay that a timer of Node's takes. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Connects as `connect` of `@orthant/client` does, with the WebSocket of the `ws` package, which Node 20 lacks. The
 * process stays alive until the client is closed, also while it waits to connect again.
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
