import type { BlockCatalog } from "@orthant/core";
import { catalogOf } from "../codec/world-description.ts";
import type { Save } from "../read/save.ts";

/** Differs from every id. */
const NO_BLOCK = -1;

/** Returns the id in one catalog of a block in another; -1 if it has none. */
export type BlockTranslation = (id: number) => number;

/** Returns the translation between the blocks of two saves, by name; `undefined` if equal ids are equal blocks. */
export function blockTranslation(from: Save, to: Save): BlockTranslation | undefined {
  const [own, other] = [from.global.description, to.global.description];
  if (isSameWorld(from, to)) return undefined;
  const [ours, theirs] = [keysOf(catalogOf(own)), keysOf(catalogOf(other))];
  const ids = new Map(Array.from(theirs, ([id, key]) => [key, id]));
  const translate = (id: number): number => {
    const key = ours.get(id);
    if (key !== undefined) return ids.get(key) ?? NO_BLOCK;
    return theirs.has(id) ? NO_BLOCK : id;
  };
  const isNeeded = [...ours.keys()].some((id) => {
    const same = translate(id);
    return same === NO_BLOCK ? theirs.has(id) : same !== id;
  });
  return isNeeded ? translate : undefined;
}

/** Whether two saves are of one world, which never gives an id to another block. A renamed block is still the same. */
export function isSameWorld(a: Save, b: Save): boolean {
  const { worldId } = a.global.description;
  return worldId !== 0n && worldId === b.global.description.worldId;
}

/** Returns the name and the properties of every id, as text. */
function keysOf(catalog: BlockCatalog): ReadonlyMap<number, string> {
  const keys = new Map<number, string>();
  for (let id = 0; id < catalog.endId; id++) {
    const block = catalog.describe(id);
    if (block === undefined) continue;
    keys.set(id, JSON.stringify([block.type, Object.entries(block.properties).sort()]));
  }
  return keys;
}
