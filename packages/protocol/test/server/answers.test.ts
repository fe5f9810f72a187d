import type { Position } from "@orthant/core";
import { CLOCKS_PER_EPOCH } from "@orthant/core/internal";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { TickReport } from "@orthant/protocol/server";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { boxesOf, oneAccount, row, type SampleClient, Stage, settle, tileIn } from "./sample-session.ts";
import { SampleWorld } from "./sample-world.ts";

const HERE: Position = [0, 0, 0, 0];

/** A stage whose server pauses until `resume` is called. */
class PausingStage extends Stage {
  readonly #paused: (() => void)[];

  constructor(options: Omit<NonNullable<ConstructorParameters<typeof Stage>[0]>, "pause"> = {}) {
    const paused: (() => void)[] = [];
    super({ ...options, pause: (resume) => void paused.push(resume) });
    this.#paused = paused;
  }

  /** Ends one pause. Returns how long the server worked until the next one, `undefined` if it had not paused. */
  resumeOnce(): number | undefined {
    const resume = this.#paused.shift();
    if (resume === undefined) return undefined;
    const startMs = this.time.nowMs();
    resume();
    return this.time.nowMs() - startMs;
  }

  /** Ends all pauses, without a tick. */
  async resume(): Promise<void> {
    await settle();
    while (this.resumeOnce() !== undefined) await settle();
  }

  /** Returns a client that was welcomed since the last tick. */
  async arrive(clientId: bigint, name = "Ada"): Promise<SampleClient> {
    const client = this.connect();
    client.hello({ clientId, name });
    await settle();
    return client;
  }
}

/** Returns `count` changed tiles of a region, anywhere in it. */
function tiles(count: number, region: Position = HERE): readonly VoxelPlacement[] {
  const prng = new Prng(7);
  return Array.from({ length: count }, () => ({
    voxel: [region[0] * 128 + prng.below(128), region[1] * 128 + prng.below(128), 0, 0],
    block: 1 + prng.below(9),
  }));
}

/** Returns from what to which clock each patch leads, without the epoch. */
function stepsOf(client: SampleClient): readonly (readonly [base: unknown, next: unknown])[] {
  return client
    .takeAll("patch")
    .flatMap(({ patch }) =>
      patch.changes.map(({ base, next }) => [unepoched(base), unepoched(next)] as const),
    );
}

function unepoched(clock: unknown): unknown {
  return typeof clock === "number" ? clock % CLOCKS_PER_EPOCH : clock;
}

describe("a newcomer", () => {
  test("holds its loaded regions before the next tick", async () => {
    const stage = new PausingStage();
    stage.world.change(tiles(100));
    const client = await stage.arrive(1n);
    client.want(boxesOf(HERE, [1, 0, 0, 0]));
    await stage.resume();
    expect(client.takeAll("patch")).toHaveLength(1);
    expect(client.agrees(HERE)).toBe(true);
  });

  test("holds a region that had to be loaded before the next tick", async () => {
    const stage = new PausingStage({ world: new SampleWorld({ stored: [tileIn(HERE, 3)] }) });
    const client = await stage.arrive(1n);
    client.want(boxesOf(HERE));
    await stage.resume();
    expect(client.takeAll("patch")).toHaveLength(1);
    expect(client.agrees(HERE)).toBe(true);
  });

  test("has its interest when it also has the entities there, after the next tick", async () => {
    const stage = new PausingStage();
    const client = await stage.arrive(1n);
    client.want(boxesOf(HERE));
    await stage.resume();
    expect(client.takeAll("heartbeat")).toEqual([]);
    await stage.tick();
    const kinds = client.take().map(({ kind }) => kind);
    expect(kinds).toContain("allEntities");
    expect(kinds.indexOf("heartbeat")).toBeGreaterThan(kinds.indexOf("allEntities"));
  });

  test("is sent the state of the last tick, so that the next change follows for all clients", async () => {
    const stage = new PausingStage();
    const other = await stage.joinAt(boxesOf(HERE));
    await stage.resume();
    stage.world.change(tiles(4_000));
    await stage.tick();
    const { state } = stage.world;
    stage.world.change([tileIn(HERE, 3)]);
    stage.world.change([tileIn(HERE, 4, 1)]);
    const client = await stage.arrive(2n);
    client.want(boxesOf(HERE));
    await stage.resume();
    client.readFrames();
    expect(client.replica.clockOf(HERE)).toBe(other.replica.clockOf(HERE));
    expect(client.replica.tree.at(...HERE)).toEqual(state.overrides.at(...HERE));
    client.take();
    other.take();
    await stage.tick();
    expect(stepsOf(client)).toEqual(stepsOf(other));
    for (const one of [client, other]) expect(one.agrees(HERE)).toBe(true);
  });

  test("waits for the tick where the region was changed before it was loaded", async () => {
    const stage = new PausingStage({ world: new SampleWorld({ stored: [tileIn(HERE, 3)] }) });
    let finish = (): void => undefined;
    stage.world.loading = new Promise((resolve) => {
      finish = () => resolve();
    });
    const client = await stage.arrive(1n);
    client.want(boxesOf(HERE));
    await stage.resume();
    stage.world.change([tileIn(HERE, 4, 1)]);
    finish();
    await stage.resume();
    await stage.ticks(2);
    expect(client.agrees(HERE)).toBe(true);
  });

  test("gets everything when it comes in the middle of many edits", async () => {
    const stage = new PausingStage();
    const prng = new Prng(11);
    stage.world.change(tiles(3_000));
    const clients: SampleClient[] = [];
    for (let id = 1n; id <= 30n; id++) {
      for (let edit = 0; edit < prng.below(4); edit++)
        stage.world.change([tileIn(HERE, 1 + prng.below(9), edit)]);
      const client = await stage.arrive(id, `${id}`);
      client.want(boxesOf(HERE));
      if (prng.below(2) === 0) await stage.resume();
      stage.world.change([tileIn(HERE, 1 + prng.below(9), 20)]);
      if (prng.below(2) === 0) await stage.ticks(1);
      clients.push(client);
    }
    await stage.ticks(2);
    for (const client of clients) {
      expect(client.agrees(HERE)).toBe(true);
      // Nothing had to be sent twice.
      expect(stepsOf(client).filter(([base]) => typeof base !== "number").length).toBe(1);
    }
  });
});

