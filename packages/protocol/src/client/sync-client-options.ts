import type {
  BlockCatalog,
  Box,
  Chunk,
  GeneratorRegistry,
  OrthantError,
  Position,
  TimeSource,
  Vector,
} from "@orthant/core";
import type { OperationProgress } from "@orthant/core/operations";
import type { SeenEntity } from "../message/entity.ts";
import type { OperationLimits } from "../message/operation-limits.ts";
import type { Goodbye, Placed, Welcome } from "../message/server-message.ts";
import type { OwnEditResult } from "./open-edits.ts";
import type { OwnOperationAnswer } from "./open-operations.ts";
import type { ReplicaUpdate } from "./replica-changes.ts";

/** The part of the world that a client wants to hold. */
export interface InterestArea {
  /** Boxes of chunks; the server rounds them out to regions. */
  readonly boxes: readonly Box[];
  /** In voxels. Regions near it are sent first. */
  readonly center: Vector;
  /** In voxels per second; zero by default. */
  readonly motion?: Vector;
}

/** Changes to the entities in sight. The client's own player is never among them. */
export interface EntitiesChange {
  readonly entered: readonly SeenEntity[];
  /** Entities that changed in any way, in their current state. */
  readonly changed: readonly SeenEntity[];
  /** Entities that are gone, in their last state. */
  readonly left: readonly SeenEntity[];
}

/**
 * Events of a client. They fire after a frame has been fully processed, so a listener sees a consistent state
 * and may call any method of the client.
 */
export interface SyncClientEvents {
  readonly onWelcome?: (welcome: Welcome) => void;
  /** The server ends the connection and gives the reason. */
  readonly onGoodbye?: (goodbye: Goodbye) => void;
  /** The client ends the connection because the server violated the protocol. */
  readonly onFault?: (error: OrthantError) => void;
  /** Chunks that look different because of patches, own edits, or regions that were gained or dropped. */
  readonly onChange?: (chunks: readonly Box[]) => void;
  /**
   * Chunks, held before and after, that look different because of a patch, an own edit or its rejection. `before`
   * returns one of them as it was; it may be called later, too. Regions that were gained or dropped do not count.
   */
  readonly onEdit?: ((chunks: readonly Position[], before: (chunk: Position) => Chunk) => void) | undefined;
  /** The whole interest has arrived. */
  readonly onComplete?: (interestId: number) => void;
  readonly onEditResult?: (result: OwnEditResult) => void;
  /** An own request about operations was answered. */
  readonly onOperationAnswer?: (answer: OwnOperationAnswer) => void;
  /** An own request about operations is so far, in chunks. */
  readonly onOperationProgress?: (requestId: number, progress: OperationProgress) => void;
  /** What the player may do with operations, after each welcome; `undefined` if nothing. */
  readonly onOperationTerms?: (limits: OperationLimits | undefined) => void;
  readonly onEntities?: (change: EntitiesChange) => void;
  readonly onGame?: (payload: Uint8Array) => void;
  /**
   * The server has set the player's pose. Own moves from now on start there. `moveMs` is the client's time at the newest
   * own move that the server had taken, `undefined` if it had taken none on this connection: later ones are void.
   */
  readonly onPlaced?: (placed: Placed, moveMs: number | undefined) => void;
  /**
   * The server's time, in milliseconds modulo `CLOCK_WRAP_MS`, of the entities that `onEntities` reports next. An entity
   * that it does not report has not changed.
   */
  readonly onClock?: (timeMs: number) => void;
  /** Types of blocks were added, renamed or retired. */
  readonly onBlocks?: (catalog: BlockCatalog) => void;
  /** The cached copy of a region is outdated: rewrite it if `held`, remove it if `forgotten`. */
  readonly onRegion?: (region: Position, state: "held" | "forgotten") => void;
}

/** Whether a game message was sent, or dropped: `rate` if there are too many, `offline` without a connection. */
export type SendResult = "sent" | "rate" | "offline";

/** Counters for diagnostics. */
export interface SyncClientCounts {
  /** Patches received. */
  readonly patches: number;
  /** Resync requests sent. */
  readonly resyncs: number;
  /** Regions held. */
  readonly heldRegions: number;
}

/** Options of a client. */
export interface SyncClientOptions {
  /** Only `nowMs` is used; the caller drives ticks. */
  readonly time: TimeSource;
  readonly generators: GeneratorRegistry;
  /** Random, secret, and the same across connections; the server uses it to recognize resent edits. */
  readonly clientId: bigint;
  readonly name: string;
  /** Called once per connection. */
  readonly token: () => Uint8Array;
  /** An id above all edit ids that this client has ever used; 1 by default. */
  readonly firstEditId?: number;
  /** Memory for generated chunks, `GENERATED_CACHE_BYTES` by default. */
  readonly generatedCacheBytes?: number;
  readonly events?: SyncClientEvents;
}

/** Holds events back until the end of a step, so that listeners see a consistent state. */
export class EventQueue {
  readonly #events: SyncClientEvents;
  #pending: ((events: SyncClientEvents) => void)[] = [];
  #clockMs: number | undefined;

  constructor(events: SyncClientEvents) {
    this.#events = events;
  }

  /** Adds an event. `fire` calls its listener. */
  add(fire: (events: SyncClientEvents) => void): void {
    this.#pending.push(fire);
  }

  /** The time of the entities whose change fires next. */
  clock(timeMs: number): void {
    this.#clockMs = timeMs;
  }

  /** Fires all events, changes first, so that the listener of a result finds the world that it is about. */
  fire(update: ReplicaUpdate | undefined, entities: EntitiesChange | undefined): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const { region, state } of update?.regions ?? []) this.#events.onRegion?.(region, state);
    if (update !== undefined && update.chunks.length > 0) this.#events.onChange?.(update.chunks);
    if (update?.edits !== undefined) this.#events.onEdit?.(update.edits.chunks, update.edits.before);
    const clockMs = this.#clockMs;
    this.#clockMs = undefined;
    if (clockMs !== undefined) this.#events.onClock?.(clockMs);
    if (entities !== undefined) this.#events.onEntities?.(entities);
    for (const fire of pending) fire(this.#events);
  }
}
