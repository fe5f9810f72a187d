import { decode, isOrthantError } from "@orthant/core";
import type { Entry } from "../engine/engine.ts";
import { type Beat, beatCodec } from "../shard/lease.ts";
import { beatPrefix } from "../shard/names.ts";

/** A node is dead when this many beats of another one were accepted since its own last. Rule K18. */
export const BEATS_OF_DEATH = 6;

interface Heard {
  beat: Beat | undefined;
  /** Our own beats that were accepted since the node's last. */
  ownSince: number;
}

/**
 * Which nodes of a world live, as one of them sees it. It counts in beats that the table accepted, in their order, and in no
 * time: while the engine takes no writes, nobody ages.
 */
export class Liveness {
  readonly #node: string;
  readonly #prefix: string;
  readonly #heard = new Map<string, Heard>();
  #ownShards = 0;

  constructor(world: string, node: string) {
    this.#node = node;
    this.#prefix = beatPrefix(world);
  }

  /** How many shards our own last beat that was accepted said. */
  get ownShards(): number {
    return this.#ownShards;
  }

  /** Takes a beat; tells whether it is our own. */
  take({ key, value }: Entry): boolean {
    const node = key.slice(this.#prefix.length);
    if (value === undefined) return false;
    if (node !== this.#node) {
      this.#heard.set(node, { beat: readBeat(value), ownSince: 0 });
      return false;
    }
    for (const heard of this.#heard.values()) heard.ownSince++;
    this.#ownShards = readBeat(value)?.shards ?? 0;
    return true;
  }

  /** Whether a node is dead. One that was never heard of is given the same time. */
  isDead(node: string): boolean {
    if (node === this.#node) return false;
    const heard = this.#heard.get(node);
    if (heard === undefined) this.#heard.set(node, { beat: undefined, ownSince: 0 });
    return (heard?.ownSince ?? 0) >= BEATS_OF_DEATH;
  }

  /** The other nodes that live, and may be given shards. */
  others(): readonly { readonly node: string; readonly beat: Beat }[] {
    return [...this.#heard].flatMap(([node, { beat }]) =>
      beat === undefined || beat.isLeaving || this.isDead(node) ? [] : [{ node, beat }],
    );
  }
}

/** What a node wrote; `undefined` for what can not be read. */
export function readBeat(value: Uint8Array): Beat | undefined {
  try {
    return decode(beatCodec, value);
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}
