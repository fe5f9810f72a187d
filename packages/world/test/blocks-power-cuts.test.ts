import { type BlockDefinitions, DEFAULT_BLOCKS } from "@orthant/core";
import { CrashDisk, explorePowerCuts, FakeTime } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const FIRST: BlockDefinitions = { copper: { colour: 0xb8_73_33 } };
const SECOND: BlockDefinitions = {
  ...FIRST,
  chest: { properties: { facing: ["north", "east", "south", "west"] } },
};

function namesOf({ catalog }: WorldEngine): readonly string[] {
  return catalog.types.slice(DEFAULT_BLOCKS.types.length).map(({ name }) => name);
}

describe.each(["snapshot", "journal"] as const)("blocks of a world with durability %s", (durability) => {
  const options = { time: new FakeTime(), autosave: false, durability };

  test("survive a power cut at every operation, and no voxel has an id before its type is there", async () => {
    const recorder = new CrashDisk();
    const world = await createWorldEngine(recorder, {}, options);
    const steps = [{ at: recorder.log.length, names: [] as readonly string[], block: 0, light: 0 }];
    const note = (block: number): void => {
      const light = world.catalog.lightOf(16);
      steps.push({ at: recorder.log.length, names: namesOf(world), block, light });
    };
    const voxel = [0, 0, 0, 0] as const;
    await world.blocks.define(FIRST);
    await world.whenDurable();
    note(0);
    await world.set(voxel, 16);
    await world.blocks.define(SECOND);
    await world.set(voxel, 18);
    await world.whenDurable();
    note(18);
    await world.save();
    await world.blocks.change("copper", { light: 3, opacity: 7 });
    await world.whenDurable();
    note(18);
    await world.blocks.rename("chest", "box");
    await world.whenDurable();
    note(18);
    await world.close();
    const outcomes = new Set<string>();
    const lights = new Set<number>();
    await explorePowerCuts(recorder, { disksPerCut: 6, seed: 21 }, async ({ disk, cutAt }) => {
      const done = steps.filter(({ at }) => at <= cutAt);
      const last = done.at(-1);
      if (last === undefined) return;
      const survivor = await openWorldEngine(disk, options);
      const names = namesOf(survivor);
      const block = await survivor.get(voxel);
      outcomes.add(names.join());
      expect(survivor.catalog.byId(block), `block ${block} of ${names}`).toBeDefined();
      expect(names.length).toBeGreaterThanOrEqual(last.names.length);
      if (last.names.includes("box")) expect(names).toContain("box");
      if (last.block !== 0) expect(block).toBe(last.block);
      const light = survivor.catalog.lightOf(16);
      lights.add(light);
      expect(light).toBeGreaterThanOrEqual(last.light);
      if (names.length > 0) expect(survivor.catalog.opacityOf(16)).toBe(light === 3 ? 7 : 15);
      await survivor.blocks.define({ later: {} });
      await survivor.close();
      const again = await openWorldEngine(disk, options);
      expect(namesOf(again)).toEqual([...names, "later"]);
      await again.close();
    });
    expect([...outcomes].sort()).toEqual(["", "copper", "copper,box", "copper,chest"]);
    expect([...lights].sort()).toEqual([0, 3]);
  }, 240_000);
});
