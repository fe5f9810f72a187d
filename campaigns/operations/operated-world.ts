import {
  chunkShape,
  type Dimensions,
  defineGenerator,
  type Position,
  type TimeSource,
  type VoxelBox,
} from "@orthant/core";
import { Axes } from "@orthant/core/lattice";
import { CachedVoxels, checkedOperation } from "@orthant/core/operations";
import { nextTurn } from "@orthant/core/time";
import { decodeData } from "@orthant/core/world";
import type { Disk } from "@orthant/disk";
import { FakeTime, Prng } from "@orthant/testkit";
import { createWorld, type World, type WorldOptions } from "@orthant/world";
import { ChanceError, OperationModel } from "./operation-model.ts";
import { BLOCKS, CHUNK_EDGE, grown, type SmallOperation, SmallOperations } from "./small-operations.ts";

type Place = readonly number[];

/** Small chunks, so that every operation crosses their borders. */
const SHAPES = {
  2: chunkShape([CHUNK_EDGE, CHUNK_EDGE]),
  3: chunkShape([CHUNK_EDGE, CHUNK_EDGE, CHUNK_EDGE]),
  4: chunkShape([CHUNK_EDGE, CHUNK_EDGE, CHUNK_EDGE, CHUNK_EDGE]),
} as const;
/** Steps between comparisons of everything. */
const STEPS_PER_COMPARISON = 512;
/** A box around all that operations change. */
const ARENA_REACH = 26;
const PLAYER = "p1";
const TEXTS = ["old", "new"];
const EDITS_BESIDE = 4;
const EDITS_UNDER = 12;

/** Hills of a few blocks, in each number of dimensions. */
const HILLS = ([2, 3, 4] as const).map((dimensions) =>
  defineGenerator({
    id: `campaign:hills-${dimensions}`,
    version: 1,
    dimensions,
    blocks: BLOCKS,
    open:
      ({ blocks: { stone, stairs } }) =>
      (x: number, y: number, z = 0, w = 0): number =>
        hillsBlock([x, y, z, w], stone, stairs.id()),
  }),
);

function hillsBlock([x = 0, y = 0, z = 0, w = 0]: Place, stone: number, stairs: number): number {
  const height = ((((x * 7 + z * 5 + w * 3) % 5) + 5) % 5) - 2;
  if (y > height) return 0;
  return y === height ? stairs : stone;
}

const fakeTime = new FakeTime();
let nowMs = fakeTime.nowMs();
/** A time of which every look takes one millisecond, so that operations let others edit between their slices. */
const busyTime: TimeSource = {
  nowMs: () => nowMs++,
  after: (delayMs, callback) => fakeTime.after(delayMs, callback),
  wait: (delayMs, callback) => fakeTime.wait(delayMs, callback),
};

/** Options of a world that saves only on request. */
export const QUIET: WorldOptions = { time: busyTime, autosave: false, generators: HILLS };

/** A world and the plain model of it. */
export class OperatedWorld {
  readonly #world: World;
  readonly #model: OperationModel;
  readonly #prng: Prng;
  readonly #operations: SmallOperations;
  #requests = 0;

  private constructor(world: World, model: OperationModel, prng: Prng) {
    this.#world = world;
    this.#model = model;
    this.#prng = prng;
    this.#operations = new SmallOperations(prng, world.dimensions);
  }

  static async create(
    disk: Disk,
    dimensions: Dimensions,
    seed: number,
    options: WorldOptions = {},
  ): Promise<OperatedWorld> {
    const random = new Prng(seed);
    const hills = HILLS[dimensions - 2] as (typeof HILLS)[number];
    const world = await createWorld(
      disk,
      { dimensions, chunkShape: SHAPES[dimensions], generator: hills({ seed: 7n }) },
      { ...QUIET, random: () => BigInt(random.u32()) + 1n, ...options } as WorldOptions<Dimensions>,
    );
    const { blocks } = world;
    const [stone, stairs] = [blocks.id("stone"), blocks.id("stairs")];
    const model = new OperationModel(dimensions, blocks, (place) => hillsBlock(place, stone, stairs));
    return new OperatedWorld(world, model, new Prng(seed));
  }