describe("between two ticks", () => {
  test("a client that repeats its interest gets no more than in one tick", async () => {
    const limits = { patchesPerTick: 4, interestsPerSecond: 1_000 };
    const stage = new PausingStage({ limits });
    for (let x = 0; x < 16; x++) stage.world.change(tiles(4_000, [x, 0, 0, 0]));
    const client = await stage.arrive(1n);
    for (let turn = 0; turn < 12; turn++) {
      client.want([row(16, 0)]);
      await stage.resume();
    }
    expect(client.takeAll("patch").length).toBe(4);
    await stage.tick();
    expect(client.takeAll("patch").length).toBe(4);
    client.want([row(16, 0)]);
    await stage.resume();
    expect(client.takeAll("patch")).toEqual([]);
  });

  test("a client whose small regions come in many answers gets no more patches than in one tick", async () => {
    const limits = { patchesPerTick: 4, interestsPerSecond: 1_000 };
    const stage = new PausingStage({ limits });
    for (let x = 0; x < 16; x++) stage.world.change([tileIn([x, 0, 0, 0], 3)]);
    const client = await stage.arrive(1n);
    for (let count = 1; count <= 12; count++) {
      client.want([row(count, 0)]);
      await stage.resume();
    }
    expect(client.takeAll("patch").length).toBe(4);
  });

  test("a player who connects again and again is answered a limited number of times", async () => {
    const stage = new PausingStage({ authorize: oneAccount });
    stage.world.change(tiles(4_000));
    let answered = 0;
    for (let id = 1n; id <= 60n; id++) {
      const client = await stage.arrive(id);
      client.want(boxesOf(HERE));
      await stage.resume();
      if (client.takeAll("patch").length > 0) answered++;
      client.session.disconnected();
    }
    expect(answered).toBe(16);
    const other = await stage.arrive(99n, "Bert");
    other.want(boxesOf(HERE));
    await stage.resume();
    expect(other.takeAll("patch").length).toBe(1);
  });

  test("a crowd is answered in short slices within tickWorkMs, and the rest of it by the tick", async () => {
    const reports: TickReport[] = [];
    const stage = new PausingStage({
      limits: { tickWorkMs: 60 },
      events: { onTick: (report) => reports.push(report) },
    });
    stage.world.change(tiles(4_000));
    const crowd: SampleClient[] = [];
    for (let id = 1n; id <= 200n; id++) crowd.push(await stage.arrive(id, `${id}`));
    for (const client of crowd) {
      client.want(boxesOf(HERE));
      // It takes 1 ms to send a frame.
      client.onBytes = () => stage.time.advance(1);
    }
    const slices: number[] = [];
    for (let ms = stage.resumeOnce(); ms !== undefined; ms = stage.resumeOnce()) slices.push(ms);
    expect(Math.max(...slices)).toBe(4);
    expect(slices.reduce((sum, ms) => sum + ms)).toBe(20);
    const answered = crowd.filter((client) => client.takeAll("patch").length > 0);
    // The first ones, in the order in which they came.
    expect(answered).toEqual(crowd.slice(0, 20));
    await stage.tick();
    for (const client of crowd) expect(client.agrees(HERE)).toBe(true);
    expect(stage.resumeOnce()).toBeUndefined();
    await stage.tick();
    expect(reports.at(-1)?.workMs).toBeLessThanOrEqual(60);
  });

  test("a client with too many bytes in flight is sent nothing", async () => {
    const stage = new PausingStage({ limits: { inFlightBytesMax: 2_000 } });
    for (let x = 0; x < 4; x++) stage.world.change(tiles(4_000, [x, 0, 0, 0]));
    const client = await stage.arrive(1n);
    client.want(boxesOf(HERE));
    await stage.resume();
    expect(client.takeAll("patch").length).toBe(1);
    client.acknowledged = 0;
    client.want([row(4, 0)]);
    await stage.resume();
    expect(client.takeAll("patch")).toEqual([]);
  });
});

