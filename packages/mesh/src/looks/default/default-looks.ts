import type { LookPack } from "../look-pack.ts";
import { parseLooks } from "../pack/parse-looks.ts";
import type { TexturePicture } from "../texture-stack.ts";
import { DEFAULT_LOOKS } from "./looks.ts";
import {
  paintBark,
  paintBricks,
  paintFringe,
  paintGlass,
  paintGrass,
  paintLamp,
  paintLeaves,
  paintLiquid,
  paintOre,
  paintPlanks,
  paintRings,
  paintSand,
  paintSnow,
  paintSoil,
  paintStone,
  paintStones,
  type TexturePainter,
} from "./materials.ts";
import {
  paintChest,
  paintDoor,
  paintFlower,
  paintFurnace,
  paintLadder,
  paintMetal,
  paintTallGrass,
  paintTorch,
} from "./things.ts";

const GRASS = 0x6a9f4b;
const SOIL = 0x7d5a3c;
const STONE = 0x8b8c88;
const PLANKS = 0xb08551;
const LOG = 0x6b4a2f;

const stone = paintStone(STONE);
const soil = paintSoil(SOIL);

/** The painter of each texture, and how many variants of it are painted. */
const PAINTERS: readonly (readonly [name: string, paint: TexturePainter, variants: number])[] = [
  ["stone", stone, 3],
  ["soil", soil, 3],
  ["grass", paintGrass(GRASS), 4],
  ["grass-side", paintFringe(soil, GRASS, 200), 2],
  ["sand", paintSand(0xdcc990), 3],
  ["water", paintLiquid(0x3f76b5, 3, 190), 1],
  ["log", paintBark(LOG), 1],
  ["log-end", paintRings(PLANKS, LOG), 1],
  ["leaves", paintLeaves(0x4d8a3f), 3],
  ["coal-ore", paintOre(stone, 100, 0x3a3a3d), 1],
  ["iron-ore", paintOre(stone, 101, 0xc99b7a), 1],
  ["gold-ore", paintOre(stone, 102, 0xe3be4c), 1],
  ["brick", paintBricks(0xa4523f, 0xb9ac9b), 1],
  ["glass", paintGlass(0xcfe6ea), 1],
  ["lamp", paintLamp(0xffe2a0, 0x9c7238), 1],
  ["snow", paintSnow(0xeef3f6), 2],
  ["lava", paintLiquid(0xe8692a, 7, 255), 1],
  ["planks", paintPlanks(PLANKS), 1],
  ["cobble", paintStones(0x85837e, 5, 4), 2],
  ["gravel", paintStones(0x8f8780, 4, 6), 2],
  ["clay", paintSnow(0x9aa3ab), 2],
  ["ice", paintLiquid(0xa9cfe8, 3, 205), 1],
  ["copper", paintMetal(0xb8774a), 1],
  ["chest-front", paintChest(PLANKS, true), 1],
  ["chest-side", paintChest(PLANKS, false), 1],
  ["furnace-front", paintFurnace(0x7c7b78, "front"), 1],
  ["furnace-lit", paintFurnace(0x7c7b78, "lit"), 1],
  ["furnace-side", paintFurnace(0x7c7b78, "wall"), 1],
  ["torch", paintTorch(LOG), 1],
  ["ladder", paintLadder(PLANKS), 1],
  ["door-upper", paintDoor(PLANKS, true), 1],
  ["door-lower", paintDoor(PLANKS, false), 1],
  ["tall-grass", paintTallGrass(GRASS), 1],
  ["flower-red", paintFlower(GRASS, 0xc9473f, 0xf2c84b), 1],
  ["flower-yellow", paintFlower(GRASS, 0xeac645, 0xb5752a), 1],
];

let pack: LookPack | undefined;

/**
 * Returns the look pack of Orthant, with textures of 16 x 16 pixels that code paints: for the blocks of a world without
 * its own, and for others with usual names, such as planks, stairs and a door.
 *
 * @example
 * const looks = looksOf(defaultLooks(), world.blocks);
 */
export function defaultLooks(): LookPack {
  // All callers share it.
  pack ??= Object.freeze(parseLooks(DEFAULT_LOOKS, paintAll()));
  return pack;
}

/** Paints all textures: `stone`, and its other variants as `stone-2` and so on. */
function paintAll(): ReadonlyMap<string, TexturePicture> {
  const pictures = new Map<string, TexturePicture>();
  for (const [index, [name, paint, variants]] of PAINTERS.entries()) {
    for (let variant = 1; variant <= variants; variant++) {
      const seed = (index + 1) * 100 + variant;
      pictures.set(variant === 1 ? name : `${name}-${variant}`, paint(seed));
    }
  }
  return pictures;
}