  /** Does a number of operations. Returns the first difference from the model, if any. */
  async play(steps: number): Promise<string | undefined> {
    for (let step = 0; step < steps; step++) {
      const fault =
        (await this.#step()) ??
        (step % STEPS_PER_COMPARISON === STEPS_PER_COMPARISON - 1 ? await this.#compareAll() : undefined);
      if (fault !== undefined) return `step ${step}: ${fault}`;
    }
    return this.#compareAll();
  }

  /** Does operations of which every voxel depends on others, while these are edited. Returns the first fault, if any. */
  async playDependent(steps: number): Promise<string | undefined> {
    for (let step = 0; step < steps; step++) {
      const { operation, box, depends } = this.#operations.nextDependent();
      const fault = await this.#besideEdits({ operation, box }, depends, ["air", "stone"], EDITS_UNDER);
      if (fault !== undefined) return `step ${step}: ${fault}`;
    }
    return undefined;
  }

  /** Has a player do, undo or do again one operation that changes something. */
  async operate(): Promise<void> {
    const { dimensions, engine } = this.#world;
    const { kept } = engine.operations;
    for (;;) {
      this.#requests++;
      const options = {
        axes: new Axes(engine.shape),
        owner: PLAYER,
        request: { clientId: 1n, requestId: this.#requests, isRepeat: false },
        history: { entriesMax: 3, bytesMax: 4_096, ageMs: Number.MAX_SAFE_INTEGER },
      };
      const past = await kept.history(PLAYER, Number.MAX_SAFE_INTEGER);
      const chance = this.#prng.below(10);
      const made =
        chance < 3 && past.some(({ undone }) => undone === 0)
          ? await kept.undo(undefined, options)
          : chance < 6 && past.some(({ undone }) => undone > 0)
            ? await kept.redo(undefined, options)
            : await kept.apply(checkedOperation(this.#operations.next().operation, dimensions), options);
      if (made.count > 0) return;
    }
  }

  /** Everything near the origin, as a text. */
  content(): Promise<string> {
    return contentOf(this.#world);
  }

  async save(): Promise<void> {
    await this.#world.save();
  }

  async close(): Promise<void> {
    await this.#world.close();
  }

  async #step(): Promise<string | undefined> {
    const prng = this.#prng;
    if (prng.chance(0.3)) await this.#placeData();
    const small = this.#operations.next();
    try {
      if (!prng.chance(0.3)) return await this.#alone(small);
      if (prng.chance(0.5)) return await this.#besideEdits(small, grown(small.box, 2), this.#types);
      const dependent = this.#operations.nextDependent();
      return await this.#besideEdits(dependent, dependent.depends, ["air", "stone"]);
    } catch (error) {
      if (error instanceof ChanceError) throw error;
      return `${JSON.stringify(small.operation)} throws ${String(error)}`;
    }
  }

  /** Does an operation, and sometimes takes it back, after others have edited there. */
  async #alone({ operation, box }: SmallOperation): Promise<string | undefined> {
    const told = JSON.stringify(operation);
    const undo = this.#model.applyAndUndo(operation, [...placesIn(box)]);
    const planned = await this.#world.apply(operation, { dryRun: true });
    const made = await this.#world.apply(operation);
    if (made.count !== planned.count)
      return `${told} was to change ${planned.count} voxels and changed ${made.count}`;
    const wrong = await this.#compare(box, told);
    if (wrong !== undefined || this.#prng.chance(0.5)) return wrong;
    for (const place of this.#places(box, this.#prng.below(3))) await this.#set(place, this.#block());
    const undone = await made.undo();
    const expected = undo();
    if (undone.count !== expected)
      return `${told} was undone in ${undone.count} voxels, and should be in ${expected}`;
    return this.#compare(box, `the undo of ${told}`);
  }

  /** Does an operation while others edit: the result is that of some order of all of them. */
  async #besideEdits(
    { operation, box }: SmallOperation,
    edited: VoxelBox,
    types: readonly string[],
    count: number = EDITS_BESIDE,
  ): Promise<string | undefined> {
    const prng = this.#prng;
    const doing = this.#world.apply(operation);
    doing.catch(() => undefined);
    const edits = this.#places(edited, count).map(
      (place) => [place, this.#world.blocks.id(prng.pick(types))] as const,
    );
    for (const [place, block] of edits) {
      await this.#world.set(place as Position<Dimensions>, block);
      if (prng.chance(0.5)) await nextTurn();
    }
    await doing;
    const forget = this.#model.remember();
    let wrong: string | undefined;
    for (let first = 0; first <= edits.length; first++) {
      forget();
      for (const [place, block] of edits.slice(0, first)) this.#model.set(place, block);
      this.#model.apply(operation, placesIn(box));
      for (const [place, block] of edits.slice(first)) this.#model.set(place, block);
      wrong = await this.#compare(box, `${JSON.stringify(operation)} beside edits`);
      if (wrong === undefined) return undefined;
    }
    return wrong;
  }

  async #placeData(): Promise<void> {
    const [place] = this.#places({ min: this.#corner(-8), max: this.#corner(8) }, 1) as [Place];
    await this.#set(place, this.#block(), this.#prng.pick(TEXTS));
  }

  async #set(place: Place, block: number, data?: string): Promise<void> {
    await this.#world.set(place as Position<Dimensions>, block, data === undefined ? {} : { data });
    this.#model.set(place, block, data);
  }

  #block(): number {
    return this.#world.blocks.id(this.#prng.pick(this.#types));
  }

  get #types(): readonly string[] {
    return this.#world.blocks.types.map(({ name }) => name);
  }

  #places({ min, max }: Pick<VoxelBox, "min" | "max">, count: number): readonly Place[] {
    return Array.from({ length: count }, () =>
      min.map((low, axis) => low + this.#prng.below((max[axis] as number) - low)),
    );
  }

  #corner(at: number): Position<Dimensions> {
    return Array.from({ length: this.#world.dimensions }, () => at) as unknown as Position<Dimensions>;
  }

  #compareAll(): Promise<string | undefined> {
    const reach = this.#world.dimensions === 4 ? 9 : ARENA_REACH;
    const [min, max] = [this.#corner(-reach), this.#corner(reach)];
    return this.#compare({ unit: "voxels", min, max }, "everything");
  }

  async #compare(box: VoxelBox, what: string): Promise<string | undefined> {
    const { engine, dataCodec } = this.#world;
    // What was edited is in memory, because it is not saved; all else is as it was generated.
    const reader = new CachedVoxels(engine.shape, (...chunk) => engine.state.realizeChunk(...chunk));
    for (const place of placesIn(box)) {
      const [x, y, z, w] = [place[0] ?? 0, place[1] ?? 0, place[2] ?? 0, place[3] ?? 0];
      const expected = this.#model.at(place);
      const block = reader.block(x, y, z, w);
      const bytes = reader.data(x, y, z, w);
      const data = bytes && decodeData(dataCodec, bytes);
      if (block !== expected.block || data !== expected.data)
        return `${what}: [${place}] is ${block} with ${data}, and should be ${expected.block} with ${expected.data}`;
    }
    return undefined;
  }
}

/** Returns all blocks of a world near the origin, and what its player can undo, as a text. */
export async function contentOf(world: World): Promise<string> {
  const min = Array.from({ length: world.dimensions }, () => -ARENA_REACH);
  const max = min.map((at) => -at);
  const blocks: number[] = [];
  for (const place of placesIn({ min, max } as unknown as VoxelBox))
    blocks.push(await world.get(place as Position<Dimensions>));
  const past = await world.engine.operations.kept.history(PLAYER, Number.MAX_SAFE_INTEGER);
  return `${blocks.join()} ${past.map(({ id, count, undone }) => `${id}:${count}:${undone}`).join()}`;
}

/** All places of a box. */
function* placesIn({ min, max }: Pick<VoxelBox, "min" | "max">): Generator<Place> {
  const place = [...min] as number[];
  for (;;) {
    yield [...place];
    let axis = 0;
    while (axis < place.length) {
      place[axis] = (place[axis] as number) + 1;
      if ((place[axis] as number) < (max[axis] as number)) break;
      place[axis] = min[axis] as number;
      axis++;
    }
    if (axis === place.length) return;
  }
}
