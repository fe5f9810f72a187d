import { box, flat, type Position } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { FakeTime } from "@orthant/testkit";
import { createWorld, openWorld, type System } from "@orthant/world";
import { describe, expect, test } from "vitest";

const INHERITED = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
const PLACE: Position<3> = [1, 40, 1];
const DURABILITIES = ["snapshot", "journal"] as const;

describe.each(DURABILITIES)("a world with durability %s", (durability) => {
  const options = { time: new FakeTime(), autosave: false, durability };

  test.each(INHERITED)("takes %s as any name that a game chooses", async (name) => {
    const disk = new MemoryDisk();
    const world = await createWorld(disk, { dimensions: 3, name, generator: flat({}) }, options);
    const handles = await world.defineBlocks({
      [name]: { tags: [name] },
      chest: { properties: { toString: [name, "other"], constructor: ["a", "b"] } },
    });
    expect(Object.keys(handles)).toEqual([name, "chest"]);
    const own = Object.getOwnPropertyDescriptor(handles, name)?.value as { id(): number };
    await world.set(PLACE, own.id(), { data: JSON.parse(`{ "${name}": 1 }`) as object });
    const chest = world.blocks.id("chest", { constructor: "b" });
    await world.set([2, 40, 1], chest);
    await world.store.set(name, { [name]: name });
    world.upsertPlayer({ playerId: 1n, name, tags: [name] });
    const entity = world.spawnEntity({ kind: 1, position: [1, 41, 1], name, tags: [name] });
    let steps = 0;
    const system: System<3> = ({ number, schedule }) => {
      if (number === 1) schedule.add(PLACE, name, 1);
      steps += [...schedule.due(name)].length;
    };
    const simulation = world.simulate({ systems: { [name]: system }, isPaused: true });
    simulation.keepActive(box([0, 0, 0], [8, 48, 8]));
    await simulation.whenActive();
    await simulation.advance(2);
    expect(steps).toBe(1);
    await world.history.tag(name);
    await world.close();

    const again = await openWorld(disk, { ...options, at: name, readOnly: true });
    expect(again.name).toBe(name);
    expect(again.blocks.describe(await again.get(PLACE))).toEqual({ type: name, properties: {} });
    expect(again.blocks.describe(await again.get([2, 40, 1]))).toEqual({
      type: "chest",
      properties: { toString: name, constructor: "b" },
    });
    const data = await again.data(PLACE);
    expect(Object.getOwnPropertyDescriptor(data, name)?.value).toBe(1);
    expect(JSON.stringify(await again.store.get(name))).toBe(JSON.stringify({ [name]: name }));
    expect(again.player(1n)).toMatchObject({ name, tags: [name] });
    expect(again.entity(entity.id)?.name).toBe(name);
    await again.close();
  });
});
