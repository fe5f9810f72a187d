import type { MarsMinerSave } from "@orthant/formats";
import type { Octree } from "@orthant/formats/internal";

/**
 * The meaning of a save, independent of its encoding: for each position and cube, which voxels have which
 * name.
 */
export type MeantWorld = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the meaning of the present state. `rename` returns the name of a block from its name, subtype and
 * id.
 */
export async function worldOf(
  save: MarsMinerSave,
  rename: (name: string | undefined, subtype: number, id: number) => string,
  isCarried: (place: string) => boolean = () => true,
): Promise<MeantWorld> {
  const places: Record<string, readonly string[]> = {};
  for (const entry of save.state?.chunks ?? []) {
    const place = `${entry.x},${entry.z}`;
    const { blockTypes, octrees } = await save.readChunk(entry);
    // An empty chunk leaves no trace in a world.
    if (octrees.length === 0 || !isCarried(place)) continue;
    const nameOf = (id: number): string => rename(blockTypes[id]?.name, blockTypes[id]?.subtype ?? 0, id);
    places[place] = octrees.map((octree) => describeNode(octree, 0, nameOf));
  }
  return places;
}

/**
 * Returns the name of a leaf, or the eight parts of a branch. Only voxels count, so eight equal leaves are
 * one.
 */
function describeNode(octree: Octree, node: number, nameOf: (id: number) => string): string {
  const first = octree.firstChildren[node] ?? 0;
  if (first === 0) return JSON.stringify(nameOf(octree.values[node] ?? 0));
  const parts = Array.from({ length: 8 }, (_, child) => describeNode(octree, first + child, nameOf));
  const [part = ""] = parts;
  return part.startsWith("[") || parts.some((other) => other !== part) ? `[${parts.join()}]` : part;
}
