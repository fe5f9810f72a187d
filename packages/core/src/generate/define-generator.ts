import { ByteWriter } from "../bytes/byte-writer.ts";
import { hash64 } from "../bytes/hash64.ts";
import { U16_MAX } from "../bytes/integers.ts";
import { AIR, type Chunk, chunkFromVoxels, emptyChunk, uniformChunk } from "../chunk/chunk.ts";
import type { BlockDefinitions } from "../chunk/define-blocks.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import { dimensionsOf } from "../lattice/axes.ts";
import { type Box, intersectBoxes, WHOLE_LATTICE } from "../lattice/box.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";
import { floorDivide, positionFrom } from "../lattice/position.ts";
import { blockParameters, type GeneratorBlocks, generatorBlocks } from "./generator-blocks.ts";
import {
  PLAIN_PARAMETERS_MAX,
  type PlainParameter,
  plainParametersCodec,
  requirePlainParameters,
} from "./plain-parameters.ts";
import { type SeedableGenerator, type SeedOptions, seedable } from "./seeded-generator.ts";
import { requireGeneratorId, type VoxelSource, type WorldGenerator } from "./world-generator.ts";

/** Functions that return the block of a voxel, by the number of dimensions. */
interface BlockFunctions {
  readonly 2: (x: number, y: number) => number;
  readonly 3: (x: number, y: number, z: number) => number;
  readonly 4: (x: number, y: number, z: number, w: number) => number;
}

/** Returns the block of a voxel. A pure function: the same block for the same voxel, whenever it is asked. */
export type BlockFunction<D extends keyof BlockFunctions> = BlockFunctions[D];

/** The voxels of a generator that can say more about them than one by one, which saves time. */
export interface GeneratedVoxels<D extends keyof BlockFunctions> {
  readonly blockAt: BlockFunction<D>;
  /**
   * Height of the first voxel above everything: from there up, all is air. Above it is the sky, which lights the world; a world
   * of a generator without it has no light of the sky. Default: unknown.
   */
  readonly skyAbove?: number;
  /** Below `height`, all voxels are this block. Default: unknown. */
  readonly foundation?: { readonly height: number; readonly block: number };
}

/** What a generator has for one world. */
export interface GeneratorWorld<Parameters, Blocks extends BlockDefinitions = BlockDefinitions> {
  readonly seed: bigint;
  /** All parameters, with defaults for those that were not given. */
  readonly parameters: Parameters;
  /** The ids of the generator's blocks in this world; of a type with properties, its handle. */
  readonly blocks: GeneratorBlocks<Blocks>;
}

/** Parameters of a generator and their default values. */
export type PlainParameters = Readonly<Record<string, PlainParameter>>;

/** `number` for a default of 40, and so on. */
export type WidenedParameters<Defaults> = {
  readonly [Name in keyof Defaults]: Defaults[Name] extends number
    ? number
    : Defaults[Name] extends boolean
      ? boolean
      : string;
};

/** What a game writes to define a generator. */
export interface GeneratorDefinition<
  D extends keyof BlockFunctions,
  Defaults extends PlainParameters,
  Blocks extends BlockDefinitions = Record<never, never>,
> {
  /** Unique and permanent, such as `my-game:hills`: lower-case letters, digits and `-`, `.`, `:`, at most 64. */
  readonly id: string;
  /** Increase it whenever the same seed and parameters would produce different voxels. */
  readonly version: number;
  /** The number of axes: 2, 3 or 4. */
  readonly dimensions: D;
  /**
   * Names and default values: finite numbers, booleans and short texts. A world stores all of its values. Worlds
   * made before a parameter existed have its default.
   */
  readonly parameters?: Defaults;
  /**
   * The types of blocks that it makes, by name. A world that gets the generator gets them with it, and `open` their ids there.
   * Without them, the function returns ids that all its worlds have, such as those of `DEFAULT_BLOCKS`.
   */
  readonly blocks?: Blocks;
  /**
   * The address of the module that exports the result, so that workers can generate too: write
   * `import.meta.url`. That module must do nothing else when it is imported.
   */
  readonly module?: string;
  /** Returns the function for the voxels of one world, perhaps with bounds. Called once for an open world. */
  readonly open: (
    world: GeneratorWorld<WidenedParameters<Defaults>, Blocks>,
  ) => BlockFunction<D> | GeneratedVoxels<D>;
}

/** Options of a defined generator: a seed, and parameters that differ from the defaults. */
export type GeneratorOptions<Defaults> = SeedOptions & Partial<WidenedParameters<Defaults>>;

