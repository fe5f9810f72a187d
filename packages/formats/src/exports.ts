/**
 * Boxes of worlds as files of Minecraft, MagicaVoxel, Luanti and glTF.
 *
 * @module @orthant/formats/exports
 */

import {
  type Box,
  type Chunk,
  type DataCodec,
  type Dimensions,
  OrthantError,
  type VoxelBox,
  type VoxelWorld,
} from "@orthant/core";
import { checkedOptions, requireObject, requireText, wrongArgument } from "@orthant/core/arguments";
import {
  Axes,
  boxBetween,
  chunksOfVoxels,
  intersectBoxes,
  PositionMap,
  positionsMinorToMajor,
} from "@orthant/core/lattice";
import { Clipboard, encodeClipboard } from "@orthant/core/operations";
import { PLAIN_DATA, requireDataCodec } from "@orthant/core/world";
import { clipboardVoxels } from "./exported/clipboard-voxels.ts";
import {
  type BoxWriter,
  type ExportSource,
  exportSize,
  type VoxelsWriter,
} from "./exported/exported-voxels.ts";
import { requireNames } from "./format/block-names.ts";
import type { FormatEnvironment } from "./format/format.ts";
import { type ConversionLoss, ConversionLosses } from "./format/losses.ts";
import { QUIET } from "./format/quiet.ts";
import { glbWriter } from "./gltf/glb-writer.ts";
import { luantiWriter } from "./luanti/map-writer.ts";
import { REGION_SLOTS } from "./minecraft/region-layout.ts";
import { minecraftRegionBox, regionWriter } from "./minecraft/region-writer.ts";
import { spongeWriter } from "./schematic/sponge-writer.ts";
import { voxWriter } from "./vox/vox-writer.ts";

export { countEntities } from "./format/count-entities.ts";
export type { ExportSource };

/** Formats in which a box of any place is written; those of `r.X.Z.mca` have their place in their name. */
const WRITERS: readonly VoxelsWriter[] = [spongeWriter, voxWriter, glbWriter, luantiWriter];

/** A world to export: an open `World` or `ClientWorld`. */
export type ExportableWorld<D extends Dimensions> = Pick<
  VoxelWorld<D>,
  "dimensions" | "chunkShape" | "blocks" | "dataCodec" | "chunk" | "entitiesIn"
>;

/** A box of a world as a file of another program. */
export interface ExportedFile {
  readonly bytes: Uint8Array;
  /** What the file does not hold; empty if it holds everything. */
  readonly losses: readonly ConversionLoss[];
}

/** How a box is exported. */
export interface ExportOptions {
  /** Names that types get in the file, by those of the world, such as `{ planks: "minecraft:oak_planks" }`. */
  readonly names?: Readonly<Record<string, string>>;
}

/**
 * Returns a box of a world as a file of another program, of at most 33,554,432 voxels. The name of the file says which:
 * `.schem`, `.vox`, `.glb`, `map.sqlite`, or `r.X.Z.mca`, into which only voxels of that region are written. Throws
 * `ORT_ARGUMENT` for any other name. Writes nothing to a disk.
 *
 * @example
 * const { bytes, losses } = await exportBox(world, box([0, 60, 0], [32, 90, 32]), "house.schem");
 * await writeFile("house.schem", bytes);
 */
export async function exportBox<D extends Dimensions>(
  world: ExportableWorld<D>,
  box: VoxelBox<D>,
  file: string,
  options: ExportOptions = {},
): Promise<ExportedFile> {
  const { names = {} } = checkedOptions<ExportOptions>("the options", options, { names: requireNames });
  requireWorld(world);
  const axes = new Axes<D>(world.chunkShape);
  const source: ExportSource = {
    shape: world.chunkShape,
    catalog: world.blocks,
    dataCodec: world.dataCodec,
    names: new Map(Object.entries(names)),
    async open(chunks) {
      const found = new PositionMap<Chunk>();
      for (const position of positionsMinorToMajor(chunks)) {
        found.set(...position, await world.chunk(axes.publicPosition(position)));
      }
      return (position) => found.get(...position);
    },
    async entitiesIn(inside) {
      const entities = await world.entitiesIn(axes.publicVoxels(inside));
      return entities.filter(({ isPlayer }) => !isPlayer).length;
    },
    editedBox: async () => undefined,
  };
  const { bytes, losses } = await exportVoxels(source, axes.voxels("box", box), file, QUIET);
  return { bytes, losses };
}

/** How a clipboard becomes a file. */
export interface ClipboardExportOptions extends ExportOptions {
  /** Reads the data of voxels. Default: JSON. */
  readonly dataCodec?: DataCodec;
}

/** How the names of files end that hold all of a clipboard. */
const CLIPBOARD_ENDING = ".clip";

/**
 * Returns a clipboard as a file. The end of the file's name says which: `.clip` is our own, which holds all of it and has as
 * many dimensions as the clipboard; `.schem` is a schematic of Sponge, which other programs read, too. `.vox`, `.glb` and
 * `map.sqlite` are as in {@link exportBox}. Throws `ORT_ARGUMENT` for any other name. Writes nothing to a disk.
 *
 * @example
 * const house = await world.clipboard(box([0, 60, 0], [12, 70, 9]));
 * const { bytes, losses } = await exportClipboard(house, "house.schem");
 */
