import type { Position } from "@orthant/core";
import type { VoxelPlacement } from "@orthant/core/tree";
import { describe, expect, test } from "vitest";
import { boxesOf, type SampleClient, Stage, type StageOptions, settle } from "./sample-session.ts";

const A: Position = [0, 0, 0, 0];
const VOXEL: Position = [5, 70, 0, 0];
const NEXT: Position = [6, 70, 0, 0];
const CHEST = 9;
const ITEMS = Uint8Array.of(1, 2, 3);

function resultsIn(client: SampleClient): readonly unknown[] {
  return client
    .takeAll("editResults")
    .flatMap(({ results }) => results)
    .map((result) => [result.editId, result.status === "rejected" ? result.reason : result.status]);
}

async function edited(
  stage: Stage,
  client: SampleClient,
  editId: number,
  ...placements: readonly VoxelPlacement[]
): Promise<readonly unknown[]> {
  client.send({ kind: "voxels", editId, placements });
  await settle();
  await stage.tick();
  return resultsIn(client);
}

/** Two clients that hold the region of the voxels. */
async function pair(options: StageOptions = {}): Promise<{
  readonly stage: Stage;
  readonly ada: SampleClient;
  readonly bob: SampleClient;
}> {
  const stage = new Stage(options);
  const ada = await stage.joinAt(boxesOf(A));
  const bob = await stage.joinAt(boxesOf(A), { clientId: 2n });
  return { stage, ada, bob };
}