/**
 * Defines a generator by a function that returns the block of each voxel. The function must be exact on every
 * machine: no `Math.random`, `Math.sin` or `Date`; `valueNoise` and `hashPosition` help.
 *
 * @example
 * const hills = defineGenerator({
 *   id: "my-game:hills",
 *   version: 1,
 *   dimensions: 3,
 *   parameters: { height: 40 },
 *   blocks: { slate: { colour: 0x55606a } },
 *   open: ({ seed, parameters, blocks }) => {
 *     const noise = valueNoise({ seed, period: 64, octaves: 4 });
 *     return (x, y, z) => (y < parameters.height * noise(x, z) ? blocks.slate : AIR);
 *   },
 * });
 * const world = await createWorld("saves/hills", { dimensions: 3, generator: hills({ seed: 7n, height: 20 }) });
 */
export function defineGenerator<
  D extends keyof BlockFunctions,
  Defaults extends PlainParameters = Record<never, never>,
  const Blocks extends BlockDefinitions = Record<never, never>,
>(definition: GeneratorDefinition<D, Defaults, Blocks>): SeedableGenerator<GeneratorOptions<Defaults>> {
  requireDefinition(definition);
  const { id, version, dimensions, open, blocks } = definition;
  const defaults = { ...definition.parameters } as WidenedParameters<Defaults>;
  const opened = (parameters: PlainParameters, seed: bigint): Opened =>
    open({
      seed,
      parameters: { ...defaults, ...parameters },
      blocks: generatorBlocks(blocks ?? ({} as Blocks), parameters),
    });
  let sampled: bigint | undefined;
  const generator: WorldGenerator<PlainParameters> = {
    id,
    version,
    parametersVersion: 1,
    parametersCodec: plainParametersCodec({ ...defaults, ...(blocks && blockParameters(blocks)) }),
    ...(definition.module !== undefined && { module: definition.module }),
    ...(blocks !== undefined && { blocks }),
    sampleHash() {
      sampled ??= hashOfSamples(id, version, opened({}, 0n));
      return sampled;
    },
    open(parameters, seed, shape) {
      requireDimensions(id, dimensions, shape);
      return new DefinedVoxels(id, shape, opened(parameters, seed));
    },
  };
  return seedable(generator, defaults, dimensions) as SeedableGenerator<GeneratorOptions<Defaults>>;
}

function requireDefinition<
  D extends keyof BlockFunctions,
  Defaults extends PlainParameters,
  Blocks extends BlockDefinitions,
>(definition: GeneratorDefinition<D, Defaults, Blocks>): void {
  if (typeof definition !== "object" || definition === null) {
    throw wrongArgument(
      "the definition",
      definition,
      "it is an object with id, version, dimensions and open",
    );
  }
  const { id, version, dimensions, parameters = {}, blocks = {}, module = "", open } = definition;
  if (typeof id !== "string") throw wrongArgument("id", id, 'it is a string, such as "my-game:hills"');
  requireGeneratorId(id);
  if (!Number.isSafeInteger(version) || version < 1) {
    throw wrongArgument("version", version, "it is a whole number from 1");
  }
  if (![2, 3, 4].includes(dimensions)) throw wrongArgument("dimensions", dimensions, "it is 2, 3 or 4");
  requirePlainParameters(parameters);
  const count = Object.keys(parameters).length + Object.keys(blockParameters(blocks)).length;
  if (count > PLAIN_PARAMETERS_MAX)
    throw wrongArgument(
      "the number of parameters and blocks",
      count,
      `at most ${PLAIN_PARAMETERS_MAX} may be`,
    );
  if (typeof module !== "string")
    throw wrongArgument("module", module, "it is an address: write import.meta.url");
  if (typeof open !== "function") {
    throw wrongArgument("open", open, "it is a function that returns a function of voxels");
  }
}

function requireDimensions(id: string, dimensions: number, shape: ChunkShape): void {
  const axes = dimensionsOf(shape);
  if (axes === dimensions) return;
  const detail = `"${id}" generates worlds of ${dimensions} dimensions; chunks of [${shape.extents}] voxels have ${axes}`;
  throw new OrthantError("ORT_ARGUMENT", detail);
}

/** What a generator is once it is opened. */
type Opened = BlockFunction<keyof BlockFunctions> | GeneratedVoxels<keyof BlockFunctions>;

/** Columns whose voxels are sampled, and where they are: near the origin and far from it. */
const SAMPLED_COLUMNS = 24;
/** Heights of the samples of a column: all near 0, fewer above and below. */
const SAMPLED_HEIGHTS: readonly number[] = Array.from({ length: 65 }, (_, step) => {
  const away = step - 32;
  return Math.abs(away) <= 16 ? away : away * 3 - Math.sign(away) * 32;
});

function hashOfSamples(id: string, version: number, opened: Opened): bigint {
  const { blockAt, skyAbove, foundation } = typeof opened === "function" ? { blockAt: opened } : opened;
  const out = new ByteWriter();
  out.string(id);
  out.varUint(version);
  out.string(JSON.stringify([skyAbove, foundation]));
  for (let column = 0; column < SAMPLED_COLUMNS; column++) {
    const [x, , z, w] = positionFrom((axis) => sampledCoordinate(column, axis));
    for (const y of SAMPLED_HEIGHTS) out.u16((blockAt as BlockFunctions[4])(x, y, z, w) & U16_MAX);
  }
  return hash64(out.view());
}

