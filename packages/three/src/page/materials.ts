import type { BlockCatalog } from "@orthant/core";

/** Families of materials that sound alike. */
export const MATERIALS = ["stone", "wood", "soil", "sand", "glass", "leaf", "water"] as const;
/** One of these families. */
export type SoundMaterial = (typeof MATERIALS)[number];

/** Words in names of blocks, by family; the first family with one of them is it. */
const WORDS: readonly (readonly [material: SoundMaterial, words: RegExp])[] = [
  ["leaf", /lea(?:f|ves)|flower|poppy|dandelion|grass$|fern|vine|wheat|crop|sapling|wool|carpet|hay/],
  ["glass", /glass|ice|lamp|lantern|crystal|pane/],
  ["water", /water|lava/],
  ["wood", /wood|log|plank|oak|birch|spruce|chest|door|ladder|fence|table|torch|sign|barrel|bookshelf/],
  ["sand", /sand|gravel|snow|powder/],
  ["soil", /soil|dirt|turf|mud|clay|farmland|podzol|moss|peat/],
];
/** Blocks of ground and plants whose names are not those of their family. */
const OWN: ReadonlyMap<string, SoundMaterial> = new Map([
  ["grass", "soil"],
  ["grass_block", "soil"],
  ["sandstone", "stone"],
]);

/** Returns the family of a block: a tag that has the name of a family, or else what its name says. */
export function materialOf(blocks: BlockCatalog, block: number): SoundMaterial {
  const type = blocks.byId(block);
  if (type === undefined) return "stone";
  const tagged = MATERIALS.find((material) => type.tags.includes(material));
  if (tagged !== undefined) return tagged;
  const name = type.name.slice(type.name.lastIndexOf(":") + 1).toLowerCase();
  return OWN.get(name) ?? WORDS.find(([, words]) => words.test(name))?.[0] ?? "stone";
}
