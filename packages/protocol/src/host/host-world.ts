import type {
  Box,
  ChunkShape,
  ClockStep,
  GeneratorRegistry,
  MaterialCatalog,
  Place,
  VoxelPlacement,
  WorldField,
} from "@orthant/core";
import type { Being, Pose, Vector } from "../message/being.ts";
import type { Era } from "../message/client-message.ts";

/** Who made an edit: what tells a repeated one from a new one. */
export interface EditOrigin {
  readonly clientId: bigint;
  readonly editId: number;
  /** The player whose client it is; left out for anonymous players. */
  readonly playerId?: bigint;
}

/** What became of an edit in the world. */
export interface EditResult {
  /** `repeated`: this edit, or a later one of the same client, was made before; nothing was changed now. */
  readonly outcome: "applied" | "unchanged" | "repeated";
  readonly clocks: readonly ClockStep[];
}

/** An entity of the world, as others see it. */
export type Inhabitant = Omit<Being, "number" | "isPlayer">;

/** What happened to an entity: it is there or changed, or it is gone. */
export type InhabitantEvent =
  | { readonly kind: "present"; readonly inhabitant: Inhabitant }
  | { readonly kind: "gone"; readonly id: bigint };

/** A player who is at another host of the same world. */
export interface DistantPlayer extends Pose {
  /** Names the visit: whoever has two clients is there twice. */
  readonly key: string;
  readonly playerId: bigint;
  readonly name: string;
}

/** What happened to a player of another host: they are there or moved, or they are gone. */
export type DistantPlayerEvent =
  | { readonly kind: "present"; readonly player: DistantPlayer }
  | { readonly kind: "gone"; readonly key: string };

/** The other hosts of a world that several share. */
export interface OtherHosts {
  /** A player of this host came or moved. No two visits have one number. */
  present(visit: number, player: Omit<DistantPlayer, "key">): void;
  /** A player of this host went. */
  gone(visit: number): void;
  /** Tells of players of other hosts in regions that are kept, until the function returned is called. */
  onPlayer(listener: (event: DistantPlayerEvent) => void): () => void;
}

/** The world that a host shares. Everything but what gives a promise answers at once, about what is loaded. */
export interface HostWorld {
  readonly worldId: bigint;
  /** The era that clocks are issued in. It is durable, and stays the same as long as the host lives. */
  readonly era: Era;
  /** Whether a client's clocks up to this era's epoch are clocks of this world. */
  remembers(era: Era): boolean;
  readonly name: string;
  readonly shape: ChunkShape;
  readonly catalog: MaterialCatalog;
  readonly spawn: Vector;
  readonly generators: GeneratorRegistry;
  /** Everything that is loaded, at this moment. */
  readonly field: WorldField;
  /** The clock of a region that is loaded. */
  clockOf(region: Place): number;
  /** Whether all that is stored of a box of chunks is loaded. */
  isLoaded(chunks: Box): boolean;
  load(chunks: Box): Promise<void>;
  /** What is loaded of a box of chunks, or will be, stays loaded until the function returned is called. */
  keep(chunks: Box): () => void;
  /** Makes an edit, unless it was made before. Listeners of `onEdit` are called before the promise is kept. */
  edit(placements: readonly VoxelPlacement[], origin: EditOrigin): Promise<EditResult>;
  /** The last edit of a client that the world remembers; 0 when it remembers none. */
  lastEditOf(clientId: bigint): number;
  /**
   * Whether clients of a player, or of anonymous players when it is left out, may have edited and been forgotten since.
   * Left out by a world that cannot tell.
   */
  mayHaveForgotten?(playerId?: bigint): boolean;
  /** Resolves when all edits made so far will survive a crash. */
  whenDurable(): Promise<void>;
  /** Calls back at the moment of each change, before anything else can happen, until the function returned is called. */
  onEdit(listener: (clocks: readonly ClockStep[]) => void): () => void;
  /** The entities in a box of chunks. */
  inhabitantsIn(chunks: Box): Promise<readonly Inhabitant[]>;
  onInhabitant(listener: (event: InhabitantEvent) => void): () => void;
  /**
   * Called before a player comes in; `poseOf` knows what there is to know when it resolves. Left out where it always does.
   */
  recall?(playerId: bigint): Promise<void>;
  /** Where a player was seen last; `undefined` for one who was never here. */
  poseOf(playerId: bigint): Pose | undefined;
  /** Remembers where a player is, and how long ago they went there. */
  keepPlayer(playerId: bigint, name: string, pose: Pose, sinceMs: number): void;
  /** Left out where no other host shares the world. */
  readonly otherHosts?: OtherHosts;
}
