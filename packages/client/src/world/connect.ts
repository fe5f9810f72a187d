import {
  DEFAULT_GENERATORS,
  encodeUtf8,
  nameFault,
  OrthantError,
  systemClock,
  systemRandomBits,
} from "@orthant/core";
import { NAME_BYTES_MAX } from "@orthant/protocol";
import { platformSocket } from "../link/web-socket.ts";
import type { ConnectOptions } from "./connect-options.ts";
import { SharedWorld } from "./shared-world.ts";

/** Connects to the world of a server at a `ws:` or `wss:` address, and reconnects until it is closed. */
export function connect(url: string, options: ConnectOptions = {}): SharedWorld {
  const socket = options.socket ?? platformSocket();
  if (socket === undefined) {
    const detail = "there is no WebSocket here: use @orthant/client/node, or give the option socket";
    throw new OrthantError("ORT_PLATFORM", detail);
  }
  const { name = "" } = options;
  const nameBytes = encodeUtf8(name).length;
  if (nameBytes > NAME_BYTES_MAX) {
    const detail = `a name of ${nameBytes} bytes where at most ${NAME_BYTES_MAX} may be`;
    throw new OrthantError("ORT_LIMIT", detail);
  }
  const wrong = nameFault(name);
  if (wrong !== undefined) throw new OrthantError("ORT_ARGUMENT", wrong);
  return new SharedWorld({
    url,
    name,
    token: options.token ?? "",
    interest: options.interest,
    cache: options.cache,
    onCacheFailure: options.onCacheFailure ?? (() => undefined),
    generators: options.generators ?? DEFAULT_GENERATORS,
    socket,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandomBits,
  });
}
