import { deflateSync } from "node:zlib";
import { BlockCatalog } from "@orthant/core";
import { checkLooks, looksOf, parseLooks, readPng, readResourcePack } from "@orthant/mesh/looks";
import { type Prng, plainPng, pngBytes, pngFile, zipBytes } from "@orthant/testkit";
import { lenient, type Target, type TargetLimits } from "../fuzz/decoders.ts";
import { hostileBytes } from "./hostile-bytes.ts";
import { hostileJson } from "./hostile-json.ts";

const HEADER_BYTES = 13;
/** A picture of a few bytes may have a million pixels. */
const LIMITS: TargetLimits = { callBytes: 393_216, batchMs: 10_000 };

const CATALOG = new BlockCatalog([
  { id: 0, name: "air", colour: 0, solid: false },
  {
    id: 1,
    name: "minecraft:stairs",
    colour: 0x808080,
    solid: true,
    properties: [{ name: "facing", values: ["north", "east"] }],
  },
  {
    id: 3,
    name: "minecraft:fence",
    colour: 0x808080,
    solid: true,
    properties: [{ name: "north", values: ["false", "true"] }],
  },
]);

const BLOCKSTATES = [
  {
    variants: {
      "facing=north": { model: "block/stairs", y: 90, uvlock: true },
      "facing=east": [{ model: "block/stairs" }],
    },
  },
  {
    multipart: [
      { apply: { model: "block/stairs" } },
      { when: { OR: [{ north: "true" }, { facing: "!east|north" }] }, apply: { model: "stairs", x: 180 } },
    ],
  },
];
const BOX = { from: [0, 0, 0], to: [16, 8, 16] };
const MODELS = [
  {
    parent: "block/parent",
    textures: { all: "block/stone", particle: "#all" },
    elements: [
      { ...BOX, faces: { up: { texture: "#all", uv: [0, 16, 16, 0], rotation: 90, tintindex: 0 } } },
      {
        ...BOX,
        rotation: { origin: [8, 8, 8], axis: "y", angle: 45, rescale: true },
        faces: { north: { texture: "#all" } },
      },
    ],
  },
  { parent: "block/stairs", textures: { all: "#other", other: { sprite: "block/stone" } } },
];
const PACK = {
  "assets/minecraft/blockstates/stairs.json": BLOCKSTATES[0],
  "assets/minecraft/blockstates/fence.json": BLOCKSTATES[1],
  "assets/minecraft/models/block/stairs.json": MODELS[0],
  "assets/minecraft/models/block/parent.json": MODELS[1],
  "assets/minecraft/textures/block/stone.png": plainPng(0x808080, 2, 4),
};
const LOOKS = {
  textures: { stone: { picture: ["stone", "soil"], scatter: true, tint: "#ff8000", turn: 90 } },
  models: { table: [{ from: [0, 14, 0], to: [16, 16, 16], top: "soil" }] },
  blocks: {
    "minecraft:stairs": {
      model: "stairs",
      texture: "stone",
      when: { "facing=north|east": { side: "soil", glow: true } },
    },
    "minecraft:fence": { model: "table", end: "stone", side: ["soil"], pass: "cutout", far: "#123456" },
  },
};

/** Readers of what blocks look like: resource packs, their files behind the archive, pictures, and look packs. */
export const lookTargets: readonly Target[] = [
  target("resource pack", drawPack, [zipBytes(PACK)]),
  jsonTarget("files of a resource pack", drawFiles, namedFiles(PACK), (prng) => {
    const [index, content] = prng.pick([...Object.values(PACK).entries()].slice(0, -1));
    return Uint8Array.from([index, ...bytesOf(hostileJson(content, prng))]);
  }),
  target("PNG", drawPixels, pictures()),
  jsonTarget("looks.json", drawLooks, [bytesOf(LOOKS)], (prng) => bytesOf(hostileJson(LOOKS, prng))),
];

function target(name: string, read: (input: Uint8Array) => unknown, samples: readonly Uint8Array[]): Target {
  return { ...lenient(name, read, samples, LIMITS), mutate: (prng) => hostileBytes(samples, prng) };
}

/** A target whose inputs are, half of them, still JSON. */
function jsonTarget(
  name: string,
  read: (input: Uint8Array) => unknown,
  samples: readonly Uint8Array[],
  hostile: (prng: Prng) => Uint8Array,
): Target {
  return {
    ...lenient(name, read, samples, LIMITS),
    mutate: (prng) => (prng.chance(0.5) ? hostileBytes(samples, prng) : hostile(prng)),
  };
}

async function drawPack(zip: Uint8Array): Promise<void> {
  const looks = looksOf(await readResourcePack([zip], CATALOG), CATALOG);
  for (let block = 0; block < CATALOG.endId; block++) looks.lookOf(block);
}

/** The number of a file, then what stands in it. */
function drawFiles(input: Uint8Array): Promise<void> {
  const names = Object.keys(PACK);
  const name = names[(input[0] ?? 0) % names.length] ?? "";
  return drawPack(zipBytes({ ...PACK, [name]: input.subarray(1) }));
}

/** The header of a picture, and its rows with their filters. */
function drawPixels(input: Uint8Array): Promise<unknown> {
  return readPng(
    pngFile([
      ["IHDR", input.subarray(0, HEADER_BYTES)],
      ["PLTE", input.subarray(HEADER_BYTES, HEADER_BYTES + 6)],
      ["tRNS", input.subarray(0, 2)],
      ["IDAT", new Uint8Array(deflateSync(input.subarray(HEADER_BYTES)))],
      ["IEND", new Uint8Array(0)],
    ]),
  );
}

function drawLooks(input: Uint8Array): void {
  // Most inputs get pictures that fit, so that what stands in them is reached.
  const height = (input.at(-1) ?? 0) % 16 === 0 ? 3 : 2;
  const files = new Map([
    ["stone", { width: 2, height: 2, pixels: new Uint8Array(16) }],
    ["soil", { width: 2, height, pixels: new Uint8Array(8 * height) }],
  ]);
  const text = new TextDecoder().decode(input);
  // One reader a call, or the memory of both would count.
  if (input.length % 2 === 0) {
    checkLooks(text, files, CATALOG);
    return;
  }
  const looks = looksOf(parseLooks(text, files), CATALOG);
  for (let block = 0; block < CATALOG.endId; block++) looks.lookOf(block);
}

function namedFiles(pack: Readonly<Record<string, unknown>>): readonly Uint8Array[] {
  return Object.values(pack).map((content, index) => {
    const bytes = content instanceof Uint8Array ? content : bytesOf(content);
    return Uint8Array.from([index, ...bytes]);
  });
}

/** Pictures of each kind of colour, without what stands around them. */
function pictures(): readonly Uint8Array[] {
  return [0, 2, 3, 4, 6].map((kind) => {
    const rows = new Uint8Array(2 * ([1, 0, 3, 1, 2, 0, 4][kind] ?? 0));
    const header = pngBytes({ width: 1, height: 2, kind, rows }).subarray(16, 16 + HEADER_BYTES);
    const rowBytes = rows.length / 2;
    const filtered = [1, ...rows.subarray(0, rowBytes), 4, ...rows.subarray(rowBytes)];
    return Uint8Array.from([...header, ...filtered]);
  });
}

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
