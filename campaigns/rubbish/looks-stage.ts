import { BlockCatalog, DEFAULT_BLOCKS } from "@orthant/core";
import {
  checkLooks,
  defaultLooks,
  joinLooks,
  type LookPack,
  looksOf,
  parseLooks,
  plainLooks,
  readPng,
  readResourcePack,
} from "@orthant/mesh/looks";
import { type Prng, plainPng, zipBytes } from "@orthant/testkit";
import { functionTargets, type Stage } from "./stage.ts";

const NAMES = ["stone", "planks", "glass"] as const;
const CATALOG = new BlockCatalog([
  { id: 0, name: "air", colour: 0, solid: false },
  { id: 1, name: "stone", colour: 0x80_80_80, solid: true },
  {
    id: 2,
    name: "minecraft:oven",
    colour: 0x60_60_60,
    solid: true,
    properties: [{ name: "lit", values: ["false", "true"] }],
  },
]);

/** Reads look packs and pictures, and draws every block of a catalog with each pack that was accepted. */
export const looksStage: Stage = {
  name: "looks",
  open: async () => ({
    targets: functionTargets({
      parseLooks: [
        (looks: never, pictures: never) => drawAll(parseLooks(looks, mapOf(pictures))),
        (prng) => [looksFile(prng), pictures(prng)],
      ],
      checkLooks: [
        (looks: never, pictures: never, catalog: never) => checkLooks(looks, mapOf(pictures), catalog),
        (prng) => [looksFile(prng), pictures(prng), CATALOG],
      ],
      looksOf: [
        (pack: LookPack, catalog: BlockCatalog) => drawAll(pack, catalog),
        (prng) => [prng.chance(0.5) ? defaultLooks() : { ...PLAIN, lookOf: () => undefined }, CATALOG],
      ],
      joinLooks: [
        (first: never, second: never) => drawAll(joinLooks(first, second)),
        () => [defaultLooks(), { ...PLAIN, lookOf: () => undefined }],
      ],
      plainLooks: [plainLooks, () => [CATALOG]],
      readPng: [readPng, (prng) => [bytesOf(prng, plainPng(0x12_34_56))]],
      defaultLooks: [defaultLooks, () => []],
      readResourcePack: [
        async (packs: never, catalog: never) => drawAll(await readResourcePack(packs, catalog)),
        (prng) => [[bytesOf(prng, PACK), PACK], CATALOG],
      ],
    }),
    finish: async () => [],
  }),
};

const PLAIN = { textures: plainLooks(DEFAULT_BLOCKS).textures };

/** A resource pack with one block. */
const PACK = zipBytes({
  "assets/minecraft/blockstates/oven.json": {
    variants: { "lit=true": { model: "block/oven", y: 90 }, "lit=false": [{ model: "block/oven" }] },
  },
  "assets/minecraft/models/block/oven.json": {
    textures: { all: "block/oven" },
    elements: [
      {
        from: [0, 0, 0],
        to: [16, 9, 16],
        faces: { up: { texture: "#all", uv: [0, 0, 16, 16], tintindex: 0 }, north: { texture: "#all" } },
      },
    ],
  },
  "assets/minecraft/textures/block/oven.png": plainPng(0x80_80_80),
});

/** Looks as a program gives them; all fields have values, so that each of them is damaged sometimes. */
function looksFile(prng: Prng): unknown {
  const looks = {
    textures: { mixed: { picture: ["stone", "planks"], tint: "#8fc45a", turn: 90, scatter: true } },
    models: { table: [{ from: [0, 14, 0], to: [16, 16, 16], top: "planks", tint: "#ffffff" }] },
    blocks: {
      stone: "mixed",
      "minecraft:oven": {
        model: prng.pick(["table", "stairs", "cube", "none"]),
        texture: prng.pick(NAMES),
        top: ["stone", "planks"],
        pass: "cutout",
        glow: true,
        liquid: false,
        joins: true,
        far: "#102030",
        when: { "lit=true": { front: "glass", glow: true } },
      },
    },
  };
  if (prng.chance(0.7)) return looks;
  const text = JSON.stringify(looks);
  const at = prng.below(text.length);
  return prng.chance(0.3)
    ? text
    : text.slice(0, at) + prng.pick(['"', "{", "]", "1e999", "\\u"]) + text.slice(at + 1);
}

/** Pictures as a list, of which each part is damaged sometimes. {@link mapOf} turns it into a map. */
function pictures(prng: Prng): readonly unknown[] {
  return NAMES.map((name) => [name, { width: 4, height: 4, pixels: prng.bytes(64) }]);
}

function mapOf(list: unknown): never {
  const isEntries = Array.isArray(list) && list.length < 9 && Array.from(list).every(Array.isArray);
  return (isEntries ? new Map(list as [unknown, unknown][]) : list) as never;
}

/** Returns bytes, sometimes cut or changed in one place. */
function bytesOf(prng: Prng, bytes: Uint8Array): Uint8Array {
  if (prng.chance(0.3)) return bytes;
  if (prng.chance(0.3)) return bytes.slice(0, prng.below(bytes.length));
  const changed = bytes.slice();
  changed[prng.below(bytes.length)] = prng.below(256);
  return changed;
}

/** Draws every block of a catalog. */
function drawAll(pack: LookPack, catalog: BlockCatalog = CATALOG): void {
  const looks = looksOf(pack, catalog);
  for (let block = 0; block < 5; block++) looks.lookOf(block);
}
