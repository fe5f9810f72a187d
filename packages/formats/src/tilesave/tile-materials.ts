import { MaterialCatalog } from "@orthant/core";

/** Materials of the original game, by its numbers. */
export const TILE_MATERIALS: MaterialCatalog = new MaterialCatalog([
  { id: 0, name: "air", colour: 0x00_0000, solid: false },
  { id: 1, name: "dirt", colour: 0x7a_5a_3c, solid: true },
  { id: 2, name: "stone", colour: 0x86_88_8c, solid: true },
  { id: 3, name: "grass", colour: 0x5d_9c_48, solid: true },
  { id: 4, name: "water", colour: 0x3f_78_c4, solid: false },
  { id: 5, name: "wood", colour: 0x98_6d_40, solid: true },
  { id: 6, name: "leaves", colour: 0x3f_80_3c, solid: false },
  { id: 7, name: "coal ore", colour: 0x3c_3d_42, solid: true },
  { id: 8, name: "torch", colour: 0xff_d9_7a, solid: false },
  { id: 9, name: "workbench", colour: 0xb0_7e_48, solid: true },
]);
