import type { BlockCatalog, Box, ChunkShape, Dimensions, Position, Vector } from "@orthant/core";
import { wrongArgument } from "@orthant/core/arguments";
import { boxAt, chunkOfVoxel, voxelIndex } from "@orthant/core/lattice";
import type { WorldState } from "@orthant/core/tree";
import { type SceneSource, stateSource } from "@orthant/worker-pool/browser";

/** A world of a server, as `connect` returns it. */
export interface ViewedClient<D extends Dimensions = Dimensions> {
  readonly dimensions: D;
  readonly chunkShape: ChunkShape;
  readonly replica: {
    readonly catalog: BlockCatalog;
    readonly status: string;
    readonly chunks: SceneSource;
    setInterest(interest: { readonly boxes: readonly Box[]; readonly center: Vector }): void;
    onChange(listener: (boxes: readonly Box[], isOwn?: boolean) => void): () => void;
    onBlocks(listener: () => void): () => void;
  };
}

/** An open world, as `openWorld` returns it, or a snapshot of one. */
export interface ViewedLocal<D extends Dimensions = Dimensions> {
  readonly dimensions: D;
  readonly chunkShape: ChunkShape;
  readonly engine: {
    readonly catalog: BlockCatalog;
    readonly state: WorldState;
    readonly blocks?: { onChange(listener: () => void): () => void };
    isLoaded(box: Box): boolean;
    load(box: Box): Promise<void>;
    /** What is stored above some chunks, which may take the light of the sky from them. */
    readonly light: { hasAbove(chunks: Box): boolean; loadAbove(chunks: Box): Promise<void> };
    onEdit?(
      listener: (
        edit: { readonly chunks: readonly Position[] },
        before: WorldState,
        after: WorldState,
        author: bigint | undefined,
      ) => void,
    ): () => void;
  };
}

/** A world that you keep yourself: its chunks, and what they consist of. */
export interface ViewedChunks<D extends Dimensions = Dimensions> {
  readonly dimensions: D;
  readonly chunkShape: ChunkShape;
  readonly blocks: BlockCatalog;
  /** The chunks; `stateSource` of `@orthant/worker-pool/browser` makes this of a state. */
  readonly source: SceneSource;
  /** Reads chunks that the source does not have. */
  load?(box: Box): Promise<void>;
  /**
   * Calls `listener` with chunks that look different, and whether the player has just edited them: these come before all
   * others. Returns an unsubscribe function.
   */
  onChange?(listener: (boxes: readonly Box[], isOwn?: boolean) => void): () => void;
  /** Calls `listener` when `blocks` is another catalog. Returns an unsubscribe function. */
  onBlocks?(listener: () => void): () => void;
}

/** What a view shows. */
export type ViewedWorld<D extends Dimensions = Dimensions> =
  | ViewedClient<D>
  | ViewedLocal<D>
  | ViewedChunks<D>;

/** What a view needs of a world, whatever it is: all with four axes. */
export interface WorldFeed {
  readonly dimensions: Dimensions;
  readonly shape: ChunkShape;
  /** The blocks as they are now. */
  blocks(): BlockCatalog;
  readonly source: SceneSource;
  /** Says which chunks are to be there, and where the camera is. */
  follow(chunks: Box, center: Vector): void;
  /** Reads chunks, where no server sends them. */
  readonly load: ((box: Box) => Promise<void>) | undefined;
  /** Calls `listener` with chunks that look different, and whether by an edit of this program. */
  onChange(listener: (boxes: readonly Box[], isOwn?: boolean) => void): () => void;
  onBlocks(listener: () => void): () => void;
}

/** Returns the feed of a world. */
export function feedOf(world: ViewedWorld): WorldFeed {
  if ("replica" in world) return clientFeed(world);
  if ("engine" in world) return localFeed(world);
  if ("source" in world) return chunksFeed(world);
  throw wrongArgument("world", world, "it is what connect or openWorld returns, or has blocks and a source");
}

/** Returns the block of a voxel; `undefined` while it is not in memory. */
export function blockIn({ shape, source }: WorldFeed, voxel: Position): number | undefined {
  const chunk = chunkOfVoxel(shape, voxel);
  if (!source.has(boxAt(chunk))) return undefined;
  return source.chunkAt(...chunk)?.get(voxelIndex(shape, ...voxel));
}

function clientFeed({ dimensions, chunkShape, replica }: ViewedClient): WorldFeed {
  return {
    dimensions,
    shape: chunkShape,
    blocks: () => replica.catalog,
    source: replica.chunks,
    follow: (chunks, center) => {
      // A client that is closed for good still shows its last state.
      if (replica.status !== "closed") replica.setInterest({ boxes: [chunks], center });
    },
    load: undefined,
    onChange: (listener) => replica.onChange(listener),
    onBlocks: (listener) => replica.onBlocks(listener),
  };
}

function localFeed({ dimensions, chunkShape, engine }: ViewedLocal): WorldFeed {
  const { light } = engine;
  // What was built above takes light away, however high it is. Rule L8.
  const hasAbove = (box: Box): boolean => engine.state.skyAbove === undefined || light.hasAbove(box);
  return {
    dimensions,
    shape: chunkShape,
    blocks: () => engine.catalog,
    source: stateSource(
      () => engine.state,
      (box) => engine.isLoaded(box) && hasAbove(box),
    ),
    follow: () => undefined,
    load: async (box) => {
      await engine.load(box);
      if (!hasAbove(box)) await light.loadAbove(box);
    },
    onChange: (listener) =>
      engine.onEdit?.(({ chunks }, _before, _after, author) =>
        listener(chunks.map(boxAt), author === undefined),
      ) ?? (() => undefined),
    onBlocks: (listener) => engine.blocks?.onChange(listener) ?? (() => undefined),
  };
}

function chunksFeed(world: ViewedChunks): WorldFeed {
  return {
    dimensions: world.dimensions,
    shape: world.chunkShape,
    blocks: () => world.blocks,
    source: world.source,
    follow: () => undefined,
    load: world.load && ((box) => world.load?.(box) ?? Promise.resolve()),
    onChange: (listener) => world.onChange?.(listener) ?? (() => undefined),
    onBlocks: (listener) => world.onBlocks?.(listener) ?? (() => undefined),
  };
}
