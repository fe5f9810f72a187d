import { decode, isOrthantError } from "@orthant/core";
import type { Entry } from "../engine/engine.ts";
import { type Heartbeat, heartbeatCodec } from "../shard/lease.ts";
import { heartbeatPrefix } from "../shard/names.ts";

/**
 * Accepted heartbeats of our own, without one from another node, after which that node counts as dead. Rule
 * K18.
 */
export const DEAD_AFTER_HEARTBEATS = 6;

interface Heard {
  heartbeat: Heartbeat | undefined;
  /** Own heartbeats accepted since the node's last one. */
  ownSince: number;
}

/**
 * Tracks which nodes of a world are alive, from one node's point of view. It counts heartbeats in the order
 * in which the table accepted them, not time, so no node ages while the engine accepts no writes.
 */
export class Liveness {
  readonly #node: string;
  readonly #prefix: string;
  readonly #heard = new Map<string, Heard>();
  #ownShards = 0;

  constructor(world: string, node: string) {
    this.#node = node;
    this.#prefix = heartbeatPrefix(world);
  }

  /** Number of shards in our own last accepted heartbeat. */
  get ownShards(): number {
    return this.#ownShards;
  }

  /** Records a heartbeat. Returns true if it is our own. */
  record({ key, value }: Entry): boolean {
    const node = key.slice(this.#prefix.length);
    if (value === undefined) return false;
    if (node !== this.#node) {
      this.#heard.set(node, { heartbeat: readHeartbeat(value), ownSince: 0 });
      return false;
    }
    for (const heard of this.#heard.values()) heard.ownSince++;
    this.#ownShards = readHeartbeat(value)?.shards ?? 0;
    return true;
  }

  /** Returns true if a node is dead. The count for an unknown node starts with the first call. */
  isDead(node: string): boolean {
    if (node === this.#node) return false;
    const heard = this.#heard.get(node);
    if (heard === undefined) this.#heard.set(node, { heartbeat: undefined, ownSince: 0 });
    return (heard?.ownSince ?? 0) >= DEAD_AFTER_HEARTBEATS;
  }

  /** The other live nodes that may receive shards. */
  others(): readonly { readonly node: string; readonly heartbeat: Heartbeat }[] {
    return [...this.#heard].flatMap(([node, { heartbeat }]) =>
      heartbeat === undefined || heartbeat.isLeaving || this.isDead(node) ? [] : [{ node, heartbeat }],
    );
  }
}

/** Decodes a heartbeat. Returns `undefined` if it is unreadable. */
export function readHeartbeat(value: Uint8Array): Heartbeat | undefined {
  try {
    return decode(heartbeatCodec, value);
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}