export async function exportClipboard(
  clipboard: Clipboard,
  file: string,
  options: ClipboardExportOptions = {},
): Promise<ExportedFile> {
  const { names = {}, dataCodec = PLAIN_DATA } = checkedOptions<ClipboardExportOptions>(
    "the options",
    options,
    { names: requireNames, dataCodec: requireDataCodec },
  );
  if (!(clipboard instanceof Clipboard))
    throw wrongArgument("clipboard", clipboard, "it is what world.clipboard returns");
  if (requireText("file", file, "it is a name such as house.clip").toLowerCase().endsWith(CLIPBOARD_ENDING))
    return { bytes: await encodeClipboard(clipboard), losses: [] };
  const writer = writerOf(file, CLIPBOARD_ENDING);
  const named = new Map(Object.entries(names));
  requireNamed({ catalog: clipboard.blocks, names: named }, writer);
  const losses = new ConversionLosses();
  const voxels = clipboardVoxels(clipboard, { names: named, dataCodec, losses });
  return { bytes: await writer.fileOf(voxels, losses), losses: losses.list() };
}

/** Voxels as a file of another program. */
export interface ExportedVoxelsFile extends ExportedFile {
  /** Name of the format, which is the end of the file's name. */
  readonly format: string;
  /** The voxels that were written. */
  readonly box: Box;
}

/** Like {@link exportBox}, of boxes with four axes. Without a box, all edits are written, or all of a region. */
export async function exportVoxels(
  source: ExportSource,
  asked: Box | undefined,
  file: string,
  environment: FormatEnvironment,
): Promise<ExportedVoxelsFile> {
  const region = minecraftRegionBox(requireText("file", file, "it is a name such as house.schem"));
  const writer = region === undefined ? writerOf(file, "is named r.X.Z.mca") : regionWriter;
  const wanted = asked ?? (await source.editedBox());
  const box = region === undefined ? wanted : boxInRegion(asked, region);
  if (box === undefined) throw new OrthantError("ORT_ARGUMENT", "this world has no edits; name a --box");
  exportSize(box);
  requireNamed(source, writer);
  const losses = new ConversionLosses();
  if (region !== undefined && wanted !== undefined) {
    const [low, high] = [region.min[1], region.max[1]];
    const isInside = wanted.min[1] >= low && wanted.max[1] <= high;
    losses.add("heights", `only y from ${low} to ${high - 1} exists there`, isInside ? 0 : 1);
  }
  losses.add("entities", "only voxels are written", await source.entitiesIn(box));
  const { min, max } = chunksOfVoxels(source.shape, box);
  const columns = region === undefined ? (max[0] - min[0]) * (max[2] - min[2]) : REGION_SLOTS;
  const progress = environment.progress("reading", "columns", columns);
  try {
    const bytes = await writer.write({ source, box, losses, onColumn: () => progress.advance(1) });
    return { bytes, losses: losses.list(), format: writer.ending.split(".").at(-1) ?? "", box };
  } finally {
    progress.end();
  }
}

function writerOf(file: string, others: string): VoxelsWriter {
  const writer = WRITERS.find(({ ending }) => file.toLowerCase().endsWith(ending));
  if (writer !== undefined) return writer;
  const endings = WRITERS.map(({ ending }) => ending).join(", ");
  throw wrongArgument("file", file, `it ends with one of ${endings}, or ${others}`);
}

/** Throws `ORT_ARGUMENT` for names of types that the world lacks, and for any where the file has none. */
function requireNamed(
  { catalog, names = new Map() }: Pick<ExportSource, "catalog" | "names">,
  { ending }: BoxWriter,
): void {
  for (const [from, to] of names) {
    if (ending === voxWriter.ending || ending === glbWriter.ending)
      throw wrongArgument(
        "names",
        `${from}=${to}`,
        `files that end with ${ending} have colours, and no names of blocks`,
      );
    catalog.id(from); // throws, with names that look like it
  }
}

/** Returns what a box and a region share in space; the box says where on the fourth axis. */
function boxInRegion(asked: Box | undefined, { min, max }: Box): Box {
  if (asked === undefined) return { min, max };
  const [low, high] = [asked.min[3], asked.max[3]];
  const shared = intersectBoxes(
    asked,
    boxBetween([min[0], min[1], min[2], low], [max[0], max[1], max[2], high]),
  );
  if (shared !== undefined) return shared;
  throw new OrthantError(
    "ORT_ARGUMENT",
    "the box lies outside of the region and of the heights of Minecraft",
  );
}

function requireWorld(world: unknown): void {
  const advice = "it is an open world, as openWorld or connect returns it";
  requireObject("world", world, advice);
  const { chunk, entitiesIn } = world as Partial<ExportableWorld<Dimensions>>;
  if (typeof chunk !== "function" || typeof entitiesIn !== "function")
    throw wrongArgument("world", world, advice);
}