describe("data of voxels", () => {
  test("[N48] reaches the world and every client, with the block, alone, and when it is removed", async () => {
    const { stage, ada, bob } = await pair();
    const at = (voxel: Position): Uint8Array | undefined => stage.world.state.dataAt(...voxel);
    expect(await edited(stage, ada, 1, { voxel: VOXEL, block: CHEST, data: ITEMS })).toEqual([
      [1, "applied"],
    ]);
    expect([stage.world.state.voxelAt(...VOXEL), at(VOXEL)]).toEqual([CHEST, ITEMS]);
    expect([ada.agrees(A), bob.agrees(A)]).toEqual([true, true]);
    expect(await edited(stage, ada, 2, { voxel: VOXEL, data: Uint8Array.of(4) })).toEqual([[2, "applied"]]);
    expect([stage.world.state.voxelAt(...VOXEL), at(VOXEL)]).toEqual([CHEST, Uint8Array.of(4)]);
    expect([ada.agrees(A), bob.agrees(A)]).toEqual([true, true]);
    expect(await edited(stage, ada, 3, { voxel: VOXEL, data: Uint8Array.of(4) })).toEqual([[3, "unchanged"]]);
    expect(await edited(stage, ada, 4, { voxel: VOXEL, data: null })).toEqual([[4, "applied"]]);
    expect(at(VOXEL)).toBeUndefined();
    expect([ada.agrees(A), bob.agrees(A)]).toEqual([true, true]);
  });

  test("goes with the type of its block, and is copied", async () => {
    const { stage, ada, bob } = await pair();
    await edited(stage, ada, 1, { voxel: VOXEL, block: CHEST, data: ITEMS });
    ada.send({ kind: "copy", editId: 2, box: { min: VOXEL, max: [6, 71, 1, 1] }, to: NEXT });
    await settle();
    await stage.tick();
    expect(stage.world.state.dataAt(...NEXT)).toEqual(ITEMS);
    await edited(stage, ada, 3, { voxel: VOXEL, block: 8 });
    expect(stage.world.state.dataAt(...VOXEL)).toBeUndefined();
    expect([ada.agrees(A), bob.agrees(A)]).toEqual([true, true]);
  });

  test("the data of voxels arrives with the region at a client that comes later", async () => {
    const { stage, ada } = await pair();
    await edited(stage, ada, 1, { voxel: VOXEL, block: CHEST, data: new Uint8Array(30_000).fill(7) });
    const eve = await stage.joinAt(boxesOf(A), { clientId: 3n });
    expect(eve.agrees(A)).toBe(true);
  });

  test("is rejected where the game cannot read it", async () => {
    const dataFault = (data: Uint8Array): string | undefined => (data[0] === 9 ? "nine" : undefined);
    const { stage, ada } = await pair({ rules: { dataFault } });
    const bad = { voxel: VOXEL, block: CHEST, data: Uint8Array.of(9) };
    expect(await edited(stage, ada, 1, { voxel: NEXT, block: 8 }, bad)).toEqual([[1, "data"]]);
    expect(stage.world.state.voxelAt(...NEXT), "the other voxel of the edit").not.toBe(8);
    expect(await edited(stage, ada, 2, { ...bad, data: ITEMS })).toEqual([[2, "applied"]]);
  });

  describe("that only chests may have", () => {
    const STONE = 1;
    const dataFault = (_: Uint8Array, block: number): string | undefined =>
      block === CHEST ? undefined : `block ${block}`;
    const asked = { beforeEdit: () => undefined, dataFault };

    test.each([
      ["no other rule", { dataFault }],
      ["a rule about edits", asked],
    ])("is rejected for other blocks, with %s", async (_, rules) => {
      const { stage, ada } = await pair({ rules });
      const stone = { voxel: VOXEL, block: STONE, data: ITEMS };
      expect(await edited(stage, ada, 1, stone)).toEqual([[1, "data"]]);
      expect(stage.world.state.dataAt(...VOXEL)).toBeUndefined();
      expect(await edited(stage, ada, 2, { ...stone, block: CHEST })).toEqual([[2, "applied"]]);
    });

    test.each([
      ["no other rule", { dataFault }],
      ["a rule about edits", asked],
    ])("goes to the block that is there when the edit is made, with %s", async (_, rules) => {
      const { stage, ada } = await pair({ rules });
      await edited(stage, ada, 1, { voxel: VOXEL, block: CHEST });
      // The chest is still there when the second edit arrives.
      ada.send({ kind: "voxels", editId: 2, placements: [{ voxel: VOXEL, block: STONE }] });
      ada.send({ kind: "voxels", editId: 3, placements: [{ voxel: VOXEL, block: undefined, data: ITEMS }] });
      await settle();
      await stage.tick();
      expect(stage.world.state.dataAt(...VOXEL)).toBeUndefined();
      const inOne = [
        { voxel: VOXEL, block: CHEST },
        { voxel: VOXEL, block: STONE },
        { voxel: VOXEL, block: undefined, data: ITEMS },
      ];
      expect(resultsIn(ada)).toEqual([
        [2, "applied"],
        [3, "data"],
      ]);
      expect(await edited(stage, ada, 4, ...inOne)).toEqual([[4, "data"]]);
      expect(stage.world.state.voxelAt(...VOXEL)).toBe(STONE);
    });

    test("is rejected in a copy of what may have none", async () => {
      const { stage, ada } = await pair({ rules: { dataFault } });
      stage.world.change([{ voxel: VOXEL, block: STONE, data: ITEMS }]);
      ada.send({ kind: "copy", editId: 1, box: { min: VOXEL, max: [6, 71, 1, 1] }, to: NEXT });
      await settle();
      await stage.tick();
      expect(resultsIn(ada)).toEqual([[1, "data"]]);
    });
  });

  test("is rejected when there is too much in one edit, or in what it copies", async () => {
    const { stage, ada } = await pair({ limits: { editDataBytesMax: 100 } });
    const data = new Uint8Array(101);
    expect(await edited(stage, ada, 1, { voxel: VOXEL, block: CHEST, data })).toEqual([[1, "tooLarge"]]);
    stage.world.change([{ voxel: VOXEL, block: CHEST, data }]);
    ada.send({ kind: "copy", editId: 2, box: { min: VOXEL, max: [6, 71, 1, 1] }, to: NEXT });
    await settle();
    await stage.tick();
    expect(resultsIn(ada)).toEqual([[2, "tooLarge"]]);
  });

  test("data above the budget of its player waits, whichever of the player's clients sends it", async () => {
    const limits = { editDataBytesMax: 100, editDataBytesPerSecond: 50 };
    const { stage, ada } = await pair({ limits });
    const data = new Uint8Array(80);
    expect(await edited(stage, ada, 1, { voxel: VOXEL, block: CHEST, data })).toEqual([[1, "applied"]]);
    expect(await edited(stage, ada, 2, { voxel: NEXT, block: CHEST, data })).toEqual([]);
    for (let tick = 0; tick < 15; tick++) await stage.tick();
    expect(await edited(stage, ada, 2, { voxel: NEXT, block: CHEST, data })).toEqual([[2, "applied"]]);
  });

  test("data that a chunk has no room for is rejected, and says why", async () => {
    const { stage, ada } = await pair({ limits: { editDataBytesMax: 1e6, editDataBytesPerSecond: 1e6 } });
    const data = new Uint8Array(32_768);
    for (let index = 0; index < 7; index++) {
      stage.world.change([{ voxel: [index, 80, 0, 0], block: CHEST, data }]);
    }
    expect(await edited(stage, ada, 1, { voxel: [7, 80, 0, 0], block: CHEST, data })).toEqual([[1, "data"]]);
    expect(stage.world.state.voxelAt(7, 80, 0, 0)).not.toBe(CHEST);
  });
});
