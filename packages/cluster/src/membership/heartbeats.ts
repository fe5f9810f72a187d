import { isOrthantError, type Timer, type TimeSource } from "@orthant/core";
import { type Codec, decode, encode } from "@orthant/core/bytes";
import type { Engine, Subscription, TableEntry } from "../engine/engine.ts";
import type { Retries } from "../engine/retries.ts";
import { heartbeatKey, heartbeatPrefix } from "../shard/names.ts";

/** A node's heartbeat. Rule K17. */
export interface NodeHeartbeat {
  readonly count: number;
  /** Number of shards it owns. */
  readonly shards: number;
  /** True if it claims no more shards. */
  readonly isLeaving: boolean;
}

/** Dependencies of a node's heartbeats. */
export interface HeartbeatsOptions {
  readonly engine: Engine;
  readonly time: TimeSource;
  readonly world: string;
  readonly node: string;
  /** Returns the content of the next heartbeat. */
  readonly state: () => Omit<NodeHeartbeat, "count">;
  /** Called when the table has accepted one of this node's own heartbeats. */
  readonly onAccepted: () => void;
}

interface Received {
  heartbeat: NodeHeartbeat | undefined;
  /** Own heartbeats accepted since the node's last one. */
  ownSince: number;
}

/** Interval between heartbeats. */
export const NODE_HEARTBEAT_MS = 500;
/** Own accepted heartbeats, without one from another node, after which that node counts as dead. Rule K18. */
export const DEAD_AFTER_HEARTBEATS = 6;

const VERSION = 1;

/** Encodes the value of a heartbeat key. */
export const heartbeatCodec: Codec<NodeHeartbeat> = {
  write(out, { count, shards, isLeaving }) {
    out.u8(VERSION);
    out.varUint(count);
    out.varUint(shards);
    out.bool(isLeaving);
  },
  read(input) {
    const version = input.u8();
    if (version !== VERSION) throw input.fail("ORT_VERSION", `version ${version}, known is ${VERSION}`);
    return { count: input.varUint(), shards: input.varUint(), isLeaving: input.bool() };
  },
};

/**
 * Sends a node's heartbeats, and tracks which other nodes of the world are alive. It counts heartbeats in the
 * order in which the table accepted them, not time, so no node ages while the engine accepts no writes.
 */
export class Heartbeats {
  readonly #options: HeartbeatsOptions;
  readonly #prefix: string;
  readonly #received = new Map<string, Received>();
  #subscription: Subscription | undefined;
  #timer: Timer | undefined;
  #count = 0;
  #ownShards = 0;
  #isSending = false;
  #isStopped = false;

  constructor(options: HeartbeatsOptions) {
    this.#options = options;
    this.#prefix = heartbeatPrefix(options.world);
  }

  /** Starts to listen and to send. */
  async start(retries: Retries): Promise<void> {
    const { table } = this.#options.engine;
    this.#subscription = await retries.until(() =>
      table.watch(this.#prefix, (entry) => {
        if (this.#receive(entry)) this.#options.onAccepted();
      }),
    );
    this.#send();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#subscription?.end();
  }

  /** Number of shards in our own last accepted heartbeat, which is the number that other nodes compare. */
  get ownShards(): number {
    return this.#ownShards;
  }

  /** Returns true if a node is dead. The count for an unknown node starts with the first call. */
  isDead(node: string): boolean {
    if (node === this.#options.node) return false;
    const known = this.#received.get(node);
    if (known === undefined) this.#received.set(node, { heartbeat: undefined, ownSince: 0 });
    return (known?.ownSince ?? 0) >= DEAD_AFTER_HEARTBEATS;
  }

  /** The other live nodes that may receive shards. */
  others(): readonly { readonly node: string; readonly shards: number }[] {
    return [...this.#received].flatMap(([node, { heartbeat }]) =>
      heartbeat === undefined || heartbeat.isLeaving || this.isDead(node)
        ? []
        : [{ node, shards: heartbeat.shards }],
    );
  }

  #send(): void {
    if (this.#isStopped) return;
    const { engine, time, world, node, state } = this.#options;
    this.#timer = time.after(NODE_HEARTBEAT_MS, () => this.#send());
    if (this.#isSending) return;
    this.#isSending = true;
    const heartbeat = { count: ++this.#count, ...state() };
    engine.table
      .put(heartbeatKey(world, node), encode(heartbeatCodec, heartbeat))
      // The next heartbeat tries again. Other nodes notice the failure because they miss this one.
      .catch(() => undefined)
      .finally(() => {
        this.#isSending = false;
      });
  }

  /** Records a heartbeat. Returns true if it is our own. */
  #receive({ key, value }: TableEntry): boolean {
    const node = key.slice(this.#prefix.length);
    if (value === undefined) return false;
    if (node !== this.#options.node) {
      this.#received.set(node, { heartbeat: readHeartbeat(value), ownSince: 0 });
      return false;
    }
    for (const received of this.#received.values()) received.ownSince++;
    this.#ownShards = readHeartbeat(value)?.shards ?? 0;
    return true;
  }
}

/** Decodes a heartbeat. Returns `undefined` if it is unreadable. */
export function readHeartbeat(value: Uint8Array): NodeHeartbeat | undefined {
  try {
    return decode(heartbeatCodec, value);
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}
