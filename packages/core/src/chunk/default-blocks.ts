import { type Block, BlockCatalog } from "./block-catalog.ts";

/** The catalog of a world without its own. */
export const DEFAULT_BLOCKS: BlockCatalog = new BlockCatalog([
  passable(0, "air", 0x00_0000),
  solid(1, "stone", 0x8a_8d_91),
  solid(2, "soil", 0x7a_54_38),
  solid(3, "grass", 0x5f_a0_45),
  solid(4, "sand", 0xe2_cf_8f),
  passable(5, "water", 0x3b_79_c9),
  solid(6, "wood", 0x9c_6f_3d),
  passable(7, "leaves", 0x3d_7d_3a),
  solid(8, "coal ore", 0x3a_3b_40),
  solid(9, "iron ore", 0xc0_8a_68),
  solid(10, "gold ore", 0xe9_b9_3a),
  solid(11, "brick", 0xa8_4a_3a),
  solid(12, "glass", 0xb9_e0_e6),
  solid(13, "lamp", 0xff_e9_a3),
  solid(14, "snow", 0xf3_f6_f8),
  passable(15, "lava", 0xee_5a_1e),
]);

function solid(id: number, name: string, colour: number): Block {
  return { id, name, colour, solid: true };
}

function passable(id: number, name: string, colour: number): Block {
  return { id, name, colour, solid: false };
}
