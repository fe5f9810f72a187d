import type { Position } from "@orthant/core";
import { boxAt, boxBetween, regionBox } from "@orthant/core/lattice";
import { CLOCK_NEVER } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import { FakeTime } from "@orthant/testkit";
import {
  createWorldEngine,
  openWorldEngine,
  type StoredEntityEvent,
  type WorldEngine,
} from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const quiet = { time: new FakeTime(), autosave: false };
const FAR: Position = [600_000, 0, 0, 0];
const EVERYWHERE = boxBetween([-1e6, -1e6, -1e6, -1e6], [1e6, 1e6, 1e6, 1e6]);

/** Returns a list that receives all events as text. */
function listen(world: WorldEngine): string[] {
  const heard: string[] = [];
  world.entities.onEvent((event) => heard.push(inWords(event)));
  return heard;
}

function inWords(event: StoredEntityEvent): string {
  return event.kind === "gone"
    ? `${event.entityId} gone`
    : `${event.entity.entityId} at ${event.entity.position}`;
}

/** Returns a closed world with a near and a far leaf, and an entity in each: 1 near, 2 far. */
async function twoLeaves(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const world = await createWorldEngine(disk, {}, quiet);
  for (const position of [[0, 0, 0, 0], FAR] as const) {
    await world.set(position, 1);
    world.entities.spawn({ kind: 1, position: position });
  }
  await world.close();
  return disk;
}

describe("onEntity", () => {
  test("reports entities that are spawned, changed and despawned", async () => {
    const world = await createWorldEngine(new MemoryDisk(), {}, quiet);
    const heard = listen(world);
    const { entityId } = world.entities.spawn({ kind: 1, position: [1, 2, 3, 4] });
    world.entities.change(entityId, { position: [5, 6, 7, 8] });
    world.entities.change(entityId, { displayName: "Ada" });
    await world.save();
    world.entities.despawn(entityId);
    expect(heard).toEqual(["1 at 1,2,3,4", "1 at 5,6,7,8", "1 at 5,6,7,8", "1 gone"]);
    await world.close();
  });

  test("reports entities that are loaded into memory, each once", async () => {
    const disk = await twoLeaves();
    const world = await openWorldEngine(disk, quiet);
    const heard = listen(world);
    await world.get([0, 0, 0, 0]);
    expect(heard).toEqual(["1 at 0,0,0,0"]);
    await world.entities.in(EVERYWHERE);
    await world.load(EVERYWHERE);
    expect(heard).toEqual(["1 at 0,0,0,0", "2 at 600000,0,0,0"]);
    await world.close();
  });

  test("reports entities that a save loads, and a throwing listener does not fail the save", async () => {
    const disk = await twoLeaves();
    const world = await openWorldEngine(disk, quiet);
    world.entities.onEvent(({ kind }) => {
      if (kind === "present") throw new Error("a listener's own");
    });
    const heard = listen(world);
    expect(() => world.entities.spawn({ kind: 2, position: FAR })).toThrow("a listener's own");
    await world.save();
    expect(world.failure).toBe(undefined);
    expect(heard).toEqual(["3 at 600000,0,0,0", "2 at 600000,0,0,0"]);
    await world.close();
    const again = await openWorldEngine(disk, quiet);
    expect((await again.entities.in(EVERYWHERE)).map(({ entityId }) => entityId)).toEqual([1n, 2n, 3n]);
    await again.close();
  });

  test("passes a listener's error to the caller that loads, after calling the others and keeping the leaf", async () => {
    const world = await openWorldEngine(await twoLeaves(), quiet);
    const stop = world.entities.onEvent(() => {
      throw new Error("a listener's own");
    });
    const heard = listen(world);
    await expect(world.get([0, 0, 0, 0])).rejects.toThrow("a listener's own");
    stop();
    expect(heard).toEqual(["1 at 0,0,0,0"]);
    expect(await world.get([0, 0, 0, 0])).toBe(1);
    expect(world.entities.get(1n)?.kind).toBe(1);
    await world.close();
  });
});

describe("loaded regions", () => {
  test("are distinguished from unloaded ones, answer at once, and have clocks", async () => {
    const disk = await twoLeaves();
    const world = await openWorldEngine(disk, quiet);
    const far = boxAt([FAR[0] / 8, 0, 0, 0]);
    expect([world.isLoaded(far), world.isLoaded(boxAt([0, 0, 0, 0]))]).toEqual([false, false]);
    expect([...world.state.overrides.pieces(far)]).toEqual([]);
    const region: Position = [Math.floor(FAR[0] / 32), 0, 0, 0];
    expect(world.clockOf(region)).toBeUndefined();
    await world.load(far);
    await world.load(regionBox([0, 7, 0, 0]));
    const clock = world.clockOf(region);
    expect(clock).toBeGreaterThan(CLOCK_NEVER);
    expect(world.clockOf([0, 7, 0, 0])).toBe(CLOCK_NEVER);
    expect([world.isLoaded(far), world.isLoaded(boxAt([0, 0, 0, 0]))]).toEqual([true, false]);
    expect(world.state.realizeChunk(...far.min).get(0)).toBe(1);
    const { clocks } = await world.set(FAR, 2);
    expect(clocks).toEqual([{ region, before: clock, after: world.clockOf(region) }]);
    expect(world.state.realizeChunk(...far.min).get(0)).toBe(2);
    await world.close();
  });
});
