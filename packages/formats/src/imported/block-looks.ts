import { encodeUtf8, hash64 } from "@orthant/core/bytes";
import type { NewBlockType } from "@orthant/core/chunk";

/** Colours of blocks by a part of their name; the first one that fits counts. */
const COLOURS: readonly (readonly [part: RegExp, colour: number])[] = [
  [/water|seagrass|kelp/, 0x3f76e4],
  [/lava|magma/, 0xd4671a],
  [/grass_block|^grass$|tall_grass|short_grass|fern|vine|lily|sugar_cane|cactus/, 0x6fa84f],
  [/leaves|sapling/, 0x4b7a2b],
  [/mycelium|podzol|farmland|path|dirt|mud/, 0x866043],
  [/deepslate|basalt|blackstone|obsidian|bedrock|coal/, 0x4a4a4f],
  [/red_sand/, 0xbe6621],
  [/sand|end_stone|bone/, 0xdbd3a0],
  [/snow|quartz|diorite|calcite/, 0xeeeeea],
  [/ice/, 0x91b7fd],
  [/gravel|clay/, 0x8f8a88],
  [/netherrack|nether|crimson/, 0x6f3535],
  [/gold|hay|sponge/, 0xe8c84a],
  [/spruce|dark_oak/, 0x5f4527],
  [/log|planks|oak|wood|fence|chest|crafting|bookshelf|birch|acacia|jungle|mangrove|cherry/, 0xa2834f],
  [/light_blue/, 0x3ab3da],
  [/light_gray|silver/, 0x9d9d97],
  [/white/, 0xf0f0f0],
  [/orange|pumpkin|copper/, 0xf07613],
  [/magenta/, 0xbd44b3],
  [/yellow/, 0xf8c527],
  [/lime|slime|melon|emerald/, 0x70b919],
  [/pink/, 0xed8dac],
  [/gray/, 0x3e4447],
  [/cyan|prismarine|diamond|warped/, 0x158991],
  [/purple|purpur|amethyst|portal/, 0x792aac],
  [/blue|lapis/, 0x35399d],
  [/brown/, 0x724728],
  [/green/, 0x546d1b],
  [/red|brick|tnt|terracotta/, 0xa12722],
  [/black/, 0x1d1d21],
  [/glass/, 0xc8e6ea],
  [/stone|ore|andesite|tuff|cobble|granite|iron|anvil|furnace|concrete/, 0x7d7d7d],
];
const NOT_SOLID =
  /water|lava|fire|torch|rail|redstone_wire|sapling|flower|poppy|dandelion|tulip|orchid|allium|bluet|daisy|bush|fern|^grass$|tall_grass|short_grass|seagrass|kelp|vine|mushroom$|wheat|carrots|potatoes|beetroots|sugar_cane|button|lever|pressure_plate|sign|banner|cobweb|portal|tripwire|carpet/;
const TRANSPARENT =
  /water|glass|(?:^|_)ice$|leaves|torch|rail|redstone_wire|sapling|flower|poppy|dandelion|tulip|orchid|allium|bluet|daisy|bush|fern|^grass$|tall_grass|short_grass|seagrass|kelp|vine|fence|door|ladder|button|lever|sign|pane|bars|cobweb|portal|tripwire|wheat|carrots|potatoes|beetroots|sugar_cane/;
const BRIGHT = /lava|(?:^|_)fire$|glowstone|sea_lantern|lantern|shroomlight|torch|beacon|magma|portal/;

/** Returns how a block of Minecraft looks and behaves, as far as its name says it. */
export function looksOfBlock(name: string): Pick<NewBlockType, "colour" | "solid" | "transparent" | "light"> {
  const own = name.slice(name.indexOf(":") + 1);
  const colour = COLOURS.find(([part]) => part.test(own))?.[1];
  return {
    colour: colour ?? Number(hash64(encodeUtf8(own)) & 0xff_ffffn),
    solid: !NOT_SOLID.test(own),
    transparent: TRANSPARENT.test(own),
    light: BRIGHT.test(own) ? 15 : 0,
  };
}
