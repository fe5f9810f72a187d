import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { inflateSync } from "node:zlib";
import { Prng } from "@orthant/testkit";
import { goldenPath } from "@orthant/testkit/golden";
import { createWorld } from "orthant";
import { beforeAll, describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";

const READERS = resolve("tools/readers");
const hasReaders = existsSync(join(READERS, "node_modules"));
if (!hasReaders) process.stderr.write("readers: SKIPPED; npm ci --prefix tools/readers installs them\n");
const load = createRequire(join(READERS, "package.json"));

/** States of the one block with properties: above 127, a voxel of a schematic takes two bytes, and one of a region 8 bits. */
const STATES = 200;
const POWERS = Array.from({ length: STATES }, (_, at) => String(at));
const [MIN, MAX] = [
  [-16, 0, -16],
  [16, 32, 16],
] as const;
const BOX = `${MIN.join()}..${MAX.join()}`;

type Voxels = ReadonlyMap<string, string>;

/** A tag of NBT as prismarine-nbt returns it without its types. */
interface Plain {
  readonly [name: string]: unknown;
}

async function readNbt(bytes: Uint8Array): Promise<Plain> {
  const { parse, simplify } = load("prismarine-nbt") as {
    parse(bytes: Buffer): Promise<{ readonly parsed: object }>;
    simplify(parsed: object): Plain;
  };
  return simplify((await parse(Buffer.from(bytes))).parsed);
}

function stateName(name: string, properties: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(properties).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? name : `${name}[${pairs.sort().join()}]`;
}

/** Reads a Sponge schematic of version 3 as its specification says. */
async function voxelsOfSchematic(file: string): Promise<Voxels> {
  const root = await readNbt(readFileSync(file));
  const { Version, Width, Length, Blocks } = root["Schematic"] as {
    readonly Version: number;
    readonly Width: number;
    readonly Length: number;
    readonly Blocks: { readonly Palette: Readonly<Record<string, number>>; readonly Data: readonly number[] };
  };
  expect(Version).toBe(3);
  const names = new Map(Object.entries(Blocks.Palette).map(([name, index]) => [index, name]));
  const voxels = new Map<string, string>();
  let [index, value, shift] = [0, 0, 0];
  for (const byte of Blocks.Data) {
    value |= (byte & 127) << shift;
    shift += 7;
    if ((byte & 128) !== 0) continue;
    const [x, z] = [index % Width, Math.floor(index / Width) % Length];
    const y = Math.floor(index / Width / Length);
    const name = names.get(value) ?? "";
    if (name !== "minecraft:air") voxels.set(`${x + MIN[0]},${y + MIN[1]},${z + MIN[2]}`, name);
    [index, value, shift] = [index + 1, 0, 0];
  }
  return voxels;
}

interface Section {
  readonly Y: number;
  readonly block_states: {
    readonly palette: readonly { readonly Name: string; readonly Properties?: Record<string, string> }[];
    readonly data?: readonly (readonly [high: number, low: number])[];
  };
}

/** Reads the columns of a region file as the Minecraft wiki describes them. */
async function voxelsOfRegion(file: string): Promise<Voxels> {
  const bytes = readFileSync(file);
  const voxels = new Map<string, string>();
  for (let slot = 0; slot < 1_024; slot++) {
    const sector = bytes.readUIntBE(slot * 4, 3);
    if (sector === 0) continue;
    const length = bytes.readUInt32BE(sector * 4_096);
    expect(bytes[sector * 4_096 + 4], "zlib").toBe(2);
    const start = sector * 4_096 + 5;
    const column = await readNbt(inflateSync(bytes.subarray(start, start + length - 1)));
    const [chunkX, chunkZ] = [column["xPos"] as number, column["zPos"] as number];
    for (const { Y, block_states } of column["sections"] as readonly Section[]) {
      const names = block_states.palette.map(({ Name, Properties }) => stateName(Name, Properties));
      const indices = indicesOf(names.length, block_states.data);
      for (const [at, index] of indices.entries()) {
        const place = [chunkX * 16 + (at & 15), Y * 16 + (at >> 8), chunkZ * 16 + ((at >> 4) & 15)];
        if (names[index] !== "minecraft:air") voxels.set(place.join(), names[index] ?? "");
      }
    }
  }
  return voxels;
}

/** Since 1.16 an index does not cross the border of a long. */
function indicesOf(
  count: number,
  longs: readonly (readonly [high: number, low: number])[] | undefined,
): readonly number[] {
  if (longs === undefined) return Array.from({ length: 4_096 }, () => 0);
  const bits = Math.max(4, Math.ceil(Math.log2(count)));
  const each = Math.floor(64 / bits);
  return Array.from({ length: 4_096 }, (_, at) => {
    const [high, low] = longs[Math.floor(at / each)] as readonly [number, number];
    const long = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
    return Number((long >> BigInt((at % each) * bits)) & ((1n << BigInt(bits)) - 1n));
  });
}

describe.skipIf(!hasReaders)("what orthant export writes, read by other programs", () => {
  let folder: string;
  const states = new Map<string, string>();
  const colours = new Map<string, number>();

  beforeAll(async () => {
    folder = await temporaryFolder();
    const world = await createWorld(join(folder, "world"), { dimensions: 3 });
    const blocks = await world.defineBlocks({
      "minecraft:redstone_lamp": { colour: 0xff_c0_40 },
      "minecraft:redstone_wire": { colour: 0x20_40_60, properties: { power: POWERS } },
    });
    const random = new Prng(3);
    const placements: { position: readonly [number, number, number]; block: number }[] = [];
    for (let x = MIN[0]; x < MAX[0]; x++) {
      for (let y = MIN[1]; y < MAX[1]; y++) {
        for (let z = MIN[2]; z < MAX[2]; z++) {
          // Half of it is air, and one column of chunks has few states.
          const power = POWERS[random.below(x < 0 && z < 0 ? 3 : STATES)] ?? "0";
          const isLamp = random.below(8) === 0;
          if (random.below(2) === 0) continue;
          const name = isLamp ? "minecraft:redstone_lamp" : `minecraft:redstone_wire[power=${power}]`;
          states.set(`${x},${y},${z}`, name);
          colours.set(`${x},${y},${z}`, isLamp ? 0xff_c0_40 : 0x20_40_60);
          const block = isLamp
            ? blocks["minecraft:redstone_lamp"].id()
            : blocks["minecraft:redstone_wire"].id({ power });
          placements.push({ position: [x, y, z], block });
        }
      }
    }
    await world.edit(placements);
    await world.close();
  }, 60_000);

  test("[EX1] [EX2] a schematic has every voxel, by prismarine-nbt", async () => {
    const file = join(folder, "part.schem");
    await capture(["export", join(folder, "world"), file, "--box", BOX, "--accept-loss"]);
    expect(await voxelsOfSchematic(file)).toEqual(states);
  });

  test.each(["r.0.0.mca", "r.-1.0.mca", "r.0.-1.mca", "r.-1.-1.mca"])(
    "[EX9] [EX10] the region %s has every voxel of its columns, by prismarine-nbt",
    async (name) => {
      const file = join(folder, name);
      await capture(["export", join(folder, "world"), file, "--accept-loss"]);
      const [, x, z] = name.split(".").map(Number) as [number, number, number];
      const own = [...states].filter(([place]) => {
        const [atX = 0, , atZ = 0] = place.split(",").map(Number);
        return atX < 0 === x < 0 && atZ < 0 === z < 0;
      });
      expect(own.length).toBeGreaterThan(1_000);
      expect(await voxelsOfRegion(file)).toEqual(new Map(own));
    },
  );

  test("[EX5] [EX6] a model has every voxel with its colour, by vox-reader", async () => {
    const file = join(folder, "part.vox");
    await capture(["export", join(folder, "world"), file, "--box", BOX, "--accept-loss"]);
    const read = load("vox-reader") as (bytes: Buffer) => {
      readonly xyzi: { readonly values: readonly { x: number; y: number; z: number; i: number }[] };
      readonly rgba: { readonly values: readonly { r: number; g: number; b: number }[] };
    };
    const { xyzi, rgba } = read(readFileSync(file));
    const found = new Map<string, number>();
    for (const { x, y, z, i } of xyzi.values) {
      const { r, g, b } = rgba.values[i - 1] as { r: number; g: number; b: number };
      found.set(`${x + MIN[0]},${z + MIN[1]},${MAX[2] - 1 - y}`, r * 0x1_0000 + g * 0x100 + b);
    }
    expect(found).toEqual(colours);
  });
});

const PEERS = resolve("benchmarks/peers");
const REGION = goldenPath("imports/minecraft/1.20.6/r.0.0");
const hasAnvil =
  existsSync(join(PEERS, "node_modules/prismarine-provider-anvil")) && existsSync(`${REGION}.mca`);
if (!hasAnvil)
  process.stderr.write(
    "anvil: SKIPPED, without golden saves or what npm ci --prefix benchmarks/peers installs\n",
  );

interface AnvilColumn {
  getBlock(at: { readonly x: number; readonly y: number; readonly z: number }): {
    readonly name: string;
    getProperties(): Record<string, string>;
  };
}

describe.skipIf(!hasAnvil)("a region that was imported and exported again", () => {
  test("[EX9] has the blocks of the original, by prismarine-provider-anvil", async () => {
    const folder = await temporaryFolder();
    await capture(["convert", `${REGION}.mca`, join(folder, "world"), "--accept-loss"]);
    await capture(["export", join(folder, "world"), join(folder, "r.0.0.mca"), "--accept-loss"]);
    const { Anvil } = createRequire(join(PEERS, "package.json"))("prismarine-provider-anvil") as {
      Anvil(version: string): new (
        folder: string,
      ) => {
        load(x: number, z: number): Promise<AnvilColumn | null>;
      };
    };
    const provider = new (Anvil("1.21.1"))(folder);
    const { samples } = JSON.parse(readFileSync(`${REGION}.expected.json`, "utf8")) as {
      readonly samples: readonly (readonly [x: number, y: number, z: number, state: string])[];
    };
    let compared = 0;
    for (const [x, y, z, state] of samples) {
      const column = await provider.load(x >> 4, z >> 4);
      // Columns that the game had not finished are not imported.
      if (column === null) continue;
      const block = column.getBlock({ x: x & 15, y, z: z & 15 });
      const found = stateName(`minecraft:${block.name}`, block.getProperties());
      expect(found.replace(/(?:cave_|void_)air$/, "air")).toBe(state.replace(/(?:cave_|void_)air$/, "air"));
      compared++;
    }
    expect(compared).toBeGreaterThanOrEqual(100);
  }, 120_000);
});
