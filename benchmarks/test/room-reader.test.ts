import type { Position } from "@orthant/core";
import { fromHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { RoomReader } from "../rooms/room-reader.ts";

/** What `@colyseus/schema` 5.0.34 wrote for a room with the voxels 10 and 4095 of the chunk (-1, 0, 2, 3). */
const STATE = "8001 ff01 8000 a82d312c302c322c33 02 ff02 8003 ff03 8000a16105 8001a3333572cd2c01";
/** It then set the voxel 35, and 10 once more. */
const PATCH = "ff03 8002a17a07 000006";
/** It then set the voxel 0 of the chunk (0, 0, 0, 0). */
const PATCH_OF_ANOTHER_CHUNK = "ff01 8001a7302c302c302c3004 ff04 8005 ff05 8000a13001";

function editsIn(reader: RoomReader, hex: string): readonly string[] {
  const edits: string[] = [];
  const count = reader.read(fromHex(hex), (chunk: Position, index) => edits.push(`${chunk.join()} ${index}`));
  expect(edits).toHaveLength(count);
  return edits;
}

describe("a reader of Colyseus rooms", () => {
  test("finds every voxel of a state and of the patches after it", () => {
    const reader = new RoomReader();
    expect(editsIn(reader, STATE)).toEqual(["-1,0,2,3 10", "-1,0,2,3 4095"]);
    expect(editsIn(reader, PATCH)).toEqual(["-1,0,2,3 35", "-1,0,2,3 10"]);
    expect(editsIn(reader, PATCH_OF_ANOTHER_CHUNK)).toEqual(["0,0,0,0 0"]);
  });

  test("counts the same patch alike for each client that reads it", () => {
    const reader = new RoomReader();
    reader.read(fromHex(STATE));
    expect([reader.read(fromHex(PATCH)), reader.read(fromHex(PATCH))]).toEqual([2, 2]);
  });

  test("refuses a patch whose chunk or voxel it has not read before", () => {
    expect(() => new RoomReader().read(fromHex(PATCH))).toThrow("unknown structure 3");
    const reader = new RoomReader();
    reader.read(fromHex(STATE));
    expect(() => reader.read(fromHex("ff03 000906"))).toThrow("operation 0 on entry 9");
  });

  test("refuses a patch cut at every byte that is not the end of an entry", () => {
    const bytes = fromHex(PATCH);
    const ends = new Set([0, 2, 7, 10]);
    for (let length = 0; length <= bytes.length; length++) {
      const reader = new RoomReader();
      reader.read(fromHex(STATE));
      const read = (): number => reader.read(bytes.subarray(0, length));
      if (ends.has(length)) expect(read, `${length} bytes`).not.toThrow();
      else expect(read, `${length} bytes`).toThrow();
    }
  });
});
