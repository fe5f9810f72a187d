import { box, type Chunk, CUBE_CHUNKS, emptyChunk, type Position, uniformChunk } from "@orthant/core";
import { Axes } from "@orthant/core/lattice";
import { ChunksEdit, PLAIN_DATA } from "@orthant/core/world";
import { describe, expect, test } from "vitest";

const CHUNKS: readonly Position[] = Array.from({ length: 256 }, (_, x) => [x, 0, 0, 0]);
const VOXELS = CUBE_CHUNKS.volume;

/** Returns an edit that filled 256 chunks of air with stone, and how many chunks were compared. */
function filled(after: (chunk: Position) => Chunk = () => uniformChunk(VOXELS, 1)) {
  let compared = 0;
  const edit = new ChunksEdit(new Axes<3>(CUBE_CHUNKS), CUBE_CHUNKS, CHUNKS, {
    before: () => emptyChunk(VOXELS),
    after: (chunk) => {
      compared++;
      return after(chunk);
    },
    author: 7n,
    codec: PLAIN_DATA,
  });
  return { edit, compared: () => compared };
}

describe("the changes of an edit of a million voxels", () => {
  test("cost nothing until they are read, and then one chunk for the first", () => {
    const { edit, compared } = filled();
    expect([edit.chunks.length, edit.author, compared()]).toEqual([256, 7n, 0]);
    const [first] = edit.changes;
    expect(first).toEqual({ position: [0, 0, 0], block: 1, before: 0 });
    expect(compared()).toBe(1);
    expect(edit.changes.some(({ position: [x] }) => x === 17)).toBe(true);
    expect(compared(), "two more until the second chunk").toBe(3);
    expect(edit.changes.every(({ position: [x] }) => x < 40)).toBe(false);
    expect(compared(), "three more until the third").toBe(6);
  });

  test("lie in a box of chunks that needs no comparison", () => {
    const { edit, compared } = filled();
    expect(edit.box).toEqual(box([0, 0, 0], [4_096, 16, 16]));
    expect(compared()).toBe(0);
  });

  test("are counted once, without being made", () => {
    const { edit, compared } = filled();
    expect([edit.count, edit.count]).toEqual([2 ** 20, 2 ** 20]);
    expect(compared()).toBe(256);
  });

  test("can be read again, from the first one on, and are those that differ in block or data", () => {
    const changed = emptyChunk(VOXELS)
      .set(5, 3)
      .editData([{ index: 9, data: Uint8Array.of(1) }]);
    const { edit } = filled(([x]) => (x === 1 ? changed : emptyChunk(VOXELS)));
    const all = [...edit.changes];
    expect(all).toEqual([
      { position: [21, 0, 0], block: 3, before: 0 },
      { position: [25, 0, 0], block: 0, before: 0, data: expect.anything() },
    ]);
    expect([...edit.changes]).toEqual(all);
    expect(edit.count).toBe(2);
    expect([
      edit.changes.every(({ before }) => before === 0),
      edit.changes.some(({ block }) => block === 9),
    ]).toEqual([true, false]);
  });

  test("refuse a test that is not a function", () => {
    const { edit } = filled();
    expect(() => edit.changes.some(5 as never)).toThrow("test is 5");
    expect(() => edit.changes.every(undefined as never)).toThrow("test is undefined");
  });
});