/** Each column is further away than the one before, in another direction. */
function sampledCoordinate(column: number, axis: number): number {
  const distance = (column * column * (7 + 4 * axis)) % 997;
  return column % (2 + axis) === 0 ? distance : -distance;
}

/** The chunks of a function that returns the block of each voxel. */
class DefinedVoxels implements VoxelSource {
  readonly #id: string;
  readonly #shape: ChunkShape;
  readonly #blockAt: BlockFunctions[4];
  readonly skyAbove: number | undefined;
  readonly #foundation: { readonly height: number; readonly block: number } | undefined;

  constructor(id: string, shape: ChunkShape, opened: Opened) {
    const voxels = typeof opened === "function" ? { blockAt: opened } : opened;
    if (typeof voxels?.blockAt !== "function") {
      throw wrongArgument(`what open of "${id}" returns`, opened, "it is a function that returns a block");
    }
    const { blockAt, skyAbove, foundation } = voxels as GeneratedVoxels<4>;
    if (skyAbove !== undefined && !Number.isSafeInteger(skyAbove))
      throw wrongArgument(`skyAbove of "${id}"`, skyAbove, "it is a whole height in voxels");
    if (foundation !== undefined) requireFoundation(id, foundation);
    this.#id = id;
    this.#shape = shape;
    // A function of fewer coordinates ignores the others.
    this.#blockAt = blockAt;
    this.skyAbove = skyAbove;
    this.#foundation = foundation;
  }

  repeatedIn({ min, max }: Box): Chunk | undefined {
    const [, height] = this.#shape.extents;
    if (this.#isSky(min[1] * height)) return emptyChunk(this.#shape.volume);
    const foundation = this.#foundation;
    if (foundation === undefined || max[1] * height > foundation.height) return undefined;
    return uniformChunk(this.#shape.volume, foundation.block);
  }

  realize(x: number, y: number, z: number, w: number): Chunk {
    const repeated = this.repeatedIn({ min: [x, y, z, w], max: [x + 1, y + 1, z + 1, w + 1] });
    return repeated ?? chunkFromVoxels(this.#voxelsOf(x, y, z, w));
  }

  contentBounds(box: Box): Box | undefined {
    const { min, max } = WHOLE_LATTICE;
    const end =
      this.skyAbove === undefined ? max[1] : floorDivide(this.skyAbove - 1, this.#shape.extents[1]) + 1;
    const isAirBelow = this.#foundation?.block === AIR;
    const start = isAirBelow ? floorDivide(this.#foundation?.height ?? 0, this.#shape.extents[1]) : min[1];
    if (start >= end) return undefined;
    return intersectBoxes(box, {
      min: [min[0], Math.max(min[1], start), min[2], min[3]],
      max: [max[0], Math.min(max[1], end), max[2], max[3]],
    });
  }

  #isSky(y: number): boolean {
    return this.skyAbove !== undefined && y >= this.skyAbove;
  }

  /** Asks for the voxels of a column one after the other, because most noise depends on the column only. */
  #voxelsOf(chunkX: number, chunkY: number, chunkZ: number, chunkW: number): Uint16Array {
    const [countX, countY, countZ, countW] = this.#shape.extents;
    const voxels = new Uint16Array(this.#shape.volume);
    const minY = chunkY * countY;
    for (let w = 0; w < countW; w++)
      for (let z = 0; z < countZ; z++)
        for (let x = 0; x < countX; x++) {
          let index = x + countX * countY * (z + countZ * w);
          for (let y = minY; y < minY + countY; y++, index += countX) {
            voxels[index] = this.#block(chunkX * countX + x, y, chunkZ * countZ + z, chunkW * countW + w);
          }
        }
    return voxels;
  }

  #block(x: number, y: number, z: number, w: number): number {
    if (this.#isSky(y)) return AIR;
    if (this.#foundation !== undefined && y < this.#foundation.height) return this.#foundation.block;
    const block = this.#blockAt(x, y, z, w);
    if ((block & U16_MAX) === block) return block;
    throw wrongArgument(
      `the block of "${this.#id}" at [${[x, y, z, w]}]`,
      block,
      `it is a whole number from 0 to ${U16_MAX}; 0 is air`,
    );
  }
}

function requireFoundation(id: string, foundation: NonNullable<GeneratedVoxels<4>["foundation"]>): void {
  const { height, block } = foundation;
  if (!Number.isSafeInteger(height)) {
    throw wrongArgument(`foundation.height of "${id}"`, height, "it is a whole height in voxels");
  }
  if ((block & U16_MAX) !== block) {
    throw wrongArgument(`foundation.block of "${id}"`, block, `it is a whole number from 0 to ${U16_MAX}`);
  }
}
