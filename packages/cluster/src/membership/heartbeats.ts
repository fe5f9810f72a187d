import { isOrthantError, OrthantError, type Timer, type TimeSource } from "@orthant/core";
import { type Codec, decode, encode } from "@orthant/core/bytes";
import type { Backbone, Subscription, TableEntry } from "../backbone/backbone.ts";
import type { Retries } from "../backbone/retries.ts";
import { heartbeatKey, heartbeatPrefix } from "../shard/names.ts";

/** A node's heartbeat. Rule K17. */
interface NodeHeartbeat {
  readonly count: number;
  /** Number of shards it owns. */
  readonly shards: number;
  /** True if it claims no more shards. */
  readonly isLeaving: boolean;
  /** A random number that identifies the process; 0 in heartbeats of version 1. */
  readonly mark: bigint;
  /** Revision of the process's first heartbeat; 0 while it starts, and claims nothing yet. */
  readonly since: number;
}

/** Dependencies of a node's heartbeats. */
interface HeartbeatsOptions {
  readonly backbone: Backbone;
  readonly time: TimeSource;
  readonly world: string;
  readonly node: string;
  /** 64 random bits. */
  readonly random: () => bigint;
  /** Returns the content of the next heartbeat. */
  readonly state: () => Pick<NodeHeartbeat, "shards" | "isLeaving">;
  /** Called when the table has accepted one of this node's own heartbeats, once the node has started. */
  readonly onAccepted: () => void;
  /** Called when the node must end: another process has its name, or the backbone permits it no heartbeats. */
  readonly onEnd: (error: unknown) => void;
}

interface Received {
  heartbeat: NodeHeartbeat | undefined;
  /** Own heartbeats accepted since the node's last one. */
  heartbeatsSince: number;
}

/** Interval between heartbeats. */
export const NODE_HEARTBEAT_MS = 500;
/** Own accepted heartbeats, without one from another node, after which that node counts as dead. Rule K18. */
export const DEAD_AFTER_HEARTBEATS = 6;

/**
 * Own accepted heartbeats, without one from another process of the same name, after which a node has started. A live
 * process sends one meanwhile. Rule K45.
 */
const START_HEARTBEATS = 3;

const VERSION = 2;
/** The version without a mark. */
const UNMARKED_VERSION = 1;

/** Encodes the value of a heartbeat key. */
export const heartbeatCodec: Codec<NodeHeartbeat> = {
  write(out, { count, shards, isLeaving, mark, since }) {
    out.u8(VERSION);
    out.varUint(count);
    out.varUint(shards);
    out.bool(isLeaving);
    out.u64(mark);
    out.varUint(since);
  },
  read(input) {
    const version = input.u8();
    if (version !== VERSION && version !== UNMARKED_VERSION)
      throw input.fail(
        "ORT_VERSION",
        `unsupported version ${version} (expected ${UNMARKED_VERSION} or ${VERSION})`,
      );
    const heartbeat = { count: input.varUint(), shards: input.varUint(), isLeaving: input.bool() };
    if (version === UNMARKED_VERSION) return { ...heartbeat, mark: 0n, since: UNMARKED_SINCE };
    return { ...heartbeat, mark: input.u64(), since: input.varUint() };
  },
};

/** An unmarked process has started, and before any other. */
const UNMARKED_SINCE = 1;

/**
 * Sends a node's heartbeats, and tracks which other nodes of the world are alive. It counts heartbeats in the
 * order in which the table accepted them, not time, so no node ages while the backbone accepts no writes.
 */
export class Heartbeats {
  readonly #options: HeartbeatsOptions;
  readonly #prefix: string;
  readonly #received = new Map<string, Received>();
  #subscription: Subscription | undefined;
  #timer: Timer | undefined;
  readonly #mark: bigint;
  #count = 0;
  #accepted = 0;
  /** Revision of our first heartbeat. */
  #firstRevision = 0;
  #isReady = false;
  #isAnnounced = false;
  #starting: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  #ownShards = 0;
  #isSending = false;
  #isStopped = false;

  constructor(options: HeartbeatsOptions) {
    this.#options = options;
    this.#prefix = heartbeatPrefix(options.world);
    this.#mark = options.random();
  }

  /** True once no other process has this node's name, as far as can be known. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** True once the table has a heartbeat that says that this node has started. `start` resolves then. */
  get isAnnounced(): boolean {
    return this.#isAnnounced;
  }

