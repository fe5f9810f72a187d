import { OrthantError, type Position } from "@orthant/core";
import type { PlayerEdit, SyncRules } from "@orthant/protocol/server";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { boxesOf, type SampleClient, Stage, settle, tileIn } from "./sample-session.ts";

const A: Position = [0, 0, 0, 0];
const B: Position = [1, 0, 0, 0];
const VOXEL: Position = [5, 70, 0, 0];

function resultsIn(client: SampleClient): readonly unknown[] {
  return client
    .takeAll("editResults")
    .flatMap(({ results }) => results)
    .map((result) =>
      result.status === "rejected"
        ? [result.editId, result.reason, result.detail]
        : [result.editId, result.status],
    );
}

/** The blocks of the voxels of an edit before it. */
function blocksBefore({ edit, before }: PlayerEdit): readonly number[] {
  return edit.kind === "voxels" ? edit.placements.map(({ voxel }) => before.voxelAt(...voxel)) : [];
}

describe("a rule before an edit", () => {
  test("may replace it, and the rule after it sees what was made", async () => {
    const made: unknown[] = [];
    const stage = new Stage({
      rules: {
        beforeEdit: () => ({ replace: [tileIn(A, 7), tileIn(B, 8)] }),
        afterEdit: (edit) => void made.push(edit.edit, blocksBefore(edit)),
      },
    });
    stage.world.change([tileIn(B, 3)]);
    const client = await stage.joinAt(boxesOf(A));
    client.set(1, [9, 70, 0, 0], 9);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "applied"]]);
    expect(stage.world.state.voxelAt(9, 70, 0, 0)).not.toBe(9);
    expect([A, B].map((region) => stage.world.state.voxelAt(...tileIn(region, 0).voxel))).toEqual([7, 8]);
    expect(made).toEqual([
      { kind: "voxels", placements: [tileIn(A, 7), tileIn(B, 8)] },
      [expect.any(Number), 3],
    ]);
  });

  test.each<[what: string, replace: unknown]>([
    ["a block that the world lacks", [tileIn(A, 999)]],
    ["a voxel on an axis that the world lacks", [{ voxel: [0, 0, 0, 3], block: 1 }]],
  ])("a rule that replaces an edit by %s rejects it, and is reported", async (_what, replace) => {
    const failures: unknown[] = [];
    const stage = new Stage({
      rules: { beforeEdit: () => ({ replace: replace as never }) },
      events: { onFailure: (error) => failures.push(error) },
    });
    const client = await stage.join();
    client.set(1, VOXEL, 9);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "vetoed", "the rules of the game failed"]]);
    expect(failures).toMatchObject([{ code: "ORT_ARGUMENT" }]);
    expect(stage.world.edits).toEqual([]);
  });

  test("reads the world as it is at that moment, also chunks that no client holds", async () => {
    const seen: unknown[] = [];
    const stage = new Stage({ rules: { beforeEdit: (edit) => void seen.push(...blocksBefore(edit)) } });
    stage.world.change([{ voxel: VOXEL, block: 4 }]);
    const client = await stage.join();
    client.set(1, VOXEL, 9);
    client.set(2, VOXEL, 8);
    await settle();
    expect(seen).toEqual([4, 9]);
  });

  test("a rule that never answers rejects the edit after `ruleMs`, and others go on", async () => {
    const failures: unknown[] = [];
    const stage = new Stage({
      limits: { ruleMs: 300 },
      rules: {
        beforeEdit: ({ player }) => (player.name === "Ada" ? new Promise(() => undefined) : undefined),
      },
      events: { onFailure: (error) => failures.push(error) },
    });
    const ada = await stage.join({ clientId: 1n });
    const bob = await stage.join({ clientId: 2n, name: "Bob" });
    ada.set(1, VOXEL, 9);
    await settle();
    bob.set(1, tileIn(B, 3).voxel, 3);
    bob.set(2, VOXEL, 8);
    ada.set(2, tileIn(B, 3).voxel, 4);
    await settle();
    await stage.tick();
    expect(resultsIn(bob), "elsewhere at once, there not yet").toEqual([[1, "applied"]]);
    await stage.ticks(3);
    expect(resultsIn(bob)).toEqual([[2, "applied"]]);
    expect(resultsIn(ada)).toEqual([[1, "vetoed", "the game did not decide within 300 ms"]]);
    await stage.ticks(4);
    expect(resultsIn(ada)).toEqual([[2, "vetoed", "the game did not decide within 300 ms"]]);
    expect(failures).toMatchObject([{ code: "ORT_TIMEOUT" }, { code: "ORT_TIMEOUT" }]);
    expect(stage.world.state.voxelAt(...VOXEL)).toBe(8);
  });

  test("keeps the order of a client's edits, wherever they are", async () => {
    const prng = new Prng(3);
    const order: number[] = [];
    const stage = new Stage({
      limits: { editsBurst: 100 },
      rules: {
        beforeEdit: async ({ edit }) => {
          for (let turns = prng.below(10); turns > 0; turns--) await Promise.resolve();
          if (edit.kind === "voxels") order.push(edit.placements[0]?.block ?? 0);
          return undefined;
        },
      },
    });
    const client = await stage.join();
    for (let editId = 1; editId <= 15; editId++)
      client.set(editId, tileIn([prng.below(3), 0, 0, 0], 0).voxel, editId);
    await stage.ticks(40);
    const ids = Array.from({ length: 15 }, (_, index) => index + 1);
    expect(order).toEqual(ids);
    expect(stage.world.edits.map(({ editId }) => editId)).toEqual(ids);
  });
});

