import { type Axis, type Box, dimensionsOf, type Position } from "@orthant/core";
import { DEFAULT_GENERATORS, FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { AXIS_NAMES, boxBetween, positionFrom } from "@orthant/core/lattice";
import { WorldState } from "@orthant/core/tree";
import type { Disk } from "@orthant/disk";
import { formatBox, formatBytes } from "@orthant/formats";
import { catalogOf, type Save } from "@orthant/save";
import { openSaveWithJournal, type SaveWithJournal } from "@orthant/world/engine";
import type { Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { makeFile } from "../command/files.ts";
import { parseBox, parseInteger } from "../command/parse.ts";
import { boxJson } from "../command/report.ts";
import { UsageError } from "../command/usage.ts";
import { ChunkSource } from "../map/band.ts";
import { HEAT_KINDS, type HeatKind, readHeat } from "../map/heat.ts";
import { type Colour, opaque } from "../map/paint.ts";
import { bandsOf, drawPicture, type Layout, layoutOf, type Picture } from "../map/picture.ts";
import { PngWriter } from "../map/png-writer.ts";
import { cutBox, defaultBox, type MapSlice, parseAxis, parseSlice, viewOf } from "../map/view.ts";
import { openReadable } from "../world/found-world.ts";
import { exitWithJournals, retryWhileWritten } from "../world/live-save.ts";
import { neededGenerator, untouchedState } from "../world/stored-content.ts";

const SIDE_MAX = 16_384;
const SCALE_MAX = 32;
/** Without --scale, voxels are as large as fits into this many pixels. */
const SIDE_WANTED = 768;
/** Without a cut, a four-dimensional world is shown at these offsets along w from the spawn point. */
const SHEET_STEPS: readonly number[] = [-8, -4, 0, 4, 8, 12];
const TRANSPARENT: Colour = [0, 0, 0, 0];

/** `orthant map`. */
export const mapCommand: Command = {
  name: "map",
  summary: "Draw a picture of a world: from above, or a cut through it",
  details: [
    "Writes a PNG in the colours of the world's blocks. A world of two dimensions is shown as it is, one of three",
    "from above, one of four from above at several places along w. Without --box it shows what was edited.",
  ].join(" "),
  arguments: [{ name: "<world>", description: "the folder of a world, or its file" }],
  usesGenerators: true,
  options: [
    { flags: "-o, --output <file>", description: "the file to write", default: "map.png" },
    { flags: "--box <voxels>", description: "what to show, such as -64,0,-64,0..64,128,64,1" },
    {
      flags: "--slice <axis=place>",
      description: "cut the world there; w=0,4,8 gives a picture each; may be given for several axes",
      repeated: true,
    },
    { flags: "--axis <axis>", description: "look along it from its end (default: y, from above)" },
    { flags: "--scale <pixels>", description: "pixels along each edge of a voxel (default: what fits)" },
    {
      flags: "--heat <what>",
      description: "colour the edits: by how new they are, or how many bytes they take",
      choices: HEAT_KINDS,
    },
    { flags: "--background <rrggbb>", description: "instead of a transparent one" },
    { flags: "--force", description: "replace the file if there is one" },
  ],
  examples: [
    "orthant map my-world",
    "orthant map my-world --slice w=3 --output w3.png",
    "orthant map my-world --slice z=0 --box -64,-32,0..64,96,1 --scale 4",
    "orthant map my-world --heat age",
  ],

  async run(args, context) {
    const folder = args.at(0);
    const request: MapRequest = {
      output: args.text("output") ?? "map.png",
      mayReplace: args.has("force"),
      slices: args.all("slice").map(parseSlice),
      axis: args.parsed("axis", parseAxis),
      box: args.parsed("box", parseBox),
      scale: args.parsed("scale", parseInteger(1, SCALE_MAX)),
      background: args.parsed("background", parseColour) ?? TRANSPARENT,
      heat: HEAT_KINDS.find((kind) => kind === args.text("heat")),
    };
    const { disk } = await openReadable(folder, context);
    // A writer may save the world during the drawing.
    const { opened, picture, layout, bytes } = await retryWhileWritten(disk, () =>
      drawMap(disk, request, context),
    );
    const { view, box, scale, shape } = picture;
    const dimensions = dimensionsOf(shape);
    const sheet = view.sheet && { axis: AXIS_NAMES[view.sheet.axis], at: view.sheet.at };
    context.printJson({
      world: folder,
      output: request.output,
      width: layout.width,
      height: layout.height,
      bytes,
      scale,
      box: boxJson(box, dimensions),
      across: AXIS_NAMES[view.across],
      down: AXIS_NAMES[view.down],
      along: view.along === undefined ? null : AXIS_NAMES[view.along],
      sheet: sheet ?? null,
    });
    context.print(
      `wrote ${request.output}: ${layout.width} x ${layout.height} pixels, ${formatBytes(bytes)}`,
    );
    context.print(
      `shows voxels ${formatBox(box, dimensions)}${sheet ? ` at ${sheet.axis} = ${sheet.at.join(", ")}` : ""}`,
    );
    return exitWithJournals([opened], context);
  },
};

/** The request; `undefined` means a default that suits the world. */
interface MapRequest {
  readonly output: string;
  readonly mayReplace: boolean;
  readonly slices: readonly MapSlice[];
  readonly axis: Axis | undefined;
  readonly box: Box | undefined;
  readonly scale: number | undefined;
  readonly background: Colour;
  readonly heat: HeatKind | undefined;
}

/** A drawn map. */
interface DrawnMap {
  /** The drawn save, closed. */
  readonly opened: SaveWithJournal;
  readonly picture: Picture;
  readonly layout: Layout;
  readonly bytes: number;
}

/** Draws the live generation with its journal into a file. The file is written completely or not at all. */
async function drawMap(disk: Disk, request: MapRequest, context: Context): Promise<DrawnMap> {
  const opened = await openSaveWithJournal(disk, { generators: context.generators });
  try {
    const { picture, layout } = await planMap(opened, request, context);
    return { opened, picture, layout, bytes: await drawFile(picture, layout, request, context) };
  } finally {
    await opened.save.close();
  }
}

async function planMap(
  { save }: SaveWithJournal,
  request: MapRequest,
  context: Context,
): Promise<Pick<DrawnMap, "picture" | "layout">> {
  const state = stateOf(save, context);
  const catalog = catalogOf(save.global.description);
  const { shape } = state;
  const { spawn: exact } = save.global.description;
  const spawn = positionFrom((index) => Math.floor(exact[index]));
  const sheetAt = SHEET_STEPS.map((step) => spawn[3] + step);
  const view = viewOf(shape, request.slices, request.axis, sheetAt);
  let box = request.box ?? (await defaultBox(save, state, spawn, view));
  for (const slice of request.slices) box = cutBox(box, slice);
  if (view.sheet !== undefined) box = cutBox(box, view.sheet);
  const scale = request.scale ?? fittingScale(layoutOf(view, box, 1));
  const layout = layoutOf(view, box, scale);
  if (Math.max(layout.width, layout.height) > SIDE_MAX) {
    throw new UsageError(
      `a picture of ${layout.width} by ${layout.height} pixels, the limit is ${SIDE_MAX} a side: use a smaller --box`,
    );
  }
  const heat = request.heat && (await readHeat(save, shape, sheetBox(box, view.sheet), view, request.heat));
  const source = new ChunkSource(save, state);
  const middle = view.along === undefined ? 0 : spawn[view.along];
  return {
    picture: { source, shape, catalog, view, box, scale, background: request.background, middle, heat },
    layout,
  };
}

/** Returns the size of the file. */
async function drawFile(
  picture: Picture,
  layout: Layout,
  request: MapRequest,
  context: Context,
): Promise<number> {
  const bands = bandsOf(picture.shape, picture.box, picture.view).length;
  const progress = context.progress("drawing", "rows of chunks", bands * Math.max(1, layout.panels.length));
  let bytes = 0;
  context.takeSignals();
  try {
    await makeFile(request.output, request.mayReplace, async (append) => {
      const png = await PngWriter.create(layout.width, layout.height, async (piece) => {
        context.signal.throwIfAborted();
        bytes += piece.length;
        await append(piece);
      });
      await drawPicture(picture, layout, png, () => progress.advance(1));
      await png.end();
    });
  } finally {
    progress.end();
  }
  return bytes;
}

/** Returns what the generator makes. Without the generator, edits appear in empty space. */
function stateOf(save: Save, context: Context): WorldState {
  const state = untouchedState(save, context.generators);
  if (state !== undefined) return state;
  context.note(`only edits are shown, without ${neededGenerator(save, context.generators)}`);
  const generator = generatorRef(flatGenerator, { ...FLAT_DEFAULTS, thickness: 0 }, 0n);
  const shape = save.global.description.chunkShape;
  return WorldState.open({ generators: DEFAULT_GENERATORS, generator, shape });
}

/** Returns the box around all pictures of a sheet. */
function sheetBox(
  box: Box,
  sheet: { readonly axis: number; readonly at: readonly number[] } | undefined,
): Box {
  if (sheet === undefined) return box;
  const replaced = (position: Position, value: number): Position =>
    positionFrom((axis) => (axis === sheet.axis ? value : position[axis]));
  return boxBetween(replaced(box.min, Math.min(...sheet.at)), replaced(box.max, Math.max(...sheet.at) + 1));
}

function fittingScale({ width, height }: { readonly width: number; readonly height: number }): number {
  return Math.max(1, Math.min(8, Math.floor(SIDE_WANTED / Math.max(width, height))));
}

function parseColour(text: string): Colour {
  if (/^#?[\da-f]{6}$/i.test(text)) return opaque(Number.parseInt(text.replace("#", ""), 16));
  throw new UsageError(`"${text}" is not a colour; write it as 87ceeb`);
}
