import type { Dimensions, Position } from "@orthant/core";
import { isListOf, requireBlock, wrongArgument } from "@orthant/core/arguments";
import { EDIT_VOXELS_MAX } from "@orthant/protocol";

/** The voxels of a brush, each with its new block: what `edit` takes. */
export type BrushPlacements<P extends Position<Dimensions>> = readonly {
  readonly position: P;
  readonly block: number;
}[];

/** Maximum volume of the box around a brush, in voxels; those outside of its shape count too. */
const BRUSH_BOX_VOXELS_MAX = 65_536;
/** Makes spheres rounder: without it, each axis would end in a single voxel. */
const ROUNDING = 1;
const TOLERANCE = 1e-9;

/**
 * Returns the voxels of a ball around a voxel, at most as many as one edit may have. The radius is in voxels, 0 for the
 * voxel alone; with a radius for each axis the ball is an ellipsoid, and flat where the radius is 0.
 *
 * @example
 * await client.edit(sphereBrush([0, 64, 0], 3, client.blocks.id("stone")));
 */
export function sphereBrush<P extends Position<Dimensions>>(
  center: P,
  radius: number | NoInfer<P>,
  block: number,
): BrushPlacements<P> {
  const radii = requireRadii(requirePosition("center", center), radius);
  return brushOf(center, radii, requireBlock("block", block), (offset) => {
    const parts = offset.map((part, axis) => {
      const reach = radii[axis] as number;
      return part === 0 ? 0 : part ** 2 / (reach * (reach + ROUNDING));
    });
    return parts.reduce((sum, part) => sum + part) <= 1 + TOLERANCE;
  });
}

/**
 * Returns the voxels of a box around a voxel, at most as many as one edit may have. The radius is in voxels, 0 for the
 * voxel alone, or one for each axis. For larger boxes there is `fill`.
 *
 * @example
 * await client.edit(boxBrush([0, 64, 0], [2, 0, 2], client.blocks.id("wood"))); // a floor of 5 x 1 x 5
 */
export function boxBrush<P extends Position<Dimensions>>(
  center: P,
  radius: number | NoInfer<P>,
  block: number,
): BrushPlacements<P> {
  const radii = requireRadii(requirePosition("center", center), radius);
  return brushOf(center, radii, requireBlock("block", block), () => true);
}

/**
 * Returns the voxels of a straight line, from one voxel to another, both included.
 *
 * @example
 * await client.edit(lineBrush([0, 64, 0], [20, 70, 5], client.blocks.id("lamp")));
 */
export function lineBrush<P extends Position<Dimensions>>(
  from: P,
  to: NoInfer<P>,
  block: number,
): BrushPlacements<P> {
  const start = requirePosition("from", from);
  const end = requirePosition("to", to);
  if (start.length !== end.length) {
    throw wrongArgument("to", to, `it has as many numbers as from, which has ${start.length}`);
  }
  requireBlock("block", block);
  const way = end.map((coordinate, axis) => coordinate - (start[axis] as number));
  const steps = Math.max(...way.map(Math.abs));
  if (steps >= EDIT_VOXELS_MAX) throw tooLarge("to", to, `the line has ${steps + 1} voxels`);
  return Array.from({ length: steps + 1 }, (_, step) => {
    const share = steps === 0 ? 0 : step / steps;
    const position = start.map((coordinate, axis) => coordinate + Math.round((way[axis] as number) * share));
    return { position: position as unknown as P, block };
  });
}

/** Returns the voxels within the radii whose offset from the center `covers` accepts. */
function brushOf<P extends Position<Dimensions>>(
  center: P,
  radii: readonly number[],
  block: number,
  covers: (offset: readonly number[]) => boolean,
): BrushPlacements<P> {
  const offset = radii.map((radius) => -radius);
  const placements: { readonly position: P; readonly block: number }[] = [];
  for (;;) {
    if (covers(offset)) {
      const position = offset.map((part, axis) => (center[axis] as number) + part);
      placements.push({ position: position as unknown as P, block });
    }
    const axis = offset.findIndex((part, index) => part < (radii[index] as number));
    if (axis < 0) break;
    for (let lower = 0; lower < axis; lower++) offset[lower] = -(radii[lower] as number);
    offset[axis] = (offset[axis] as number) + 1;
  }
  if (placements.length > EDIT_VOXELS_MAX)
    throw tooLarge("radius", radii, `the brush has ${placements.length} voxels`);
  return placements;
}

function requirePosition(name: string, value: unknown): readonly number[] {
  const isPosition = isListOf(value, Number.isSafeInteger) && value.length >= 2 && value.length <= 4;
  if (isPosition) return value as readonly number[];
  throw wrongArgument(name, value, "it is a voxel of two to four whole numbers, such as [0, 64, 0]");
}

function requireRadii(center: readonly number[], value: unknown): readonly number[] {
  const radii: readonly unknown[] = Array.isArray(value) ? value : center.map(() => value);
  const isRadius = (radius: unknown): boolean => Number.isInteger(radius) && (radius as number) >= 0;
  if (radii.length !== center.length || !isListOf(radii, isRadius)) {
    throw wrongArgument("radius", value, `it is a whole number from 0, or ${center.length} of them`);
  }
  const volume = (radii as readonly number[]).reduce((product, radius) => product * (2 * radius + 1), 1);
  if (volume > BRUSH_BOX_VOXELS_MAX)
    throw tooLarge("radius", value, `the box around the brush has ${volume} voxels`);
  return radii as readonly number[];
}

/** Looks at every item, also at the holes of an array. */
function tooLarge(name: string, value: unknown, size: string): Error {
  const advice = `${size}, and one edit at most ${EDIT_VOXELS_MAX}: use a smaller brush, or fill`;
  return wrongArgument(name, value, advice);
}
