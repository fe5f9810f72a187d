import type { Position } from "@orthant/core";
import { GeneratorRef } from "@orthant/core/generate";
import { regionBox } from "@orthant/core/lattice";
import { describe, expect, test } from "vitest";
import { boxesOf, Stage, tileIn } from "./sample-session.ts";

/** The floor is at voxels -2 and -1 of y: regions below 0 contain it, those above are air. */
const ABOVE: Position = [0, 0, 0, 0];
const BELOW: Position = [0, -1, 0, 0];
const OTHERS = { generators: [1n] };

/** A tile in the chunk that contains the floor. */
const FLOOR_TILE = { voxel: [5, -2, 0, 0] as Position, block: 9 };

describe("a client with other generators", () => {
  test("gets every chunk, and air as air", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(ABOVE, BELOW), OTHERS);
    const messages = client.take().filter(({ kind }) => kind === "blank" || kind === "patch");
    expect(messages).toMatchObject([
      { kind: "blank", content: "air", mask: { regions: [ABOVE] } },
      { kind: "patch", patch: { changes: [{ region: BELOW, base: "air", next: 0 }] } },
    ]);
    for (const { content } of client.replica.tree.pieces()) expect(content).not.toBeInstanceOf(GeneratorRef);
    expect(client.agrees(ABOVE) && client.agrees(BELOW)).toBe(true);
  });

  test("follows edits, even those that restore generated contents", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(ABOVE, BELOW), OTHERS);
    const made = [FLOOR_TILE, tileIn(ABOVE, 7), tileIn(BELOW, 7)];
    stage.world.change(made);
    await stage.tick();
    expect(client.agrees(ABOVE) && client.agrees(BELOW)).toBe(true);
    stage.world.change([{ ...FLOOR_TILE, block: 3 }, { ...tileIn(ABOVE, 0) }, { ...tileIn(BELOW, 0) }]);
    await stage.tick();
    expect(stage.world.state.overrides.bounds()).toBe(undefined);
    expect(client.agrees(ABOVE) && client.agrees(BELOW)).toBe(true);
  });

  test("gets a region that players emptied completely, with its clock", async () => {
    const stage = new Stage();
    stage.world.change([tileIn(ABOVE, 7)]);
    stage.world.change([tileIn(ABOVE, 0)]);
    const client = await stage.joinAt(boxesOf(ABOVE), OTHERS);
    expect(client.takeAll("blank")).toEqual([]);
    expect(client.agrees(ABOVE)).toBe(true);
  });

  test("waits for its regions, of which a limited number are made per tick for all clients", async () => {
    const stage = new Stage();
    const regions = Array.from({ length: 12 }, (_, x): Position => [x, -1, 0, 0]);
    const boxes = [{ min: regionBox(regions[0] as Position).min, max: [48, 0, 4, 4] as Position }];
    const first = await stage.join({ ...OTHERS, clientId: 1n });
    const second = await stage.join({ ...OTHERS, clientId: 2n });
    first.want(boxes);
    second.want(boxes);
    await stage.tick();
    const counts = [first, second].map((client) => client.replica.held().length);
    expect(Math.max(...counts)).toBe(8);
    await stage.ticks(2);
    for (const client of [first, second]) expect(regions.every((region) => client.agrees(region))).toBe(true);
  });

  test("coexists with one that has the same generators", async () => {
    const stage = new Stage();
    const same = await stage.joinAt(boxesOf(ABOVE, BELOW), { clientId: 1n });
    const other = await stage.joinAt(boxesOf(ABOVE, BELOW), { ...OTHERS, clientId: 2n });
    stage.world.change([FLOOR_TILE]);
    await stage.tick();
    expect(same.agrees(BELOW) && other.agrees(BELOW)).toBe(true);
    expect(same.replica.tree.at(0, -1, 0, 0)).not.toBeInstanceOf(GeneratorRef);
  });
});

describe("a client that does not support edit lists", () => {
  test.each([
    ["with the same generators", {}],
    ["with others", OTHERS],
  ])("gets whole chunks, %s", async (_name, hello) => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(BELOW), { ...hello, featureBits: 0n });
    client.take();
    stage.world.change([FLOOR_TILE]);
    await stage.tick();
    const [change] = client.takeAll("patch").flatMap(({ patch }) => patch.changes);
    expect(change?.edits).toEqual([]);
    expect(change?.leaves.map(({ box }) => box.min)).toEqual([[0, -1, 0, 0]]);
    expect(client.agrees(BELOW)).toBe(true);
  });
});
