import {
  AIR,
  type BlockCatalog,
  type ChunkShape,
  type DataCodec,
  type Dimensions,
  type Light,
  type Position,
  type Vector,
  type VoxelBox,
} from "@orthant/core";
import { requireBlock, requireId, requireWhole, wrongArgument } from "@orthant/core/arguments";
import {
  type Axes,
  axisOutside,
  positionsLexicographic,
  regionBox,
  voxelOfIndex,
} from "@orthant/core/lattice";
import {
  checkedSetOptions,
  decodeData,
  encodeData,
  encodeSetData,
  type SetOptions,
} from "@orthant/core/world";
import { isTickKind } from "@orthant/save/content";
import type { ActivePlayer } from "../engine/engine-steps.ts";
import {
  type NewEntity,
  publicEntity,
  storedEntityChange,
  storedNewEntity,
  type WorldEntity,
} from "../entities/public-records.ts";
import type { EngineStep } from "../steps/engine-step.ts";

/** Reads voxels in a step. Sees the edits that the step has made so far. */
export interface StepReader<D extends Dimensions> {
  readonly dimensions: D;
  /** The blocks of the world. */
  readonly blocks: BlockCatalog;
  /** Returns the block of a voxel; `undefined` out of reach: outside of active regions and those around them. */
  voxelAt(position: Position<D>): number | undefined;
  /** Returns the data of a voxel; `undefined` if it has none or is out of reach. */
  dataAt(position: Position<D>): unknown;
  /**
   * Returns the light of a voxel as it was before the step: what the step edits changes it in the next one. `undefined` if a
   * chunk within 14 voxels of its chunk is out of reach. Above what is in reach, the world counts as it is generated.
   */
  lightAt(position: Position<D>): Light | undefined;
}

/**
 * Collects the edits of a step. They are applied all at once when the step ends. Each returns false, and does nothing, out of
 * reach, and if the data of the chunk would exceed `CHUNK_DATA_BYTES_MAX`. In a cluster, an edit of a voxel in another shard
 * returns true, too: the next step of that shard begins with it.
 */
export interface StepEdits<D extends Dimensions> {
  /** Sets a block, with data if given. */
  set(position: Position<D>, block: number, options?: SetOptions): boolean;
  /** Sets the data of a voxel, or removes it with `null`. */
  setData(position: Position<D>, data: unknown): boolean;
  /** Moves a block with its data, and leaves air. */
  move(from: Position<D>, to: Position<D>): boolean;
}

/** Ticks of voxels. They are saved with their chunk and wait while it is not active. */
export interface StepSchedule<D extends Dimensions> {
  /** Takes the ticks of a kind that are due, in the order of their chunks and voxels. Ticks that no system takes stay due. */
  due(kind: string): readonly { readonly position: Position<D> }[];
  /**
   * Schedules a tick in a number of steps, at least 1. A voxel has at most one tick of a kind: one that is due earlier
   * stays. Returns false, and does nothing, out of reach, and if the chunk has 8,192 ticks or 64 other kinds. In a cluster, the
   * voxel may be in another shard.
   */
  add(position: Position<D>, kind: string, inSteps: number): boolean;
  /** Removes a tick, unless it is out of reach. In a cluster, the voxel may be in another shard. */
  cancel(position: Position<D>, kind: string): void;
  /** Returns in how many steps a tick is due; `undefined` if there is none or it is out of reach. */
  find(position: Position<D>, kind: string): number | undefined;
}

/** One step of a simulation, as its systems see it. */
export interface Step<D extends Dimensions = Dimensions> {
  /**
   * The number of the step. The first step of a world is 1, and a reopened world continues with the next one. After a crash
   * numbers are skipped, up to 65,536, so that none comes twice. Ticks keep the steps that they had left.
   */
  readonly number: number;
  readonly world: StepReader<D>;
  readonly edits: StepEdits<D>;
  readonly schedule: StepSchedule<D>;
  readonly entities: StepEntities<D>;
  /** The players who are online where the world is served, at their last positions, ordered by id. */
  readonly players: readonly StepPlayer<D>[];
  /**
   * Returns some voxels of each active chunk, drawn from the world's seed and the number of the step: the same in every
   * run.
   */
  drawVoxels(perChunk: number): readonly Position<D>[];
}