  /**
   * Starts to listen and to send. Resolves when the node has started. Rejects with `ORT_EXISTS` if another process is
   * this node already, and with the error of `stop` if that is called first. Rule K45.
   */
  async start(retries: Retries): Promise<void> {
    const { table } = this.#options.backbone;
    this.#subscription = await retries.until(() =>
      table.watch(this.#prefix, (entry) => {
        if (this.#receive(entry) && this.#isReady) this.#options.onAccepted();
      }),
    );
    const started = new Promise<void>((resolve, reject) => {
      this.#starting = { resolve, reject };
    });
    this.#send();
    await started;
  }

  stop(error: unknown): void {
    this.#isStopped = true;
    this.#starting?.reject(error);
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
    if (known === undefined) this.#received.set(node, { heartbeat: undefined, heartbeatsSince: 0 });
    return (known?.heartbeatsSince ?? 0) >= DEAD_AFTER_HEARTBEATS;
  }

  /** The other live nodes that may receive shards. */
  others(): readonly { readonly node: string; readonly shards: number }[] {
    return [...this.#received].flatMap(([node, { heartbeat }]) =>
      heartbeat === undefined || heartbeat.isLeaving || heartbeat.since === 0 || this.isDead(node)
        ? []
        : [{ node, shards: heartbeat.shards }],
    );
  }

  #send(): void {
    if (this.#isStopped) return;
    const { backbone, time, world, node, state } = this.#options;
    const next = (): void => this.#send();
    // A program that waits for the start of its node stays alive.
    this.#timer = this.#isAnnounced
      ? time.after(NODE_HEARTBEAT_MS, next)
      : time.wait(NODE_HEARTBEAT_MS, next);
    if (this.#isSending) return;
    this.#isSending = true;
    const since = this.#isReady ? this.#firstRevision : 0;
    const heartbeat = { count: ++this.#count, ...state(), mark: this.#mark, since };
    backbone.table
      .put(heartbeatKey(world, node), encode(heartbeatCodec, heartbeat))
      .catch((error: unknown) => {
        // Otherwise the next heartbeat tries again. Other nodes notice the failure because they miss this one.
        if (isOrthantError(error, "ORT_BACKBONE_PERMISSION")) this.#end(error);
      })
      .finally(() => {
        this.#isSending = false;
        // Other nodes learn at once that this one has started.
        if (this.#isReady && !this.#isAnnounced && since === 0) this.#sendNow();
      });
  }

  #sendNow(): void {
    this.#timer?.cancel();
    this.#send();
  }

  /** Records a heartbeat. Returns true if it is our own. */
  #receive({ key, value, revision }: TableEntry): boolean {
    const node = key.slice(this.#prefix.length);
    if (value === undefined) return false;
    if (node !== this.#options.node) {
      this.#received.set(node, { heartbeat: readHeartbeat(value), heartbeatsSince: 0 });
      return false;
    }
    const heartbeat = readHeartbeat(value);
    if (heartbeat?.mark !== this.#mark) {
      if (heartbeat !== undefined) this.#receiveNamesake(heartbeat);
      return false;
    }
    if (this.#accepted++ === 0) this.#firstRevision = revision;
    for (const received of this.#received.values()) received.heartbeatsSince++;
    this.#ownShards = heartbeat.shards;
    if (heartbeat.since > 0) {
      this.#isAnnounced = true;
      this.#starting?.resolve();
    }
    if (this.#accepted >= START_HEARTBEATS && !this.#isReady && !this.#isStopped) {
      this.#isReady = true;
      this.#sendNow();
    }
    return true;
  }

  /** Handles a heartbeat of another process with this node's name. Of two that have started, the later one stays. */
  #receiveNamesake({ mark, since }: NodeHeartbeat): void {
    // What came before our first heartbeat may be from a process that is gone.
    if (this.#accepted === 0) return;
    if (this.#isReady) {
      if (since > this.#firstRevision) this.#end(this.#nameTaken());
    } else if (since > 0 || mark < this.#mark) this.#end(this.#nameTaken());
  }

  #nameTaken(): OrthantError {
    const { node, world } = this.#options;
    if (this.#isAnnounced)
      return new OrthantError("ORT_FENCED", `a later process is node ${node} of ${world} now`);
    const detail = `another process is node ${node} of ${world}. Stop it, or give this one another name`;
    return new OrthantError("ORT_EXISTS", detail);
  }

  #end(error: unknown): void {
    if (this.#isStopped) return;
    this.stop(error);
    this.#options.onEnd(error);
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
