import { flattenBlock } from "@orthant/formats/readers";
import { expect, test } from "vitest";

test.each([
  ["0:0", "minecraft:air"],
  ["1:5", "minecraft:andesite"],
  ["17:4", "minecraft:oak_log[axis=x]"],
  ["53:6", "minecraft:oak_stairs[facing=south,half=top,shape=straight]"],
  ["59:7", "minecraft:wheat[age=7]"],
  ["251:14", "minecraft:red_concrete"],
])("[IM21] %s is %s", (numbers, state) => {
  expect(flattenBlock(numbers)).toEqual({ state, isExact: true });
});

test.each([
  ["54:0", "minecraft:chest[facing=north,type=single]"],
  ["0:7", "minecraft:air"],
  ["84:2", "minecraft:jukebox[has_record=false]"],
])("[IM21] %s, which no table lists, is taken as %s", (numbers, state) => {
  expect(flattenBlock(numbers)).toEqual({ state, isExact: false });
});

test.each(["253:0", "4095:15", "stone", "1:2:3", ""])("[IM21] %j has no state", (numbers) => {
  expect(flattenBlock(numbers)).toBeUndefined();
});
