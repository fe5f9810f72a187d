import { OrthantError, systemTime } from "@orthant/core";
import {
  callback,
  checkedOptions,
  nameFault,
  type OptionTable,
  requireText,
  requireTime,
  secret,
  unchecked,
  withMethods,
  wrongArgument,
} from "@orthant/core/arguments";
import { encodeUtf8 } from "@orthant/core/bytes";
import { DEFAULT_GENERATORS, requireRegistry } from "@orthant/core/generate";
import { type RandomBits, systemRandomBits } from "@orthant/core/lattice";
import { NAME_BYTES_MAX } from "@orthant/protocol";
import { platformSocket } from "../connection/server-connection.ts";
import { requireServerUrls, requireTimeout } from "../connection/server-url.ts";
import { type ServingWorker, workerSocket } from "../connection/worker-socket.ts";
import type { ReplicaOptions } from "./replica-options.ts";
import { WorldReplica } from "./world-replica.ts";

const DEFAULTS = {
  name: "",
  token: "",
  onCacheFailure: () => undefined,
  generators: DEFAULT_GENERATORS,
  time: systemTime,
  random: systemRandomBits,
  timeoutMs: 10_000,
};

const OPTIONS: OptionTable<ReplicaOptions> = {
  name: requireText,
  // It may be a token of another kind.
  token: secret(
    "it is a string, bytes, or a function",
    (value) => typeof value === "string" || value instanceof Uint8Array || typeof value === "function",
  ),
  interest: unchecked,
  cache: withMethods(
    "it is a cache, such as memoryCache() or indexedDbCache(name)",
    "claim",
    "load",
    "store",
    "release",
  ),
  onCacheFailure: callback,
  generators: requireRegistry,
  socket: callback,
  time: requireTime,
  random(name, value) {
    const random = callback<RandomBits>(name, value);
    // Once now, so that a wrong one fails at the call and not while the client reconnects.
    const bits: unknown = random();
    if (typeof bits === "bigint") return random;
    throw wrongArgument(`what ${name} returned`, bits, "it is a bigint of 64 random bits");
  },
  timeoutMs(_, value) {
    requireTimeout(value);
    return value;
  },
};

/**
 * Connects to the world of a server at a `ws:` or `wss:` address, and reconnects until it is closed. Of several addresses,
 * such as the gateways of a cluster, it begins with any and takes the next one after each loss. A worker stands for a
 * server in this program.
 */
export function connectReplica(
  server: string | readonly string[] | ServingWorker,
  given: ReplicaOptions = {},
): WorldReplica {
  const worker = isWorker(server) ? server : undefined;
  const urls = isWorker(server) ? ["the worker"] : requireServerUrls(server);
  const options = checkedOptions("the options", given, OPTIONS);
  const socket = worker === undefined ? (options.socket ?? platformSocket()) : workerSocket(worker);
  if (socket === undefined) {
    const detail = "there is no WebSocket here: use @orthant/client/node, or give the option socket";
    throw new OrthantError("ORT_PLATFORM", detail);
  }
  const { name = "" } = options;
  const nameBytes = encodeUtf8(name).length;
  if (nameBytes > NAME_BYTES_MAX) {
    const detail = `a name of ${nameBytes} bytes, the limit is ${NAME_BYTES_MAX}`;
    throw new OrthantError("ORT_LIMIT", detail);
  }
  const wrong = nameFault(name);
  if (wrong !== undefined) throw new OrthantError("ORT_ARGUMENT", wrong);
  return new WorldReplica({ ...DEFAULTS, ...options, urls, socket });
}

function isWorker(server: string | readonly string[] | ServingWorker): server is ServingWorker {
  return typeof server === "object" && "postMessage" in Object(server);
}
