import { OrthantError } from "@orthant/core";
import { requireBytes } from "@orthant/core/arguments";
import type { NbtCompound } from "../nbt/nbt-compound.ts";
import { readNbtFile } from "../nbt/nbt-file.ts";
import type { Triple } from "../part/voxel-part.ts";

/** Maximum bytes of a `level.dat` before compression; mods keep their tables in it. */
const LEVEL_BYTES_MAX = 16_777_216;

/** What `level.dat` says about a Minecraft world. */
export interface MinecraftLevel {
  readonly name: string | undefined;
  readonly seed: bigint | undefined;
  readonly spawn: Triple | undefined;
  /** Version of the data; `undefined` before 1.9. */
  readonly dataVersion: number | undefined;
  /** Such as `1.20.6`; `undefined` before 1.9. */
  readonly gameVersion: string | undefined;
  /** Such as `flat`; `undefined` from 1.16 on. */
  readonly generator: string | undefined;
}

/** Reads the bytes of `level.dat`. Throws `ORT_FOREIGN` if they are NBT of another kind. */
export async function readMinecraftLevel(bytes: Uint8Array): Promise<MinecraftLevel> {
  requireBytes("bytes", bytes);
  const { root } = await readNbtFile(bytes, LEVEL_BYTES_MAX);
  const data = root.compound("Data");
  if (data === undefined)
    throw new OrthantError("ORT_FOREIGN", "the NBT has no compound Data, as level.dat has");
  return {
    name: data.text("LevelName"),
    seed: data.long("RandomSeed") ?? data.compound("WorldGenSettings")?.long("seed"),
    spawn: spawnOf(data),
    dataVersion: data.integer("DataVersion"),
    gameVersion: data.compound("Version")?.text("Name"),
    generator: data.text("generatorName"),
  };
}

function spawnOf(data: NbtCompound): Triple | undefined {
  const [x, y, z] = [data.integer("SpawnX"), data.integer("SpawnY"), data.integer("SpawnZ")];
  if (x !== undefined && y !== undefined && z !== undefined) return [x, y, z];
  return data.compound("spawn")?.triple("pos");
}
