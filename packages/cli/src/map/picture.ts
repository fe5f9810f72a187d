import type { BlockCatalog, Box, ChunkShape, Position } from "@orthant/core";
import { AXIS_NAMES, floorDivide, positionFrom } from "@orthant/core/lattice";
import { type ChunkSource, lookAt } from "./band.ts";
import type { Heat } from "./heat.ts";
import { type Colour, drawLabelRow, LABEL_HEIGHT, labelWidth, lastHeights, Painter } from "./paint.ts";
import type { PngWriter } from "./png-writer.ts";
import { cutBox, type MapView } from "./view.ts";

/** The content and style of a picture. */
export interface Picture {
  readonly source: ChunkSource;
  readonly shape: ChunkShape;
  readonly catalog: BlockCatalog;
  readonly view: MapView;
  /** In voxels, with a single coordinate on each cut axis. */
  readonly box: Box;
  /** Pixels along each edge of a voxel. */
  readonly scale: number;
  readonly background: Colour;
  /** The height with neutral light. */
  readonly middle: number;
  readonly heat: Heat | undefined;
}

/** Arrangement of the panels of a sheet, in pixels. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly panels: readonly number[];
  readonly columns: number;
  readonly panelWidth: number;
  readonly panelHeight: number;
  readonly labelScale: number;
}

const GAP = 8;
const LABEL_COLOUR: Colour = [128, 128, 128, 255];

/** Computes the size of a picture, before anything is drawn. */
export function layoutOf(view: MapView, box: Box, scale: number): Layout {
  const panelWidth = (box.max[view.across] - box.min[view.across]) * scale;
  const panelHeight = (box.max[view.down] - box.min[view.down]) * scale;
  const panels = view.sheet?.at ?? [];
  if (panels.length === 0) {
    return {
      width: panelWidth,
      height: panelHeight,
      panels,
      columns: 1,
      panelWidth,
      panelHeight,
      labelScale: 0,
    };
  }
  const columns = Math.ceil(Math.sqrt(panels.length));
  const rows = Math.ceil(panels.length / columns);
  const labelScale = panelWidth >= 128 ? 2 : 1;
  const stripe = labelStripe(labelScale);
  return {
    width: columns * (panelWidth + GAP) - GAP,
    height: rows * (panelHeight + stripe + GAP) - GAP,
    panels,
    columns,
    panelWidth,
    panelHeight,
    labelScale,
  };
}

/** Draws a picture from the top, one row of chunks at a time. Calls `onRow` after each row of chunks. */
export async function drawPicture(
  picture: Picture,
  layout: Layout,
  png: PngWriter,
  onRow: () => void,
): Promise<void> {
  const { view, box } = picture;
  if (view.sheet === undefined) {
    for await (const row of panelRows(picture, box, onRow)) await png.row(row);
    return;
  }
  const { axis } = view.sheet;
  for (let first = 0; first < layout.panels.length; first += layout.columns) {
    const shown = layout.panels.slice(first, first + layout.columns);
    if (first > 0)
      for (let gap = 0; gap < GAP; gap++) await png.row(blankRow(layout.width, picture.background));
    for (const row of labelRows(shown, AXIS_NAMES[axis], layout, picture.background)) await png.row(row);
    const panels = shown.map((at) => panelRows(picture, cutBox(box, { axis, at: [at] }), onRow));
    for (let row = 0; row < layout.panelHeight; row++) {
      const pixels = blankRow(layout.width, picture.background);
      for (const [index, panel] of panels.entries()) {
        const next = await panel.next();
        if (!next.done) pixels.set(next.value, index * (layout.panelWidth + GAP) * 4);
      }
      await png.row(pixels);
    }
  }
}

/** Yields the scaled rows of one panel, from the top. */
async function* panelRows(picture: Picture, box: Box, onRow: () => void): AsyncGenerator<Uint8Array> {
  const { source, shape, view, scale, heat } = picture;
  const painter = new Painter(
    picture.catalog,
    picture.background,
    view.along === undefined ? undefined : picture.middle,
  );
  let before: Int32Array | undefined;
  for (const part of bandsOf(shape, box, view)) {
    const band = await lookAt(source, shape, part, view, painter.isVeil);
    const pixels = painter.paint(band, view.isUpright ? undefined : before);
    before = lastHeights(band);
    if (heat !== undefined) heatUp(pixels, band.width, part, picture, heat);
    for (let index = 0; index < band.rows; index++) {
      const row = view.isUpright ? band.rows - 1 - index : index;
      const scaled = scaleRow(pixels.subarray(row * band.width * 4, (row + 1) * band.width * 4), scale);
      for (let copy = 0; copy < scale; copy++) yield scaled;
    }
    onRow();
  }
}

/** Splits the box into parts of at most one chunk, in drawing order. */
export function bandsOf(shape: ChunkShape, box: Box, view: MapView): readonly Box[] {
  const { down } = view;
  const extent = shape.extents[down];
  const bands: Box[] = [];
  for (let from = box.min[down]; from < box.max[down]; ) {
    const to = Math.min((floorDivide(from, extent) + 1) * extent, box.max[down]);
    bands.push({
      min: positionFrom((axis) => (axis === down ? from : box.min[axis])),
      max: positionFrom((axis) => (axis === down ? to : box.max[axis])),
    });
    from = to;
  }
  return view.isUpright ? bands.reverse() : bands;
}

function heatUp(pixels: Uint8Array, width: number, part: Box, { view, shape }: Picture, heat: Heat): void {
  for (let pixel = 0; pixel < pixels.length / 4; pixel++) {
    const row = part.min[view.down] + Math.floor(pixel / width);
    const column = part.min[view.across] + (pixel % width);
    const chunk: Position = positionFrom((axis) => {
      const at = axis === view.down ? row : axis === view.across ? column : part.min[axis];
      return floorDivide(at, shape.extents[axis]);
    });
    const [red = 0, green = 0, blue = 0, opacity = 0] = pixels.subarray(pixel * 4, pixel * 4 + 4);
    pixels.set(heat([red, green, blue, opacity], chunk), pixel * 4);
  }
}

function scaleRow(row: Uint8Array, scale: number): Uint8Array {
  if (scale === 1) return row.slice();
  const scaled = new Uint8Array(row.length * scale);
  for (let column = 0; column < row.length / 4; column++) {
    for (let copy = 0; copy < scale; copy++) {
      scaled.set(row.subarray(column * 4, column * 4 + 4), (column * scale + copy) * 4);
    }
  }
  return scaled;
}

function blankRow(width: number, background: Colour): Uint8Array {
  const row = new Uint8Array(width * 4);
  if (background[3] > 0) for (let pixel = 0; pixel < width; pixel++) row.set(background, pixel * 4);
  return row;
}

function labelStripe(scale: number): number {
  return (LABEL_HEIGHT + 3) * scale;
}

function* labelRows(
  shown: readonly number[],
  name: string,
  layout: Layout,
  background: Colour,
): Generator<Uint8Array> {
  const { labelScale, panelWidth, width } = layout;
  for (let row = 0; row < labelStripe(labelScale); row++) {
    const pixels = blankRow(width, background);
    for (const [index, at] of shown.entries()) {
      const text = `${name}=${at}`;
      if (row >= LABEL_HEIGHT * labelScale || labelWidth(text) * labelScale > panelWidth) continue;
      drawLabelRow(pixels, index * (panelWidth + GAP), text, row, labelScale, LABEL_COLOUR);
    }
    yield pixels;
  }
}
