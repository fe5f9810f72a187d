import { EditHistory } from "@orthant/client";
import { box, type Position } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { engineBuilder, WorldBuilder } from "@orthant/viewer/internal";
import { createWorld } from "@orthant/world";
import { describe, expect, onTestFinished, test } from "vitest";

/** A world with a house of brick, and the builder's tools for it. */
async function house() {
  const world = await createWorld(new MemoryDisk(), { dimensions: 3 }, { autosave: false });
  onTestFinished(() => world.close());
  await world.apply("outline brick", { in: box([0, 0, 0], [4, 3, 5]) });
  const { engine } = world;
  const news: unknown[] = [];
  const blockAt = ([x, y, z]: Position): number | undefined => world.voxelAt([x, y, z]);
  const history = new EditHistory<4>({
    voxelAt: blockAt,
    get: async (position) => blockAt(position) ?? 0,
    dataAt: () => undefined,
    data: async () => undefined,
    blocks: world.blocks,
    dataCodec: world.dataCodec,
    edit: async (placements) =>
      world.edit(placements.map(({ position: [x, y, z], block }) => ({ position: [x, y, z], block }))),
  });
  const builder = new WorldBuilder({
    source: engineBuilder(engine),
    shape: engine.shape,
    blocks: () => world.blocks,
    blockAt,
    history,
    onNews: (one) => news.push(one),
    nowMs: () => 0,
    newCanceller: () => new AbortController(),
  });
  return { world, builder, history, news };
}

const SELECTION = "box(0,0,0,4,3,5)";

describe("the builder's tools in the worker", () => {
  test("copy, turn and paste, and undo and do it again", async () => {
    const { world, builder } = await house();
    const copied = await builder.answer({ kind: "copy", selection: SELECTION, isCut: false });
    expect(copied).toMatchObject({ kind: "clipboard", picture: { extents: [4, 3, 5, 1] }, count: undefined });
    const turned = await builder.answer({ kind: "turn", turn: { rotate: "xz", turns: 1 } });
    expect(turned).toMatchObject({ kind: "clipboard", picture: { extents: [5, 3, 4, 1] } });
    const brick = world.blocks.id("brick");
    expect(turned.kind === "clipboard" && turned.picture.blocks?.filter((id) => id === brick)).toHaveLength(
      54,
    );
    expect(await builder.answer({ kind: "paste", at: [20, 0, 20, 0] })).toEqual({ kind: "done", count: 54 });
    expect(await world.get([24, 2, 23])).toBe(brick);
    expect(await builder.answer({ kind: "undo" })).toEqual({ kind: "done", count: 54 });
    expect(await world.get([24, 2, 23])).toBe(0);
    expect(await builder.answer({ kind: "redo" })).toEqual({ kind: "done", count: 54 });
    expect(await world.get([24, 2, 23])).toBe(brick);
  });

  test("cut, and do operations in the selection", async () => {
    const { world, builder } = await house();
    expect(await builder.answer({ kind: "copy", selection: SELECTION, isCut: true })).toMatchObject({
      count: 54,
    });
    expect(await world.get([0, 0, 0])).toBe(0);
    expect(await builder.answer({ kind: "run", text: "set stone", selection: SELECTION })).toEqual({
      kind: "done",
      count: 60,
    });
    expect(await builder.answer({ kind: "run", text: "set stone", selection: undefined })).toMatchObject({
      kind: "failed",
      fault: { text: expect.stringContaining("select first") },
    });
  });

  test("undo edits of the brush and operations in the order in which they were done", async () => {
    const { world, builder, history, news } = await house();
    await builder.answer({ kind: "run", text: "set stone", selection: "box(9,0,0,10,1,1)" });
    await history.edit([{ position: [9, 0, 0, 0], block: world.blocks.id("lamp") }]);
    builder.noteEdit(1);
    expect(news.at(-1)).toEqual({
      kind: "steps",
      steps: [
        { text: "set stone", count: 1, isUndone: false },
        { text: "brush", count: 1, isUndone: false },
      ],
    });
    await builder.answer({ kind: "undo" });
    expect(await world.get([9, 0, 0])).toBe(world.blocks.id("stone"));
    await builder.answer({ kind: "undo" });
    expect(await world.get([9, 0, 0])).toBe(0);
    expect(await builder.answer({ kind: "undo" })).toEqual({ kind: "nothing" });
    await builder.answer({ kind: "redo" });
    await builder.answer({ kind: "redo" });
    expect(await world.get([9, 0, 0])).toBe(world.blocks.id("lamp"));
    expect(await builder.answer({ kind: "redo" })).toEqual({ kind: "nothing" });
  });

  test("select what is connected by blocks of one type", async () => {
    const { world, builder } = await house();
    await world.set([9, 0, 0], world.blocks.id("brick"));
    const found = await builder.answer({ kind: "wand", at: [0, 0, 0, 0] });
    expect(found).toMatchObject({
      kind: "selected",
      selection: "connected(0,0,0,brick,100000)",
      box: { min: [0, 0, 0, 0], max: [4, 3, 5, 1] },
      count: 54,
    });
    expect(await builder.answer({ kind: "wand", at: [1, 1, 1, 0] })).toEqual({ kind: "nothing" });
    const selection = found.kind === "selected" ? found.selection : "";
    expect(await builder.answer({ kind: "run", text: "set glass", selection })).toMatchObject({ count: 54 });
  });

  test("complete a line, and point at a mistake in it", async () => {
    const { builder } = await house();
    expect(await builder.answer({ kind: "complete", text: "replace bri" })).toEqual({
      kind: "completed",
      from: 8,
      words: ["brick"],
      fault: undefined,
    });
    expect(await builder.answer({ kind: "complete", text: "repalce stone " })).toMatchObject({
      words: [],
      fault: { column: 1, text: expect.stringContaining("expected an operation") },
    });
    expect(await builder.answer({ kind: "run", text: "set stonne", selection: SELECTION })).toMatchObject({
      kind: "failed",
      fault: { column: undefined, text: expect.stringContaining('the nearest is "stone"') },
    });
  });

  test("cancel what is being done, and do one thing at a time", async () => {
    const { world, builder } = await house();
    const selection = "box(0,100,0,128,228,128)";
    const running = builder.answer({ kind: "run", text: "set stone", selection });
    expect(await builder.answer({ kind: "run", text: "set lamp", selection })).toMatchObject({
      fault: { text: "wait for the last operation to end" },
    });
    await builder.answer({ kind: "cancel" });
    expect(await running).toEqual({
      kind: "failed",
      fault: { text: "cancelled; nothing was changed", column: undefined },
    });
    expect(await world.get([0, 100, 0])).toBe(0);
  });
});