describe("a rule after an edit", () => {
  test("is not called for an edit that is rejected, changes nothing or was made before", async () => {
    const made: bigint[] = [];
    const stage = new Stage({
      rules: {
        beforeEdit: ({ edit }) =>
          edit.kind === "voxels" && edit.placements[0]?.block === 13 ? { reject: "unlucky" } : undefined,
        afterEdit: ({ player }) => void made.push(player.playerId),
      },
    });
    const client = await stage.join();
    client.set(1, VOXEL, 9);
    client.set(2, VOXEL, 9);
    client.set(3, VOXEL, 13);
    await stage.ticks(4);
    client.set(1, VOXEL, 9);
    await stage.ticks(2);
    const results = [
      [1, "applied"],
      [2, "unchanged"],
      [3, "vetoed", "unlucky"],
      [1, "applied"],
    ];
    expect(resultsIn(client)).toEqual(results);
    expect(made).toEqual([1_001n]);
  });

  test("a rule after an edit that never ends holds up others there for `ruleMs`, and fails alone", async () => {
    const failures: unknown[] = [];
    let calls = 0;
    const stage = new Stage({
      limits: { ruleMs: 300 },
      rules: { afterEdit: () => (calls++ === 0 ? new Promise(() => undefined) : undefined) },
      events: { onFailure: (error) => failures.push(error) },
    });
    const client = await stage.join();
    client.set(1, VOXEL, 9);
    client.set(2, VOXEL, 8);
    await settle();
    await stage.tick();
    expect(resultsIn(client), "the result does not wait for it").toEqual([[1, "applied"]]);
    await stage.ticks(4);
    expect(resultsIn(client)).toEqual([[2, "applied"]]);
    expect(failures).toMatchObject([{ code: "ORT_TIMEOUT" }]);
  });

  test("a rule after an edit that throws is reported, and the edit stands", async () => {
    const failures: unknown[] = [];
    const rules: SyncRules = {
      afterEdit: () => {
        throw new TypeError("no drop table");
      },
    };
    const stage = new Stage({ rules, events: { onFailure: (error) => failures.push(error) } });
    const client = await stage.join();
    client.set(1, VOXEL, 9);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "applied"]]);
    expect(failures).toMatchObject([{ message: "no drop table" }]);
  });

  test("is not called when the world refuses the edit", async () => {
    let calls = 0;
    const stage = new Stage({ rules: { afterEdit: () => void calls++ } });
    stage.world.editFailure = new OrthantError("ORT_READ_ONLY", "no");
    const client = await stage.join();
    client.set(1, VOXEL, 9);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "world", "ORT_READ_ONLY"]]);
    expect(calls).toBe(0);
  });
});

test("rules of two players about one voxel never overlap, and one of them gets the block", async () => {
  const prng = new Prng(7);
  const drops: string[] = [];
  let running = 0;
  const pause = async (): Promise<void> => {
    expect(++running).toBe(1);
    for (let turns = prng.below(6); turns > 0; turns--) await Promise.resolve();
    running--;
  };
  const stage = new Stage({
    limits: { editsPerSecond: 1e6, editsBurst: 1e6, editChunksPerSecond: 1e6 },
    rules: {
      beforeEdit: async (edit) => {
        await pause();
        return blocksBefore(edit)[0] === 0 ? { reject: "it is gone" } : undefined;
      },
      afterEdit: async ({ player }) => {
        await pause();
        drops.push(player.name);
      },
    },
  });
  const ada = await stage.join({ clientId: 1n });
  const bob = await stage.join({ clientId: 2n, name: "Bob" });
  for (let round = 1; round <= 100; round++) {
    stage.world.change([{ voxel: VOXEL, block: 9 }]);
    for (const client of prng.below(2) === 0 ? [ada, bob] : [bob, ada]) client.set(round, VOXEL, 0);
    while (drops.length < round || stage.world.edits.length < round) await settle();
    await stage.tick();
    expect(drops.length).toBe(round);
  }
  expect(new Set(drops)).toEqual(new Set(["Ada", "Bob"]));
});
