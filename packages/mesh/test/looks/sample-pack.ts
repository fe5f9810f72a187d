import { plainPng, zipBytes } from "@orthant/testkit";

const models = (name: string): string => `assets/minecraft/models/block/${name}.json`;
const states = (name: string): string => `assets/minecraft/blockstates/${name}.json`;
const textures = (name: string): string => `assets/minecraft/textures/block/${name}.png`;

const whole = (side: string): object => ({ texture: side, cullface: "up" });
const SIDES = ["down", "up", "north", "south", "west", "east"];
const BOX = { from: [0, 0, 0], to: [16, 16, 16] };

/** A small resource pack with each way in which packs describe blocks. */
const SAMPLE_PACK: Readonly<Record<string, unknown>> = {
  "pack.mcmeta": { pack: { pack_format: 15, description: "made by code" } },
  [models("block")]: { gui_light: "side" },
  [models("cube")]: {
    parent: "block/block",
    elements: [{ ...BOX, faces: Object.fromEntries(SIDES.map((side) => [side, whole(`#${side}`)])) }],
  },
  [models("cube_all")]: {
    parent: "minecraft:block/cube",
    textures: Object.fromEntries([...SIDES, "particle"].map((side) => [side, "#all"])),
  },
  [states("stone")]: {
    variants: { "": [{ model: "minecraft:block/stone" }, { model: "block/stone", y: 180 }] },
  },
  [models("stone")]: { parent: "minecraft:block/cube_all", textures: { all: "minecraft:block/stone" } },
  [textures("stone")]: plainPng(0x888888),

  [states("dirt")]: { variants: { "": [0, 90, 180, 270].map((y) => ({ model: "block/dirt", y })) } },
  [models("dirt")]: { parent: "block/cube_all", textures: { all: "block/dirt" } },
  [textures("dirt")]: plainPng(0x775533),

  [states("grass_block")]: {
    variants: { "snowy=true": { model: "block/stone" }, "snowy=false": { model: "block/grass_block" } },
  },
  [models("grass_block")]: {
    parent: "block/block",
    textures: { top: "block/grass_top", side: "block/dirt", overlay: "block/overlay", particle: "#side" },
    elements: [
      {
        ...BOX,
        faces: {
          up: { texture: "#top", tintindex: 0 },
          down: { texture: "#side" },
          ...Object.fromEntries(
            SIDES.slice(2).map((side) => [side, { uv: [0, 0, 16, 16], texture: "#side" }]),
          ),
        },
      },
      {
        ...BOX,
        faces: Object.fromEntries(
          SIDES.slice(2).map((side) => [side, { uv: [0, 0, 16, 16], texture: "#overlay", tintindex: 0 }]),
        ),
      },
    ],
  },
  [textures("grass_top")]: plainPng(0xffffff),
  [textures("overlay")]: plainPng(0xffffff, 16, 16, 0),

  [states("oak_log")]: {
    variants: {
      "axis=x": { model: "block/oak_log", x: 90, y: 90 },
      "axis=y": { model: "block/oak_log" },
      "axis=z": { model: "block/oak_log", x: 90 },
    },
  },
  [models("oak_log")]: {
    parent: "block/cube",
    textures: {
      up: "block/log_top",
      down: "#up",
      north: "block/log",
      south: "#north",
      west: "#north",
      east: "#north",
    },
  },
  [textures("log")]: plainPng(0x664422),
  [textures("log_top")]: plainPng(0xaa8855),

  [states("oak_stairs")]: {
    variants: Object.fromEntries(
      ["east", "south", "west", "north"].flatMap((facing, turn) =>
        ["bottom", "top"].map((half) => [
          `facing=${facing},half=${half},shape=straight`,
          {
            model: "block/oak_stairs",
            uvlock: true,
            y: (turn * 90 + (half === "top" ? 0 : 0)) % 360,
            x: half === "top" ? 180 : 0,
          },
        ]),
      ),
    ),
  },
  [models("stairs")]: {
    elements: [
      {
        from: [0, 0, 0],
        to: [16, 8, 16],
        faces: Object.fromEntries(SIDES.map((side) => [side, { texture: "#all" }])),
      },
      {
        from: [8, 8, 0],
        to: [16, 16, 16],
        faces: Object.fromEntries(SIDES.slice(1).map((side) => [side, { texture: "#all" }])),
      },
    ],
  },
  [models("oak_stairs")]: { parent: "block/stairs", textures: { all: "block/planks" } },
  [textures("planks")]: plainPng(0xaa8855),

  [states("oak_fence")]: {
    multipart: [
      { apply: { model: "block/fence_post" } },
      ...["north", "east", "south", "west"].map((side, turn) => ({
        when: { [side]: "true" },
        apply: { model: "block/fence_side", y: turn * 90, uvlock: true },
      })),
    ],
  },
  [models("fence_post")]: {
    textures: { texture: "block/planks" },
    elements: [
      {
        from: [6, 0, 6],
        to: [10, 16, 10],
        faces: { up: { texture: "#texture" }, north: { texture: "#texture" } },
      },
    ],
  },
  [models("fence_side")]: {
    textures: { texture: { sprite: "block/planks" } },
    elements: [
      {
        from: [7, 12, 0],
        to: [9, 15, 9],
        faces: { north: { texture: "#texture" }, up: { texture: "#texture" } },
      },
    ],
  },

  [states("poppy")]: { variants: { "": { model: "block/poppy" } } },
  [models("poppy")]: {
    textures: { cross: "block/poppy" },
    elements: [
      {
        from: [0.8, 0, 8],
        to: [15.2, 16, 8],
        rotation: { origin: [8, 8, 8], axis: "y", angle: 45, rescale: true },
        shade: false,
        faces: {
          north: { uv: [0, 0, 16, 16], texture: "#cross" },
          south: { uv: [0, 0, 16, 16], texture: "#cross" },
        },
      },
    ],
  },
  [textures("poppy")]: plainPng(0xcc3333, 16, 16, 0),

  [states("oak_door")]: {
    variants: {
      "facing=east,half=lower,hinge=left,open=false": { model: "block/door" },
      "facing=north,half=lower,hinge=left,open=false": { model: "block/door", y: 270 },
    },
  },
  [models("door")]: {
    textures: { bottom: "block/door" },
    elements: [
      {
        from: [0, 0, 0],
        to: [3, 16, 16],
        faces: { west: { uv: [16, 0, 0, 16], texture: "#bottom", rotation: 90 } },
      },
    ],
  },
  [textures("door")]: plainPng(0x997744),

  [states("water")]: { variants: { "": { model: "block/water" } } },
  [models("water")]: { textures: { particle: "block/water_still" } },
  // Frames one below the other.
  [textures("water_still")]: plainPng(0xffffff, 16, 64, 180),

  [states("chest")]: { variants: { "": { model: "block/chest" } } },
  [models("chest")]: { textures: { particle: "block/planks" } },

  [states("light")]: { variants: { "": { model: "item/light" } } },
  [states("oak_leaves")]: { variants: { "": { model: "block/oak_leaves" } } },
  [models("oak_leaves")]: {
    parent: "block/block",
    textures: { all: "block/leaves" },
    elements: [
      { ...BOX, faces: Object.fromEntries(SIDES.map((side) => [side, { texture: "#all", tintindex: 0 }])) },
    ],
  },
  [textures("leaves")]: plainPng(0x808080),
};

/** Returns the sample with other files in it. */
export function samplePack(more: Readonly<Record<string, unknown>> = {}): Uint8Array {
  return zipBytes({ ...SAMPLE_PACK, ...more });
}
