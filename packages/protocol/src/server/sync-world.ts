import type { BlockCatalog, Box, ChunkShape, GeneratorRegistry, Position, Vector } from "@orthant/core";
import type { ClockChange, EditOrigin, Epoch, WorldState } from "@orthant/core/tree";
import type { Pose, VisibleEntity } from "../message/entity.ts";
import type { RequestedEdit } from "../message/requested-edit.ts";
import type { SyncOperations } from "./operations/sync-operations.ts";

/** The result of an edit in the world. */
export interface WorldEditResult {
  /** `duplicate`: this edit, or a later one of the same client, was applied before; nothing changed now. */
  readonly status: "applied" | "unchanged" | "duplicate";
  readonly clocks: readonly ClockChange[];
}

/** An entity that is present or changed, or that is gone. */
export type VisibleEntityEvent =
  | { readonly kind: "present"; readonly entity: VisibleEntity }
  | { readonly kind: "gone"; readonly id: bigint };

/** A player on another server of the same world. */
export interface RemotePlayer extends Pose {
  /** Identifies the session, because a player with two clients is present twice. */
  readonly key: string;
  readonly playerId: bigint;
  readonly name: string;
}

/** A player of another server who is present or moved, or who is gone. */
export type RemotePlayerEvent =
  | { readonly kind: "present"; readonly player: RemotePlayer }
  | { readonly kind: "gone"; readonly key: string };

/** The other servers that share a world. */
export interface PeerServers {
  /** Reports that a player of this server arrived or moved. `sessionId` is unique to each session. */
  present(sessionId: number, player: Omit<RemotePlayer, "key">): void;
  /** Reports that a player of this server left. */
  gone(sessionId: number): void;
  /** Calls `listener` for players of other servers in kept regions. Returns an unsubscribe function. */
  onPlayer(listener: (event: RemotePlayerEvent) => void): () => void;
}

/** The world that a server shares. All methods without a promise answer at once, from what is loaded. */
export interface SyncWorld {
  readonly worldId: bigint;
  /** The epoch in which clocks are issued. It is durable and constant for the lifetime of the server. */
  readonly epoch: Epoch;
  /** Whether clocks that a client received in or before this epoch belong to this world, not to a copy of it. */
  knowsEpoch(epoch: Epoch): boolean;
  readonly name: string;
  readonly shape: ChunkShape;
  /** The blocks. Another catalog is there after types were added, renamed or retired. */
  readonly catalog: BlockCatalog;
  readonly spawn: Vector;
  /** The available generators. Others may be there after a change that `onGenerators` reports. */
  readonly generators: GeneratorRegistry;
  /** Everything that is currently loaded. */
  readonly state: WorldState;
  /** Returns the clock of a loaded region. */
  clockOf(region: Position): number;
  /** Returns true when everything stored of a box of chunks is loaded. */
  isLoaded(chunks: Box): boolean;
  load(chunks: Box): Promise<void>;
  /**
   * Returns the approximate memory, in bytes, of a loaded region, or of all of them. A world that does not count it omits
   * this.
   */
  loadedBytes?(region?: Position): number;
  /** Keeps the loaded parts of a box of chunks, now and in future. Returns a function that releases them. */
  keep(chunks: Box): () => void;
  /**
   * Applies an edit, unless it was applied before. Calls `onEdit` listeners before the promise resolves. Calls
   * `onApply` with the world to which the edit is applied; a world on several servers may call it a little before. What `companion`
   * changes is made with the edit or not at all; what it throws is thrown. A world on several servers refuses one.
   */
  edit(
    edit: RequestedEdit,
    origin: EditOrigin,
    onApply?: (before: WorldState) => void,
    companion?: (transaction: never, before: WorldState) => Promise<void>,
  ): Promise<WorldEditResult>;
  /** Operations; omitted by a world on several servers, which cannot do one as a whole. */
  readonly operations?: SyncOperations;
  /** Returns the last edit of a client that the world remembers, or 0 if it remembers none. */
  lastEditOf(clientId: bigint): number;
  /**
   * Returns true when clients of a player, or of anonymous players if omitted, may have edited and been
   * forgotten since. Omitted by a world that does not know.
   */
  mayHaveForgotten?(playerId?: bigint): boolean;
  /** Resolves when all edits made so far will survive a crash. */
  whenDurable(): Promise<void>;
  /** Calls `listener` synchronously at each change. Returns an unsubscribe function. */
  onEdit(listener: (clocks: readonly ClockChange[]) => void): () => void;
  /**
   * Calls `listener` synchronously when untouched space has another generator. Returns an unsubscribe function. A world
   * whose generators never change omits it.
   */
  onGenerators?(listener: () => void): () => void;
  /** Returns the entities in a box of chunks. */
  entitiesIn(chunks: Box): Promise<readonly VisibleEntity[]>;
  onEntity(listener: (event: VisibleEntityEvent) => void): () => void;
  /** Loads what `poseOf` needs for this player. A world that has all players in memory omits it. */
  loadPlayer?(playerId: bigint): Promise<void>;
  /** Returns the last known pose of a player, or `undefined` for a new player. */
  poseOf(playerId: bigint): Pose | undefined;
  /** Stores the pose of a player, and how long ago their client was last heard. */
  storePlayer(playerId: bigint, name: string, pose: Pose, sinceMs: number): void;
  /** Omitted if no other server shares the world. */
  readonly peers?: PeerServers;
}
