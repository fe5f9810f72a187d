import {
  type DataCodec,
  type Dimensions,
  dimensionsOf,
  type GeneratorRegistry,
  OrthantError,
} from "@orthant/core";
import { requireObject, wrongArgument } from "@orthant/core/arguments";
import { type GeneratorSource, generatorsOf } from "@orthant/core/generate";
import { Axes } from "@orthant/core/lattice";
import { type GameMessages, requireDataCodec, requireMessages } from "@orthant/core/world";
import type { ServingWorker } from "../connection/worker-socket.ts";
import { type Interest, replicaInterest } from "./client-interest.ts";
import { ClientWorld } from "./client-world.ts";
import { connectReplica } from "./connect-replica.ts";
import type { ReplicaOptions } from "./replica-options.ts";
import type { WorldReplica } from "./world-replica.ts";

/** Options of a connection. All are optional. */
export interface ConnectOptions<D extends Dimensions = Dimensions, Sent = unknown, Received = unknown>
  extends Omit<ReplicaOptions, "interest" | "generators"> {
  /** The number of axes that the program expects. A world with another number is refused. */
  readonly dimensions?: D;
  /**
   * The program's own generators, such as `[hills]`, besides those that come with Orthant. Where they match the
   * server's, untouched space costs nothing to send.
   */
  readonly generators?: GeneratorRegistry | readonly GeneratorSource[];
  /** Turns the data of voxels into bytes and back; the server needs the same one. Default: JSON, and bytes as they are. */
  readonly dataCodec?: DataCodec;
  /** The messages of the game, the same as those of the server. Default: anything. */
  readonly messages?: GameMessages<Sent, Received>;
  /** What to hold from the start; `setInterest` changes it. */
  readonly interest?: Interest<D>;
}

/**
 * Joins the world of a server at a `ws:` or `wss:` address. Resolves when the server has let the client in, and
 * rejects when it refuses, or when it cannot be reached in time. From then on the client reconnects by itself until
 * it is closed. A cluster has an address for each gateway: of a list, the client begins with any, and takes the next one
 * after each loss. A world that a worker of the page serves, with `serveWorker`, is joined in the same way.
 *
 * @example
 * const client = await connect("wss://play.example.org", { token, dimensions: 3 });
 * await client.setInterest({ center: client.spawn, radius: 128 });
 *
 * @example
 * const alone = await connect(new Worker(new URL("./world-worker.ts", import.meta.url), { type: "module" }));
 */
export function connect<D extends Dimensions = Dimensions, Sent = unknown, Received = unknown>(
  server: string | readonly string[] | ServingWorker,
  options: ConnectOptions<D, Sent, Received> = {},
): Promise<ClientWorld<D, Sent, Received>> {
  return joined(options, (replicaOptions) => connectReplica(server, replicaOptions));
}

/** Waits until a replica has joined, and returns its face. Closes it when it fails. */
export async function joined<D extends Dimensions, Sent, Received>(
  given: ConnectOptions<D, Sent, Received>,
  open: (options: ReplicaOptions) => WorldReplica,
): Promise<ClientWorld<D, Sent, Received>> {
  requireObject("the options", given, "it is an object such as { token, dimensions: 3 }");
  const { dimensions, interest, generators, dataCodec, messages, ...options } = given;
  if (dimensions !== undefined && dimensions !== 2 && dimensions !== 3 && dimensions !== 4)
    throw wrongArgument("dimensions", dimensions, "it is 2, 3 or 4");
  const codec = dataCodec && requireDataCodec("dataCodec", dataCodec);
  if (messages !== undefined) requireMessages("messages", messages);
  const replica = open({ ...options, generators: generatorsOf(generators) });
  try {
    await replica.ready;
    const found = dimensionsOf(replica.shape);
    if (dimensions !== undefined && dimensions !== found) {
      const detail = `the server's world has ${found} dimensions, and the program asks for ${String(dimensions)}`;
      throw new OrthantError("ORT_ARGUMENT", detail);
    }
    if (interest !== undefined) {
      replica.setInterest(replicaInterest(new Axes<D>(replica.shape), replica.shape, interest));
    }
    return new ClientWorld<D, Sent, Received>(replica, codec, messages);
  } catch (error) {
    await replica.close();
    throw error;
  }
}
