import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NewBlockType } from "@orthant/core/chunk";
import { ifInstalled } from "../peer-stores.ts";

/** The blocks of Minecraft 1.21.4, one a line, as {@link linesOf} writes them. */
const FILE = join("benchmarks", "blocks", "minecraft-1.21.4.txt");

/** A block in `minecraft-data`. */
interface MinecraftBlock {
  readonly name: string;
  readonly minStateId: number;
  readonly transparent: boolean;
  readonly emitLight: number;
  readonly boundingBox: "block" | "empty";
  readonly material: string;
  readonly states: readonly { readonly name: string; readonly values?: readonly string[] }[];
}

/** A type with the id that the game itself gives to its first state. */
export type MinecraftType = NewBlockType & Required<Pick<NewBlockType, "properties" | "tags">>;

/**
 * Returns the block types of Minecraft 1.21.4 from a file in this repository. If `minecraft-data`, which takes 430 MB,
 * is installed in benchmarks/peers, the file must say the same.
 */
export function minecraftTypes(): readonly MinecraftType[] {
  const lines = readFileSync(FILE, "utf8").trimEnd().split("\n");
  const blocks = lines.filter((line) => !line.startsWith("#"));
  const original = ifInstalled("minecraft-data", (load) => {
    const data = load("minecraft-data") as (version: string) => { blocksArray: readonly MinecraftBlock[] };
    return linesOf(data("1.21.4").blocksArray);
  });
  if (original !== undefined && original.join("\n") !== blocks.join("\n")) {
    throw new Error(`${FILE} is not what minecraft-data says`);
  }
  return blocks.map(typeOf);
}

/** Returns a line for each block: its name, first state, looks, light, materials, and its properties. */
function linesOf(blocks: readonly MinecraftBlock[]): readonly string[] {
  return blocks.map(({ name, minStateId, transparent, emitLight, boundingBox, material, states }) => {
    const looks = `${boundingBox === "block" ? "solid" : "passable"} ${transparent ? "clear" : "opaque"}`;
    const properties = states.map(
      (state) => `${state.name}=${(state.values ?? ["true", "false"]).join(",")}`,
    );
    return [name, minStateId, looks, emitLight, material, ...properties].join(" ");
  });
}

function typeOf(line: string): MinecraftType {
  const [name = "", id, movement, sight, light, material = "", ...properties] = line.split(" ");
  return {
    id: Number(id),
    name: name === "air" ? name : `minecraft:${name}`,
    // The data has no colours. These are all different, so that none is shorter than a real one.
    colour: (Math.imul(Number(id) + 1, 0x9e_37_79) >>> 0) & 0xff_ffff,
    solid: movement === "solid",
    transparent: sight === "clear",
    light: Number(light),
    tags: material.split(";"),
    properties: properties.map((text) => {
      const [property = "", values = ""] = text.split("=");
      return { name: property, values: values.split(",") };
    }),
  };
}
