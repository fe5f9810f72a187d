import type { MarsMinerBlockType, MarsMinerChunk } from "./records/chunk-reader.ts";

/** The game's name for an empty block. */
export const EMPTY_BLOCK_NAME = "Core_Empty";

/** Why a block id has a name other than the one in the table. */
export type NameRemark = "subtype" | "unnamed" | "unlisted";

/** A block id with a name that stands for type and subtype. */
export interface NamedBlock {
  readonly name: string;
  readonly remark: NameRemark | undefined;
}

/**
 * Returns a name for each block id that a chunk lists or uses. A subtype other than 0 becomes part of the
 * name, as in `MarsMiner_Sand #3`. An id without a name, or that is not listed, is named by its number, as in
 * `block 4`.
 */
export function blockNames({ blockTypes, octrees }: MarsMinerChunk): readonly NamedBlock[] {
  let idMax = blockTypes.length - 1;
  for (const { values, firstChildren } of octrees) {
    for (let node = 0; node < values.length; node++) {
      if (firstChildren[node] === 0) idMax = Math.max(idMax, values[node] as number);
    }
  }
  return Array.from({ length: idMax + 1 }, (_, id) => nameOf(blockTypes[id], id));
}

function nameOf(type: MarsMinerBlockType | undefined, id: number): NamedBlock {
  if (type === undefined) return { name: `block ${id}`, remark: "unlisted" };
  if (type.name === undefined) return { name: `block ${id}`, remark: "unnamed" };
  const { name, subtype = 0 } = type;
  return subtype === 0 ? { name, remark: undefined } : { name: `${name} #${subtype}`, remark: "subtype" };
}
