import { uniformChunk } from "@orthant/core";
import { clockFrom } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import { codeOfRejection } from "@orthant/testkit";
import {
  createWorldEngine,
  type LoggedChange,
  openLoggedWorldEngine,
  openWorldEngine,
} from "@orthant/world/engine";
import { expect, test } from "vitest";
import { SampleLog } from "./sample-log.ts";

async function disk(): Promise<MemoryDisk> {
  const made = new MemoryDisk();
  const world = await createWorldEngine(made);
  await world.close();
  return made;
}

const REGION = [0, 0, 0, 0] as const;

function change(before: number, after: number, block: number): LoggedChange {
  return {
    clocks: [{ region: REGION, before, after }],
    chunks: [{ position: REGION, chunk: uniformChunk(4_096, block) }],
    origins: [{ clientId: 7n, lastEditId: block }],
  };
}

test("[K11] the contents of a log are replayed, saved, and skipped the next time", async () => {
  const saved = await disk();
  const changes = [change(0, clockFrom(1, 1), 3), change(clockFrom(1, 1), clockFrom(1, 4), 5)];
  for (const epoch of [2, 3]) {
    const world = await openLoggedWorldEngine(saved, new SampleLog(epoch, changes), { autosave: false });
    expect(await world.get([1, 1, 1, 1])).toBe(5);
    expect(world.clockOf(REGION)).toBe(clockFrom(1, 4));
    expect(world.lastEditOf(7n)).toBe(5);
    await world.close();
  }
  const world = await openWorldEngine(saved, { readOnly: true });
  expect(await world.get([0, 0, 0, 0])).toBe(5);
  await world.close();
});

test("[K19] the last edit of a client is the latest in the log, even if an earlier one follows it", async () => {
  const later = {
    ...change(0, clockFrom(1, 1), 3),
    origins: [4, 5].map((lastEditId) => ({ clientId: 7n, lastEditId })),
  };
  const clocks = [{ region: [9, 0, 0, 0] as const, before: 0, after: clockFrom(1, 1) }];
  const earlier: LoggedChange = { clocks, chunks: [], origins: [{ clientId: 7n, lastEditId: 4 }] };
  const world = await openLoggedWorldEngine(await disk(), new SampleLog(2, [later, earlier]), {
    autosave: false,
  });
  expect(world.lastEditOf(7n)).toBe(5);
  await world.close();
});

test("[K11] a log that builds on clocks the world does not have is rejected, and the folder is released", async () => {
  const saved = await disk();
  const log = new SampleLog(2, [change(clockFrom(1, 1), clockFrom(1, 2), 3)]);
  expect(await codeOfRejection(openLoggedWorldEngine(saved, log))).toBe("ORT_JOURNAL");
  const world = await openLoggedWorldEngine(saved, new SampleLog(2));
  expect(await world.get([0, 0, 0, 0])).toBe(0);
  await world.close();
});

test("clocks belong to the log's epoch, which must be later than all previous ones", async () => {
  const saved = await disk();
  const log = new SampleLog(9);
  const world = await openLoggedWorldEngine(saved, log, { autosave: false });
  const { clocks } = await world.set([0, 0, 0, 0], 1);
  expect(clocks).toEqual([{ region: REGION, before: 0, after: clockFrom(9, 1) }]);
  const renewed = await world.renewClocks([REGION, [5, 0, 0, 0]]);
  expect(renewed.clocks.map(({ after }) => after)).toEqual([clockFrom(9, 2), clockFrom(9, 1)]);
  expect(log.entries.map((entry) => entry.kind === "edit" && entry.clocks)).toEqual([
    [{ region: REGION, before: 0, clock: clockFrom(9, 1) }],
    [
      { region: REGION, before: clockFrom(9, 1), clock: clockFrom(9, 2) },
      { region: [5, 0, 0, 0], before: 0, clock: clockFrom(9, 1) },
    ],
  ]);
  await world.close();
  expect(await codeOfRejection(openLoggedWorldEngine(saved, new SampleLog(9)))).toBe("ORT_CLOCK");
});

test("a world whose log is elsewhere refuses to change its blocks, with what to do, and knows those that it has", async () => {
  const saved = new MemoryDisk();
  const before = await createWorldEngine(saved);
  await before.blocks.define({ copper: {} });
  await before.close();
  const log = new SampleLog(2);
  const world = await openLoggedWorldEngine(saved, log);
  const { blocks, catalog } = world;
  for (const change of [
    () => blocks.define({ tin: {} }),
    () => blocks.change("copper", { light: 3 }),
    () => blocks.rename("copper", "tin"),
    () => blocks.retire("copper"),
  ]) {
    await expect(change()).rejects.toThrow("call the same method of a ClusterGateway");
  }
  expect((await blocks.define({ copper: {} })).copper.id()).toBe(16);
  expect([world.catalog === catalog, catalog.byName("tin"), log.entries]).toEqual([true, undefined, []]);
  await world.close();
});

test("a world whose log is elsewhere reads its store, and refuses to change it", async () => {
  const made = new MemoryDisk();
  const world = await createWorldEngine(made);
  await world.store.change("k", Uint8Array.of(7));
  await world.close();
  const log = new SampleLog(9);
  const logged = await openLoggedWorldEngine(made, log);
  expect(await logged.store.get("k")).toEqual(Uint8Array.of(7));
  await expect(logged.store.change("k", Uint8Array.of(8))).rejects.toThrow(
    "a world that a cluster shares has no store",
  );
  expect(log.entries).toEqual([]);
  await logged.close();
});
