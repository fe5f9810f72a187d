import {
  AIR,
  type BlockPlacement,
  type Box,
  type DataCodec,
  type Dimensions,
  dimensionsOf,
  isOrthantError,
  OrthantError,
  type Position,
  type VoxelBox,
} from "@orthant/core";
import { wrongArgument } from "@orthant/core/arguments";
import { Axes, positionFrom } from "@orthant/core/lattice";
import { positionBefore, turnedExtents, turnIn } from "@orthant/core/operations";
import { catalogOf, requireSave, type Save } from "@orthant/save";
import { countEntities } from "../format/count-entities.ts";
import { dataValue } from "../format/data-value.ts";
import { type ConversionLoss, ConversionLosses } from "../format/losses.ts";
import { formatPosition } from "../format/text.ts";
import { planBlocks, type RenamedBlock } from "./block-plan.ts";
import {
  checkedPasteOptions,
  type PasteOptions,
  type PasteTarget,
  requirePasteTarget,
} from "./paste-options.ts";
import { contentBox, sourceChunks, visitPart } from "./source-chunks.ts";

const QUARTER_DEGREES = 90;

/** What was pasted. */
export interface PasteReport<D extends Dimensions> {
  /** In voxels of the source. */
  readonly box: VoxelBox<D>;
  /** Where its lowest corner lies in the target. */
  readonly at: Position<D>;
  /** Voxels that were set, including those that had the same block before. */
  readonly voxels: number;
  /** Those of them that have data. */
  readonly data: number;
  /** Names of the types of blocks that were defined. */
  readonly defined: readonly string[];
  /** Types that the target has by name, but without a property or value of a pasted block. */
  readonly renamed: readonly RenamedBlock[];
  /** What was left out, besides air. */
  readonly losses: readonly ConversionLoss[];
}

/**
 * Copies a part of a save into an open world: voxels and their data, in ordinary edits. Blocks are matched by name and
 * values of properties, and types that the world lacks are defined. Entities are left out, and so is air by default.
 *
 * @example
 * const { save } = await importToMemory(new NodeDisk("downloads"), "house.schem");
 * await pasteWorld(world, save, { at: [10, 70, -4] });
 */
export async function pasteWorld<D extends Dimensions>(
  target: PasteTarget<D>,
  source: Save,
  options: PasteOptions<D>,
): Promise<PasteReport<D>> {
  requirePasteTarget(target);
  requireSave("source", source);
  const checked = checkedPasteOptions(options);
  const axes = new Axes<D>(target.chunkShape);
  const place = await placeOf(axes, source, checked);
  const losses = new ConversionLosses();
  const found = await countVoxels(source, place.box, checked, losses);
  const names = new Map(Object.entries(checked.names));
  const { turns } = place;
  const catalog = catalogOf(source.global.description);
  const plan = planBlocks(catalog, target.blocks, found.blocks.keys(), { names, turn: turnIn("xz", turns) });
  let voxels = 0;
  for (const [block, count] of found.blocks) {
    if (plan.blocks.has(block)) voxels += count;
    else losses.add("blocks without a type", `the first has the number ${block}`, count);
  }
  losses.add("entities", "only voxels are pasted", await countEntities(source, place.box));
  const defined = Object.keys(plan.definitions);
  const edits = new PasteEdits(target, checked.onEdit, losses);
  if (!checked.dryRun) {
    if (defined.length > 0) await target.defineBlocks(plan.definitions);
    const ids = new Map(
      Array.from(plan.blocks, ([block, { type, properties }]) => [block, target.blocks.id(type, properties)]),
    );
    await pasteVoxels(edits, source, { ...checked, ...place, axes, ids });
  }
  return {
    box: axes.publicVoxels(place.box),
    at: axes.publicPosition(place.at),
    voxels,
    data: found.data - edits.lostData,
    defined,
    renamed: plan.renamed,
    losses: losses.list(),
  };
}

interface PastePlace {
  /** In voxels of the source. */
  readonly box: Box;
  readonly at: Position;
  /** Quarter turns about the vertical axis. */
  readonly turns: number;
}

/** Returns which voxels are pasted, and where. Throws `ORT_ARGUMENT` if they cannot lie there. */
async function placeOf<D extends Dimensions>(
  axes: Axes<D>,
  source: Save,
  options: PasteOptions<D> & Required<Pick<PasteOptions<D>, "rotate">>,
): Promise<PastePlace> {
  const dimensions = dimensionsOf(source.global.description.chunkShape);
  if (dimensions !== axes.dimensions) {
    throw new OrthantError(
      "ORT_ARGUMENT",
      `what is pasted has ${dimensions} dimensions, and the world has ${axes.dimensions}; both need the same number`,
    );
  }
  const at = axes.position("at", options.at);
  const box = options.box === undefined ? await contentBox(source) : axes.voxels("box", options.box);
  if (box === undefined)
    throw new OrthantError("ORT_ARGUMENT", "there is nothing to paste: it holds only air");
  const turns = options.rotate / QUARTER_DEGREES;
  if (turns > 0 && dimensions === 2)
    throw wrongArgument(
      "rotate",
      options.rotate,
      "a world of 2 dimensions has no vertical axis to turn about",
    );
  const size = sizeOf(box);
  const turned = turnedExtents(turnIn("xz", turns), size);
  const end = positionFrom((axis) => at[axis] + turned[axis] - 1);
  axes.position("the upper corner, at + size of the box,", axes.publicPosition(end));
  return { box, at, turns };
}

