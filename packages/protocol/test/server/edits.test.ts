import { OrthantError, type Position } from "@orthant/core";
import { EDITS_OPEN_MAX } from "@orthant/protocol";
import { FEATURES } from "@orthant/protocol/internal";
import type { SyncLimits, SyncRules } from "@orthant/protocol/server";
import { describe, expect, test } from "vitest";
import {
  accountOf,
  boxesOf,
  type SampleClient,
  Stage,
  type StageOptions,
  settle,
  tileIn,
} from "./sample-session.ts";
import { SampleWorld } from "./sample-world.ts";

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

/** A promise with functions that settle it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void; readonly break: () => void } {
  let open = (): void => undefined;
  let breakIt = (): void => undefined;
  const opened = new Promise<void>((resolve, reject) => {
    open = resolve;
    breakIt = () => reject(new OrthantError("ORT_DISK_IO", "no"));
  });
  return { opened, open, break: breakIt };
}

describe("an edit", () => {
  test("is applied and sent to all, and its result arrives with it", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A));
    client.take();
    client.set(1, VOXEL, 9);
    await settle();
    await stage.tick();
    expect(client.take().map(({ kind }) => kind)).toEqual(["patch", "editResults"]);
    expect(client.agrees(A)).toBe(true);
    expect(stage.world.state.voxelAt(...VOXEL)).toBe(9);
    expect(stage.world.edits).toEqual([{ clientId: 1n, editId: 1, playerId: 1_001n }]);
  });

  test("an edit that changes nothing is reported as unchanged", async () => {
    const stage = new Stage();
    stage.world.change([{ voxel: VOXEL, block: 9 }]);
    const client = await stage.joinAt(boxesOf(A));
    client.set(1, VOXEL, 9);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "unchanged"]]);
  });

  test("is applied in the order of ids, and one too far ahead is ignored", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A));
    client.set(2, VOXEL, 9);
    client.set(1, VOXEL, 8);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "applied"]]);
    client.set(2, VOXEL, 9);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[2, "applied"]]);
    expect(stage.world.state.voxelAt(...VOXEL)).toBe(9);
  });

  test("an edit that arrives twice is applied once, and its result is sent again", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A));
    client.set(1, VOXEL, 9);
    client.set(1, VOXEL, 9);
    await settle();
    await stage.tick();
    client.set(1, VOXEL, 9);
    await stage.tick();
    expect(resultsIn(client)).toEqual([
      [1, "applied"],
      [1, "applied"],
    ]);
    expect(stage.world.edits.length).toBe(1);
  });

  test("an edit that is resent on another connection is applied once, and its result is sent there", async () => {
    const stage = new Stage();
    const first = await stage.joinAt(boxesOf(A));
    first.set(1, VOXEL, 9);
    first.session.disconnected();
    await settle();
    const second = await stage.join({ openEditId: 1 });
    second.set(1, VOXEL, 9);
    await settle();
    await stage.tick();
    expect(resultsIn(second)).toEqual([[1, "applied"]]);
    expect(stage.world.edits.length).toBe(1);
  });

  test("an edit that is still pending when its client returns gets its result there", async () => {
    const { opened, open } = gate();
    const stage = new Stage({ rules: { beforeEdit: () => opened.then(() => undefined) } });
    const first = await stage.join();
    first.set(1, VOXEL, 9);
    first.session.disconnected();
    const second = await stage.join({ openEditId: 1 });
    second.set(1, VOXEL, 9);
    await stage.tick();
    expect(resultsIn(second)).toEqual([]);
    open();
    await settle();
    await stage.tick();
    expect(resultsIn(second)).toEqual([[1, "applied"]]);
    expect(stage.world.edits.length).toBe(1);
  });

  test("an edit that was decided before a restart is settled", async () => {
    const stage = new Stage();
    stage.world.ledger.set(1n, 4);
    const client = await stage.join({ openEditId: 3 });
    client.set(3, VOXEL, 9);
    client.set(4, VOXEL, 9);
    client.set(5, VOXEL, 8);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([
      [3, "duplicate"],
      [4, "duplicate"],
      [5, "applied"],
    ]);
  });

  test("continues after the ids that the client has results for", async () => {
    const stage = new Stage();
    const client = await stage.join({ openEditId: 10 });
    client.set(10, VOXEL, 9);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[10, "applied"]]);
  });

  test("an edit that the world knows already is settled", async () => {
    const stage = new Stage();
    const client = await stage.join();
    stage.world.ledger.set(1n, 1);
    client.set(1, VOXEL, 9);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "duplicate"]]);
  });
});

describe("an edit of a client that the world may have forgotten", () => {
  const FORGOTTEN =
    "this server has forgotten the client: the edit may have been made; check, and make it again if it was not";

  test("[N29] is refused up to the last one that the client may have sent before, and not applied twice", async () => {
    const stage = new Stage({ limits: { editsBurst: 100 } });
    stage.world.forgetful.add(1_001n);
    const client = await stage.join({ openEditId: 7 });
    for (let editId = 7; editId <= 7 + EDITS_OPEN_MAX; editId++) client.set(editId, VOXEL, 9);
    await settle();
    await stage.ticks(2);
    const results = resultsIn(client);
    expect(results.slice(0, EDITS_OPEN_MAX)).toEqual(
      Array.from({ length: EDITS_OPEN_MAX }, (_, index) => [7 + index, "world", FORGOTTEN]),
    );
    expect(results.slice(EDITS_OPEN_MAX)).toEqual([[7 + EDITS_OPEN_MAX, "applied"]]);
    expect(stage.world.edits).toHaveLength(1);
  });

  test("[N29] is refused at the beginning of a run if the client has sent it before", async () => {
    const stage = new Stage();
    stage.world.forgetful.add(1_001n);
    const client = await stage.join({ featureBits: FEATURES.editLists | FEATURES.resends });
    client.set(1, VOXEL, 9);
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "world", FORGOTTEN]]);
    expect(client.takeAll("welcome")[0]?.featureBits ?? 1n).toBe(1n);
  });

  test("[N29] stays refused when the client reconnects", async () => {
    const stage = new Stage();
    stage.world.forgetful.add(1_001n);
    const first = await stage.join({ openEditId: 7 });
    first.session.disconnected();
    const second = await stage.join({ openEditId: 7 });
    second.set(7, VOXEL, 9);
    await stage.tick();
    expect(resultsIn(second)).toEqual([[7, "world", FORGOTTEN]]);
  });

  test.each<
    [why: string, openEditId: number, remembered: number, forgetful: readonly (bigint | undefined)[]]
  >([
    ["begins to count", 1, 0, [1_001n]],
    ["begins a run of ids", 2 ** 28 + 1, 0, [1_001n]],
    ["is remembered", 7, 2, [1_001n]],
    ["is of a player of whom nothing was forgotten", 7, 0, [1_002n, undefined]],
  ])("[N29] is applied when the client %s", async (_why, openEditId, remembered, forgetful) => {
    const stage = new Stage();
    for (const playerId of forgetful) stage.world.forgetful.add(playerId);
    if (remembered > 0) stage.world.ledger.set(1n, remembered);
    const client = await stage.join({ openEditId });
    client.set(openEditId, VOXEL, 9);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[openEditId, "applied"]]);
  });

  test("[N29] is marked as a possible repeat in a world on several servers, and its refusal explained", async () => {
    const stage = new Stage({ limits: { editsBurst: 100 } });
    Object.defineProperty(stage.world, "mayHaveForgotten", { value: undefined });
    const fresh = await stage.join();
    fresh.set(1, VOXEL, 9);
    const later = await stage.join({ clientId: 2n, openEditId: 7 });
    for (let editId = 7; editId <= 7 + EDITS_OPEN_MAX; editId++) {
      later.set(editId, VOXEL, 1 + (editId % 9));
      await settle();
      await stage.tick();
    }
    const marked = stage.world.edits.map(({ clientId, editId, isRepeat }) => [clientId, editId, isRepeat]);
    expect(marked).toEqual([
      [1n, 1, undefined],
      ...Array.from({ length: EDITS_OPEN_MAX }, (_, index) => [2n, 7 + index, true]),
      [2n, 7 + EDITS_OPEN_MAX, undefined],
    ]);
    stage.world.editFailure = new OrthantError("ORT_EDIT_REPEAT", "of client 1");
    fresh.set(2, VOXEL, 8);
    await settle();
    await stage.tick();
    expect(resultsIn(fresh).at(-1)).toEqual([2, "world", FORGOTTEN]);
  });

  test("[N29] is treated like those of all anonymous players when the player is anonymous", async () => {
    const stage = new Stage({
      authorize: async () => ({ playerId: 5n, role: "builder", name: "", isAnonymous: true }),
    });
    const newcomer = await stage.join();
    newcomer.set(1, VOXEL, 9);
    await settle();
    expect(stage.world.edits).toEqual([{ clientId: 1n, editId: 1 }]);
    stage.world.forgetful.add(undefined);
    const client = await stage.join({ clientId: 2n, openEditId: 7 });
    client.set(7, VOXEL, 9);
    await stage.tick();
    expect(resultsIn(client)).toEqual([[7, "world", FORGOTTEN]]);
  });
});

describe("an edit id", () => {
  const HIGHEST = Number.MAX_SAFE_INTEGER;
  const FIRST_IDS = [1, 2, 7, 2 ** 28 + 1, 2 ** 31, 2 ** 32, 2 ** 52, HIGHEST - EDITS_OPEN_MAX, HIGHEST - 1];

  test.each(FIRST_IDS)("[N58] far above the open edit %i ends the connection", async (openEditId) => {
    const last = openEditId - 1;
    const far = [last + EDITS_OPEN_MAX + 1, last + 2 ** 28, 2 ** 52, HIGHEST];
    for (const editId of far.filter((id) => id > last + EDITS_OPEN_MAX && id <= HIGHEST)) {
      const stage = new Stage();
      const client = await stage.join({ openEditId });
      client.take();
      client.set(editId, VOXEL, 9);
      await settle();
      await stage.tick();
      const detail = `edit ${editId} after edit ${last}; at most ${EDITS_OPEN_MAX} may be open`;
      expect(client.take()).toMatchObject([{ kind: "goodbye", reason: "malformed", detail }]);
      expect(client.isClosed).toBe(true);
      expect(stage.world.edits).toEqual([]);
    }
  });

  test.each(FIRST_IDS)(
    "[N58] an edit id from the open edit %i on gets a result, in order",
    async (openEditId) => {
      const stage = new Stage({ limits: { editsBurst: 1_000 } });
      const client = await stage.join({ openEditId });
      const ids = Array.from({ length: EDITS_OPEN_MAX }, (_, index) => openEditId + index);
      const possible = ids.filter((id) => id <= HIGHEST);
      // The last of them comes first, and has to be sent again.
      client.set(possible.at(-1) ?? 0, VOXEL, 8);
      for (const id of possible) client.set(id, VOXEL, 1 + (id % 9));
      await settle();
      await stage.tick();
      const decided = resultsIn(client).map((result) => (result as readonly unknown[])[0]);
      expect(decided).toEqual(possible);
      client.set(openEditId, VOXEL, 9);
      await stage.tick();
      expect(resultsIn(client).map((result) => (result as readonly unknown[])[0])).toEqual([openEditId]);
      expect(client.isClosed).toBe(false);
    },
  );
});

describe("refused edits", () => {
  const limits = (some: Partial<SyncLimits>): StageOptions => ({ limits: some });
  const rules = (some: SyncRules): StageOptions => ({ rules: some });
  const broken = (): never => {
    throw new TypeError("undefined is not a wall");
  };

  test.each<[why: string, options: StageOptions, reason: string, detail: string]>([
    ["in a world that is served read-only", { readOnly: true }, "role", "this world is served read-only"],
    ["from a viewer", { authorize: accountOf("viewer") }, "role", "a viewer changes nothing"],
    ["of too many voxels", limits({ editVoxelsMax: 1 }), "tooLarge", "2 voxels, the limit is 1"],
    [
      "over too large a box",
      limits({ editBoxVoxelsMax: 9 }),
      "tooLarge",
      "a box of 10 voxels, the limit is 9",
    ],
    [
      "is beyond the world",
      limits({ chunkCoordinateMax: 1 }),
      "reach",
      "voxel [5,70,0,0] is beyond the world",
    ],
    [
      "is out of reach",
      rules({ canReach: ({ voxel: [x] }) => x < 10 }),
      "reach",
      "voxel [14,70,0,0] is out of reach",
    ],
    [
      "the game objects to",
      rules({ beforeEdit: () => ({ reject: "not your land" }) }),
      "vetoed",
      "not your land",
    ],
    ["the game objects to later", rules({ beforeEdit: async () => ({ reject: "no" }) }), "vetoed", "no"],
    ["makes the game fail", rules({ beforeEdit: broken }), "vetoed", "the rules of the game failed"],
    [
      "the game answers with null",
      rules({ beforeEdit: () => null as never }),
      "vetoed",
      "the rules of the game failed",
    ],
    [
      "the game answers with a text",
      rules({ beforeEdit: () => "no" as never }),
      "vetoed",
      "the rules of the game failed",
    ],
  ])("an edit that %s is refused", async (_why, options, reason, detail) => {
    const outcomes: string[] = [];
    const stage = new Stage({ ...options, events: { onEditResult: (outcome) => outcomes.push(outcome) } });
    const client = await stage.join();
    const placements = [
      { voxel: VOXEL, block: 9 },
      { voxel: [14, 70, 0, 0] as Position, block: 9 },
    ];
    client.send({ kind: "voxels", editId: 1, placements });
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, reason, detail]]);
    expect(outcomes).toEqual([reason]);
    expect(stage.world.edits).toEqual([]);
  });

  test.each<[why: string, voxel: Position]>([
    ["above the plane", [5, 70, 3, 0]],
    ["beside the plane", [5, 70, 0, -1]],
  ])("an edit %s of a world of tiles is refused", async (_why, voxel) => {
    const stage = new Stage();
    const client = await stage.join();
    client.set(1, voxel, 9);
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "reach", `voxel [${voxel}] is beyond the world`]]);
    expect(stage.world.edits).toEqual([]);
  });

  test("an edit with a block that the world does not have is refused", async () => {
    const stage = new Stage();
    const client = await stage.join();
    client.set(1, VOXEL, 999);
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "block", "this world has no block 999"]]);
  });

  test("an edit that the world refuses is refused with a code that reveals no file names of the server", async () => {
    const stage = new Stage();
    stage.world.editFailure = new OrthantError("ORT_READ_ONLY", "open '/srv/world/index'");
    const client = await stage.join();
    client.set(1, VOXEL, 9);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "world", "ORT_READ_ONLY"]]);
  });

  test("an edit is refused when the server takes none", async () => {
    const stage = new Stage({ limits: { editsPerSecond: 0, editsBurst: 0 } });
    const client = await stage.join();
    client.set(1, VOXEL, 9);
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "rate", "this server takes no edits"]]);
  });

  test("an edit is refused when too many wait for results", async () => {
    const { opened, open } = gate();
    const stage = new Stage({
      rules: { beforeEdit: () => opened.then(() => undefined) },
      limits: { editsBurst: 100 },
    });
    const client = await stage.join();
    for (let editId = 1; editId <= EDITS_OPEN_MAX + 1; editId++) client.set(editId, VOXEL, 9);
    await stage.tick();
    expect(resultsIn(client)).toEqual([[61, "tooMany", "60 edits wait for their results"]]);
    open();
    await stage.ticks(30);
    expect(resultsIn(client).length).toBe(EDITS_OPEN_MAX);
  });
});

describe("an edit beyond the rate limit", () => {
  test("[N38] is not taken, nor are those behind it, until it comes again", async () => {
    const outcomes: string[] = [];
    const events = { onEditResult: (outcome: string) => outcomes.push(outcome) };
    const stage = new Stage({ limits: { editsPerSecond: 1, editsBurst: 2 }, events });
    const client = await stage.join();
    for (let editId = 1; editId <= 4; editId++) client.set(editId, VOXEL, editId);
    await settle();
    await stage.ticks(10);
    client.set(4, VOXEL, 4);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([
      [1, "applied"],
      [2, "applied"],
    ]);
    client.set(3, VOXEL, 3);
    client.set(4, VOXEL, 4);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[3, "applied"]]);
    expect(outcomes).toEqual(["rate", "applied", "applied", "rate", "applied"]);
  });

  test("[N38] waits also on another connection", async () => {
    const stage = new Stage({ limits: { editsPerSecond: 0.001, editsBurst: 1 } });
    const first = await stage.join();
    first.set(1, VOXEL, 9);
    await settle();
    const second = await stage.join({ openEditId: 2 });
    second.set(2, VOXEL, 8);
    await stage.tick();
    expect(resultsIn(second)).toEqual([]);
    expect(stage.world.edits).toHaveLength(1);
  });
});

describe("a fill or a copy", () => {
  const box = { min: [0, 60, 0, 0], max: [40, 62, 1, 1] } as const;
  const fill = (editId: number, block = 9) => ({ kind: "fill", editId, box, block }) as const;
  const copy = (editId: number, to: Position) => ({ kind: "copy", editId, box, to }) as const;

  test("changes every voxel of a box once, and its result follows the change", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A));
    client.take();
    client.send(fill(1), fill(1), copy(2, [100, 80, 0, 0]));
    await settle();
    await stage.ticks(2);
    expect(stage.world.state.voxelAt(0, 60, 0, 0)).toBe(9);
    expect(stage.world.state.voxelAt(39, 61, 0, 0)).toBe(9);
    expect(stage.world.state.voxelAt(40, 61, 0, 0)).not.toBe(9);
    expect(stage.world.state.voxelAt(139, 81, 0, 0)).toBe(9);
    expect(resultsIn(client)).toEqual([
      [1, "applied"],
      [2, "applied"],
    ]);
    expect(client.agrees(A)).toBe(true);
    expect(stage.world.edits).toHaveLength(2);
  });

  test.each<
    [
      why: string,
      options: StageOptions,
      message: ReturnType<typeof fill | typeof copy>,
      reason: string,
      detail: string,
    ]
  >([
    ["of a viewer", { authorize: accountOf("viewer") }, fill(1), "role", "a viewer changes nothing"],
    [
      "of too large a box",
      { limits: { editBoxVoxelsMax: 79 } },
      fill(1),
      "tooLarge",
      "a box of 80 voxels, the limit is 79",
    ],
    [
      "of too many voxels",
      { limits: { copyVoxelsMax: 79 } },
      copy(1, [100, 80, 0, 0]),
      "tooLarge",
      "a copy of 80 voxels, the limit is 79",
    ],
    ["of too many chunks", { limits: { editChunksMax: 1 } }, fill(1), "tooLarge", "2 chunks, the limit is 1"],
    [
      "from and to too many chunks",
      { limits: { editChunksMax: 3 } },
      copy(1, [0, 80, 0, 0]),
      "tooLarge",
      "4 chunks, the limit is 3",
    ],
    ["of an unknown block", {}, fill(1, 999), "block", "this world has no block 999"],
    [
      "on an axis that the world does not have",
      {},
      copy(1, [0, 80, 1, 0]),
      "reach",
      "voxel [0,80,1,0] is beyond the world",
    ],
    [
      "beyond the world",
      { limits: { chunkCoordinateMax: 4 } },
      copy(1, [200, 80, 0, 0]),
      "reach",
      "voxel [200,80,0,0] is beyond the world",
    ],
    [
      "of a voxel out of reach",
      { rules: { canReach: ({ voxel: [x] }) => x < 39 } },
      fill(1),
      "reach",
      "voxel [39,60,0,0] is out of reach",
    ],
    [
      "from a voxel out of reach",
      { rules: { canReach: ({ voxel: [x] }) => x >= 39 } },
      copy(1, [100, 80, 0, 0]),
      "reach",
      "voxel [0,60,0,0] is out of reach",
    ],
    [
      "of a box out of reach",
      { rules: { isWithinReach: ({ box: { max } }) => max[0] < 40 } },
      fill(1),
      "reach",
      "the box from [0,60,0,0] to [40,62,1,1] is out of reach",
    ],
    [
      "from a box out of reach",
      { rules: { isWithinReach: ({ box: { max } }) => max[0] > 100 } },
      copy(1, [100, 80, 0, 0]),
      "reach",
      "the box from [0,60,0,0] to [40,62,1,1] is out of reach",
    ],
    ...(["beforeEdit", "afterEdit", "canReach"] as const).map(
      (rule) =>
        [
          `of more voxels than ${rule} may look at`,
          { rules: { [rule]: () => expect.unreachable("it is asked") }, limits: { ruleVoxelsMax: 79 } },
          rule === "canReach" ? copy(1, [100, 80, 0, 0]) : fill(1),
          "tooLarge",
          "80 voxels for the rules of the game to check, the limit is 79",
        ] as [string, StageOptions, ReturnType<typeof fill | typeof copy>, string, string],
    ),
  ])("%s is refused", async (_why, options, message, reason, detail) => {
    const stage = new Stage({ ...options, world: new SampleWorld({ stored: [{ voxel: VOXEL, block: 9 }] }) });
    const client = await stage.join();
    client.send(message);
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, reason, detail]]);
    expect(stage.world.edits).toEqual([]);
    expect(stage.world.loads, "nothing is loaded for it").toEqual([]);
  });

  test("may be larger than the limit for rules where no rule looks at voxels", async () => {
    const target = { min: [100, 80, 0, 0], max: [140, 82, 1, 1] };
    const asked: unknown[] = [];
    const isWithinReach = ({ box: where }: { readonly box: unknown }): boolean => asked.push(where) > 0;
    const stage = new Stage({
      limits: { ruleVoxelsMax: 79, ruleVoxelsPerSecond: 0.001 },
      rules: { isWithinReach, dataFault: () => undefined },
    });
    const client = await stage.join();
    client.send(fill(1), copy(2, [100, 80, 0, 0]));
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([
      [1, "applied"],
      [2, "applied"],
    ]);
    expect(asked, "once for each box").toEqual([box, target, box]);
  });

  test("counts its voxels against the rate of its player before a rule is asked about them", async () => {
    let asked = 0;
    const stage = new Stage({
      limits: { ruleVoxelsMax: 100, ruleVoxelsPerSecond: 50 },
      rules: { canReach: () => ++asked > 0 },
    });
    const client = await stage.join();
    client.send(fill(1), fill(2, 8));
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "applied"]]);
    expect(asked).toBe(80);
    await stage.tick(1_200);
    client.send(fill(2, 8));
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[2, "applied"]]);
    expect(asked).toBe(160);
  });

  test("counts its chunks against the rate of its player", async () => {
    const stage = new Stage({ limits: { editChunksMax: 3, editChunksPerSecond: 0.001 } });
    const client = await stage.join();
    client.send(fill(1), fill(2, 8));
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "applied"]]);
  });
});

describe("a result", () => {
  test("waits until the client has been sent the change", async () => {
    const stage = new Stage({ limits: { inFlightBytesMax: 200 } });
    const client = await stage.joinAt(boxesOf(A));
    client.hello();
    await stage.tick();
    client.take();
    const { acknowledged } = client;
    client.acknowledged = 0;
    client.set(1, VOXEL, 9);
    await settle();
    await stage.tick();
    expect(client.take().map(({ kind }) => kind)).toEqual([]);
    client.acknowledged = acknowledged;
    client.send();
    await stage.tick();
    expect(client.take().map(({ kind }) => kind)).toEqual(["patch", "editResults"]);
  });

  test("waits for a region that the client catches up with only later", async () => {
    // One byte per tick allows one region per tick.
    const stage = new Stage({ limits: { inFlightBytesMax: 200, wholeRegionBytesPerTick: 1 } });
    const client = await stage.joinAt(boxesOf(A, B));
    client.hello();
    await stage.tick();
    const { acknowledged } = client;
    client.acknowledged = 0;
    stage.world.change([tileIn(A, 8)]);
    client.send({ kind: "voxels", editId: 1, placements: [tileIn(A, 9), tileIn(B, 9)] });
    await settle();
    await stage.tick();
    client.take();
    client.acknowledged = acknowledged;
    client.send();
    await stage.tick();
    expect(client.agrees(B)).toBe(false);
    expect(client.take().map(({ kind }) => kind)).toEqual(["patch"]);
    client.send();
    await stage.tick();
    expect(client.agrees(A) && client.agrees(B)).toBe(true);
    expect(client.take().map(({ kind }) => kind)).toEqual(["patch", "editResults"]);
  });

  test("does not wait for regions that the client does not hold", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A));
    client.send({ kind: "voxels", editId: 1, placements: [tileIn(B, 9)] });
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([[1, "applied"]]);
  });

  test("comes in the order of ids with others of the same tick", async () => {
    const { opened, open } = gate();
    let asked = 0;
    const beforeEdit = async (): Promise<undefined> => {
      if (asked++ === 0) await opened;
    };
    const stage = new Stage({ rules: { beforeEdit } });
    const client = await stage.join();
    client.set(1, VOXEL, 7);
    client.set(2, VOXEL, 8);
    client.set(3, VOXEL, 999);
    await settle();
    expect(asked).toBe(1);
    open();
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([
      [1, "applied"],
      [2, "applied"],
      [3, "block", "this world has no block 999"],
    ]);
    expect(stage.world.state.voxelAt(...VOXEL)).toBe(8);
  });

  test("waits for the disk in durable mode, which is asked once for all edits of a moment", async () => {
    const { opened, open } = gate();
    const stage = new Stage({ acknowledge: "durable" });
    stage.world.durability = opened;
    const client = await stage.joinAt(boxesOf(A));
    client.set(1, VOXEL, 8);
    client.set(2, VOXEL, 9);
    client.set(3, VOXEL, 999);
    await settle();
    await stage.tick();
    expect(client.agrees(A)).toBe(true);
    expect(resultsIn(client)).toEqual([[3, "block", "this world has no block 999"]]);
    expect(stage.world.durableCalls).toBe(1);
    open();
    await settle();
    await stage.tick();
    expect(resultsIn(client)).toEqual([
      [1, "applied"],
      [2, "applied"],
    ]);
  });

  test("never comes when the disk fails, and all clients are disconnected", async () => {
    const broken = gate();
    const stage = new Stage({ acknowledge: "durable" });
    stage.world.durability = broken.opened;
    const client = await stage.joinAt(boxesOf(A));
    client.take();
    client.set(1, VOXEL, 8);
    await settle();
    broken.break();
    await settle();
    await stage.tick();
    expect(client.take().map(({ kind }) => kind)).toEqual(["goodbye"]);
    const late = await stage.join({ clientId: 2n });
    expect(late.takeAll("goodbye")).toMatchObject([
      { reason: "failure", detail: "ORT_DISK_IO", retryAfterMs: 5_000 },
    ]);
  });
});

test("shutdown waits for pending edits", async () => {
  const { opened, open } = gate();
  const stage = new Stage({ rules: { beforeEdit: () => opened.then(() => undefined) } });
  const client = await stage.join();
  client.set(1, VOXEL, 9);
  let isDown = false;
  const down = stage.sync.shutdown("night", 0).then(() => {
    isDown = true;
  });
  await settle();
  expect(isDown).toBe(false);
  open();
  await down;
  expect(stage.world.edits.length).toBe(1);
});