/** What a step needs of its world. */
interface StepSurroundings<D extends Dimensions> {
  readonly axes: Axes<D>;
  readonly codec: DataCodec;
  readonly seed: bigint;
  /** The blocks of the world now. */
  blocks(): BlockCatalog;
  /** The active regions, in order. */
  activeRegions(): Iterable<Position>;
  players(): readonly ActivePlayer[];
}

/** Maximum delay of a tick: about 136 years of 50 ms. */
export const DELAY_STEPS_MAX: number = 2 ** 36;
const DRAWN_PER_CHUNK_MAX = 1_024;

/** Returns the step that systems see. */
export function publicStep<D extends Dimensions>(
  engine: EngineStep,
  { axes, codec, seed, blocks, activeRegions, players }: StepSurroundings<D>,
): Step<D> {
  const { count, number, shape } = engine;
  const { extents } = shape;
  const { dimensions } = axes;
  const isPlain = extents.every((extent, axis) => axis >= dimensions || extent > 1);
  const at = (position: Position<D>, name = "position"): EngineStep => {
    // Almost every position is right, and needs no copy.
    if (isPlain && Array.isArray(position) && position.length === dimensions) {
      // By index, because taking a position apart calls its iterator.
      const given = position as readonly number[] as Position;
      const x = given[0];
      const y = given[1];
      const z = dimensions > 2 ? given[2] : 0;
      const w = dimensions > 3 ? given[3] : 0;
      // Most systems read a voxel, set it and schedule it.
      if (engine.isAt(x, y, z, w)) return engine;
      if (isCoordinate(x) && isCoordinate(y) && isCoordinate(z) && isCoordinate(w))
        return engine.moveTo(x, y, z, w);
    }
    return engine.moveTo(...axes.position(name, position));
  };
  return {
    number,
    world: {
      dimensions,
      blocks: blocks(),
      voxelAt: (position) => at(position).block,
      dataAt: (position) => decodeData(codec, at(position).data),
      lightAt: (position) => at(position).light,
    },
    edits: {
      set(position, block, options) {
        const data =
          options === undefined
            ? undefined
            : encodeData(codec, "options.data", checkedSetOptions(options).data);
        return at(position).edit(requireBlock("block", block), data);
      },
      setData: (position, data) => at(position).edit(undefined, encodeSetData(codec, data)),
      move(from, to) {
        const { block, data } = at(from, "from");
        if (block === undefined) return false;
        // An edit in another shard of a cluster can be refused.
        if (!at(to, "to").isInReach)
          return at(to, "to").edit(block, data ?? null) && at(from, "from").edit(AIR, null);
        // In this order, so that a block that moves to where it is stays.
        at(from, "from").edit(AIR, null);
        if (at(to, "to").edit(block, data ?? null)) return true;
        at(from, "from").edit(block, data);
        return false;
      },
    },
    schedule: {
      due(kind) {
        const found: { readonly position: Position<D> }[] = [];
        const [ex, ey, ez, ew] = extents;
        engine.takeDue(requireTickKind(kind), (chunk, index) => {
          const row = Math.floor(index / ex);
          const layer = Math.floor(row / ey);
          const x = chunk[0] * ex + index - row * ex;
          const y = chunk[1] * ey + row - layer * ey;
          const cell = Math.floor(layer / ez);
          const z = chunk[2] * ez + layer - cell * ez;
          const voxel =
            dimensions === 3 ? [x, y, z] : dimensions === 2 ? [x, y] : [x, y, z, chunk[3] * ew + cell];
          found.push({ position: voxel as readonly number[] as Position<D> });
        });
        return found;
      },
      add(position, kind, inSteps) {
        const delay = requireWhole("inSteps", inSteps, 1, DELAY_STEPS_MAX);
        return at(position).schedule(requireTickKind(kind), count + delay);
      },
      cancel: (position, kind) => at(position).cancel(requireTickKind(kind)),
      find(position, kind) {
        const due = at(position).dueStepOf(requireTickKind(kind));
        return due === undefined ? undefined : due - count;
      },
    },
    entities: publicStepEntities(engine, axes),
    players: publicPlayers(axes, players()),
    drawVoxels(perChunk) {
      const drawn: Position<D>[] = [];
      const count = requireWhole("perChunk", perChunk, 0, DRAWN_PER_CHUNK_MAX);
      const draw = { seed, step: number, count };
      for (const region of activeRegions())
        for (const chunk of positionsLexicographic(regionBox(region))) {
          if (axisOutside(shape, chunk) !== undefined) continue;
          drawVoxels(draw, shape, chunk, (voxel) => drawn.push(axes.publicPosition(voxel)));
        }
      return drawn;
    },
  };
}