function sizeOf({ min, max }: Box): Position {
  return positionFrom((axis) => max[axis] - min[axis]);
}

interface FoundVoxels {
  /** How many voxels have a block. */
  readonly blocks: ReadonlyMap<number, number>;
  readonly data: number;
}

async function countVoxels(
  source: Save,
  box: Box,
  { air, dataCodec }: Readonly<Required<Pick<PasteOptions<Dimensions>, "air" | "dataCodec">>>,
  losses: ConversionLosses,
): Promise<FoundVoxels> {
  const blocks = new Map<number, number>();
  const dimensions = dimensionsOf(source.global.description.chunkShape);
  let data = 0;
  await visitPasted(source, box, air, (block, bytes, position) => {
    blocks.set(block, (blocks.get(block) ?? 0) + 1);
    if (bytes === undefined) return;
    if (dataValue(dataCodec, bytes) !== undefined) data++;
    else
      losses.add(
        "data of voxels",
        `it cannot be read; the first is at ${formatPosition(position, dimensions)}`,
      );
  });
  return { blocks, data };
}

interface Pasting<D extends Dimensions> extends PastePlace {
  readonly air: boolean;
  readonly dataCodec: DataCodec;
  readonly axes: Axes<D>;
  /** Blocks of the target by those of the source; others are left out. */
  readonly ids: ReadonlyMap<number, number>;
}

async function pasteVoxels<D extends Dimensions>(
  edits: PasteEdits<D>,
  source: Save,
  { box, at, turns, air, dataCodec, axes, ids }: Pasting<D>,
): Promise<void> {
  const size = sizeOf(box);
  const back = turnIn("xz", -turns);
  const moved = (position: Position): Position => {
    const inside = positionFrom((axis) => position[axis] - box.min[axis]);
    const turned = positionBefore(back, size, inside);
    return positionFrom((axis) => turned[axis] + at[axis]);
  };
  await visitPasted(
    source,
    box,
    air,
    (found, bytes, position) => {
      const block = ids.get(found);
      if (block === undefined) return;
      const data = (bytes && dataValue(dataCodec, bytes)) ?? null;
      edits.add({ position: axes.publicPosition(moved(position)), block, data }, bytes?.length ?? 0);
    },
    () => edits.make(),
  );
  await edits.finish();
}

/** Calls `visit` with each voxel that is pasted, and `afterChunk` after those of a chunk. */
async function visitPasted(
  source: Save,
  box: Box,
  air: boolean,
  visit: (block: number, data: Uint8Array | undefined, position: Position) => void,
  afterChunk?: () => Promise<void>,
): Promise<void> {
  const shape = source.global.description.chunkShape;
  for await (const found of sourceChunks(source, box, air)) {
    const { chunk } = found;
    visitPart(shape, found, (index, position) => {
      const block = chunk.get(index);
      if (block !== AIR || air) visit(block, chunk.dataAt(index), position);
    });
    await afterChunk?.();
  }
}

/** Maximum number of voxels in one edit: it touches fewer chunks than an edit may, and fits a journal. */
const EDIT_VOXELS_MAX = 16_384;
/** Bytes of data after which an edit ends. One voxel has at most 32 KiB. */
const EDIT_DATA_BYTES = 1_048_576;

/** Collects voxels, and sets them in edits of a bounded size. */
class PasteEdits<D extends Dimensions> {
  readonly #target: PasteTarget<D>;
  readonly #onEdit: () => unknown;
  readonly #losses: ConversionLosses;
  #waiting: BlockPlacement<D>[] = [];
  #full: (readonly BlockPlacement<D>[])[] = [];
  #dataBytes = 0;
  /** Voxels whose data is lost. */
  lostData = 0;

  constructor(target: PasteTarget<D>, onEdit: () => unknown, losses: ConversionLosses) {
    this.#target = target;
    this.#onEdit = onEdit;
    this.#losses = losses;
  }

  /** Adds a voxel. `dataBytes` is the length of its data. */
  add(placement: BlockPlacement<D>, dataBytes: number): void {
    this.#waiting.push(placement);
    this.#dataBytes += dataBytes;
    if (this.#waiting.length >= EDIT_VOXELS_MAX || this.#dataBytes >= EDIT_DATA_BYTES) this.#close();
  }

  /** Makes all edits that are full. */
  async make(): Promise<void> {
    for (const placements of this.#full.splice(0)) {
      await this.#edit(placements);
      await this.#onEdit();
    }
  }

  /** Makes all edits. */
  async finish(): Promise<void> {
    this.#close();
    await this.make();
  }

  #close(): void {
    if (this.#waiting.length > 0) this.#full.push(this.#waiting);
    this.#waiting = [];
    this.#dataBytes = 0;
  }

  async #edit(placements: readonly BlockPlacement<D>[]): Promise<void> {
    const withData = placements.filter(({ data }) => data !== null).length;
    try {
      const result = await this.#target.edit(placements);
      if (result.status === "rejected") throw new OrthantError("ORT_ARGUMENT", result.detail);
    } catch (error) {
      // The chunks of the target lie elsewhere, so that one of them may get the data of several chunks.
      if (withData === 0 || !isOrthantError(error, "ORT_LIMIT")) throw error;
      await this.#edit(placements.map((placement) => ({ ...placement, data: null })));
      this.lostData += withData;
      this.#losses.add("data of voxels", `of an edit, because ${error.detail}`, withData);
    }
  }
}