describe("a large region that has changed a little", () => {
  /** Has a client join alone, and leave. Returns the clocks of its patches. */
  async function visit(stage: Stage, clientId: bigint): Promise<readonly (readonly [unknown, unknown])[]> {
    const client = await stage.joinAt(boxesOf(HERE), { clientId, name: `${clientId}` });
    expect(client.agrees(HERE)).toBe(true);
    client.session.disconnected();
    return stepsOf(client);
  }

  test("is sent as it was packed, and then the change, also after all clients have left", async () => {
    const stage = new Stage();
    stage.world.change(tiles(4_000));
    expect(await visit(stage, 1n)).toEqual([["generated", 1]]);
    stage.world.change([tileIn(HERE, 3)]);
    stage.world.change([tileIn(HERE, 4)]);
    expect(await visit(stage, 2n)).toEqual([
      ["generated", 1],
      [1, 3],
    ]);
    // Clients that have every voxel sent get the same of another region.
    const simple = await stage.joinAt(boxesOf(HERE), { clientId: 3n, name: "Eva", generators: [] });
    stage.world.change([tileIn(HERE, 5)]);
    const next = await stage.joinAt(boxesOf(HERE), { clientId: 4n, name: "Max", generators: [] });
    expect(stepsOf(simple)).toEqual([
      ["air", 3],
      [3, 4],
    ]);
    expect(stepsOf(next)).toEqual([
      ["air", 3],
      [3, 4],
    ]);
    for (const client of [simple, next]) expect(client.agrees(HERE)).toBe(true);
  });

  test("is packed again when the change would add more than a sixteenth", async () => {
    const stage = new Stage();
    stage.world.change(tiles(4_000));
    await visit(stage, 1n);
    stage.world.change(tiles(4_000).map(({ voxel, block = 0 }) => ({ voxel, block: 10 - block })));
    expect(await visit(stage, 2n)).toEqual([["generated", 2]]);
    stage.world.change([tileIn(HERE, 3)]);
    expect((await visit(stage, 3n)).length).toBe(2);
  });

  test("is sent in two ticks to a client that gets one patch in each", async () => {
    const stage = new Stage({ limits: { patchesPerTick: 1 } });
    stage.world.change(tiles(4_000));
    await visit(stage, 1n);
    stage.world.change([tileIn(HERE, 3)]);
    const client = await stage.join({ clientId: 2n, name: "Bert" });
    client.want(boxesOf(HERE));
    for (const step of [
      ["generated", 1],
      [1, 2],
    ]) {
      await stage.tick();
      expect(stepsOf(client)).toEqual([step]);
    }
    expect(client.agrees(HERE)).toBe(true);
  });

  test("is sent again completely to a client that missed the change behind it", async () => {
    const stage = new Stage();
    stage.world.change(tiles(4_000));
    await visit(stage, 1n);
    stage.world.change([tileIn(HERE, 3)]);
    const client = await stage.join({ clientId: 2n, name: "Bert" });
    client.want(boxesOf(HERE));
    client.isDeaf = true;
    await stage.tick();
    client.isDeaf = false;
    client.send({ kind: "resync", expected: 2, regions: [] });
    await stage.ticks(2);
    expect(stepsOf(client)).toEqual([
      ["generated", 1],
      [1, 2],
    ]);
  });
});