function isCoordinate(coordinate: unknown): boolean {
  return typeof coordinate === "number" && (coordinate | 0) === coordinate;
}

/** The last kind that was checked: systems schedule many ticks of one. */
let lastKind = "";

/** Requires the name of a kind of ticks. */
export function requireTickKind(kind: unknown): string {
  if (kind === lastKind && lastKind !== "") return lastKind;
  if (typeof kind === "string" && isTickKind(kind)) {
    lastKind = kind;
    return kind;
  }
  throw wrongArgument(
    "kind",
    kind,
    'it is a name of 1 to 64 letters, digits and _ : . -, such as "my-game:fall"',
  );
}

const DISTANCE_MAX = 65_536;

/** The entities of active regions in a step. Systems see what the step has changed so far; it is applied when the step ends. */
export interface StepEntities<D extends Dimensions> {
  /** Returns an entity; `undefined` if it is gone or in no active region. */
  find(id: bigint): WorldEntity<D> | undefined;
  /** Returns the entities in a box of voxels, ordered by id. */
  in(voxels: VoxelBox<D>): readonly WorldEntity<D>[];
  /** Returns the entities within a distance, the nearest first. */
  near(position: Vector<D>, distance: number): readonly WorldEntity<D>[];
  /** Adds an entity with a new, never used id. */
  add(entity: NewEntity<D>): WorldEntity<D>;
  /** Moves or otherwise changes an entity. Omitted fields keep their value. Returns false if `find` would not find it. */
  change(id: bigint, change: Partial<NewEntity<D>>): boolean;
  /** Removes an entity. Returns false if `find` would not find it. */
  remove(id: bigint): boolean;
}

/** A player who is online during a step. */
export interface StepPlayer<D extends Dimensions> {
  readonly id: bigint;
  readonly position: Vector<D>;
}

/** Returns the entities that systems see. */
function publicStepEntities<D extends Dimensions>(engine: EngineStep, axes: Axes<D>): StepEntities<D> {
  return {
    find(id) {
      const found = engine.entities.find(requireId("id", id));
      return found && publicEntity(axes, found);
    },
    in: (voxels) =>
      engine.entities.within(axes.voxels("voxels", voxels)).map((entity) => publicEntity(axes, entity)),
    near(position, distance) {
      const center = axes.vector("position", position);
      const found = engine.entities.near(center, requireDistance(distance));
      return found.map((entity) => publicEntity(axes, entity));
    },
    add: (entity) => publicEntity(axes, engine.entities.add(storedNewEntity(axes, entity))),
    change: (id, change) => engine.entities.change(requireId("id", id), storedEntityChange(axes, change)),
    remove: (id) => engine.entities.remove(requireId("id", id)),
  };
}

/** Returns the players that systems see, each once. */
function publicPlayers<D extends Dimensions>(
  axes: Axes<D>,
  players: readonly ActivePlayer[],
): readonly StepPlayer<D>[] {
  const byId = new Map(players.map(({ playerId, position }) => [playerId, position]));
  return [...byId]
    .map(([id, position]) => ({ id, position: axes.publicPosition(position) as Vector<D> }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function requireDistance(distance: unknown): number {
  if (typeof distance === "number" && distance >= 0 && distance <= DISTANCE_MAX) return distance;
  throw wrongArgument("distance", distance, `it is a number of voxels from 0 to ${DISTANCE_MAX}`);
}

/** Calls `visit` with voxels of a chunk that follow from the world's seed, the step and the chunk alone. */
function drawVoxels(
  { seed, step, count }: { readonly seed: bigint; readonly step: number; readonly count: number },
  shape: ChunkShape,
  chunk: Position,
  visit: (voxel: Position) => void,
): void {
  let state = mix(Number(seed & 0xffff_ffffn) ^ Number((seed >> 32n) & 0xffff_ffffn));
  state = mix(state ^ (step >>> 0) ^ mix(Math.floor(step / 0x1_0000_0000)));
  for (const coordinate of chunk) state = mix(state ^ coordinate);
  for (let draw = 0; draw < count; draw++) {
    state = mix(state + 0x9e37_79b9);
    visit(voxelOfIndex(shape, chunk, Math.floor((state / 0x1_0000_0000) * shape.volume)));
  }
}

/** Mixes the bits of a 32-bit number. */
function mix(value: number): number {
  let bits = value >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0_aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a_2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}
