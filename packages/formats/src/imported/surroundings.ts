import { OrthantError, type Position } from "@orthant/core";
import type { GeneratorRef } from "@orthant/core/generate";
import { getOrAdd } from "@orthant/core/lattice";
import { GeneratorMap, MAP_BOXES_MAX } from "@orthant/core/tree";
import { EMPTY_GENERATOR } from "@orthant/save/content";
import type { Triple } from "../part/voxel-part.ts";
import { CELL_CHUNKS, type ImportedBox, type ImportedChunk, type ImportSource } from "./import-source.ts";

/** Returns the generators of a world around imported pieces: air in the regions of the pieces, `generator` elsewhere. */
export function generatorsAround(source: ImportSource, generator: GeneratorRef): GeneratorMap {
  const boxes = mergedBoxes(
    source.pieces.flatMap((_, piece) => {
      const box = source.boxOf(piece);
      return box === undefined ? [] : [regionsOf(box)];
    }),
  );
  if (boxes.length > MAP_BOXES_MAX) {
    const detail = `what is imported lies in ${boxes.length} boxes, and a generator fills the space around at most ${MAP_BOXES_MAX}`;
    throw new OrthantError("ORT_LIMIT", `${detail}; convert it without one`);
  }
  const kept = boxes.map(({ min, max }) => ({
    box: { min: [...min, 0] as Position, max: [...max, 1] as Position },
    generator: EMPTY_GENERATOR,
  }));
  return GeneratorMap.from(generator, kept);
}

/** Returns the box around chunks; `undefined` if there are none. */
export function boxAround(chunks: readonly Pick<ImportedChunk, "position">[]): ImportedBox | undefined {
  const [first] = chunks;
  if (first === undefined) return undefined;
  const [min, max] = [[...first.position], [...first.position]];
  for (const { position } of chunks) {
    for (const [axis, at] of position.entries()) {
      min[axis] = Math.min(min[axis] as number, at);
      max[axis] = Math.max(max[axis] as number, at);
    }
  }
  return { min: min as unknown as Triple, max: max.map((at) => at + 1) as unknown as Triple };
}

function regionsOf({ min, max }: ImportedBox): ImportedBox {
  return {
    min: min.map((at) => Math.floor(at / CELL_CHUNKS)) as unknown as Triple,
    max: max.map((at) => Math.ceil(at / CELL_CHUNKS)) as unknown as Triple,
  };
}

/** Joins boxes that touch along x, then z, then y, and returns them in the order of their lowest corners. */
function mergedBoxes(boxes: readonly ImportedBox[]): readonly ImportedBox[] {
  let merged = boxes;
  for (const axis of [0, 2, 1] as const) merged = mergedAlong(merged, axis);
  return [...merged].sort((a, b) => a.min[0] - b.min[0] || a.min[1] - b.min[1] || a.min[2] - b.min[2]);
}

function mergedAlong(boxes: readonly ImportedBox[], axis: 0 | 1 | 2): readonly ImportedBox[] {
  const lines = new Map<string, ImportedBox[]>();
  for (const box of [...boxes].sort((a, b) => a.min[axis] - b.min[axis])) {
    const key = [0, 1, 2]
      .map((other) => (other === axis ? "" : `${box.min[other]}:${box.max[other]}`))
      .join();
    const line = getOrAdd(lines, key, () => []);
    const last = line.at(-1);
    if (last !== undefined && last.max[axis] === box.min[axis])
      line[line.length - 1] = { min: last.min, max: box.max };
    else line.push(box);
  }
  return [...lines.values()].flat();
}
