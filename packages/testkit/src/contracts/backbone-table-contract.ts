import type { TableEntry } from "@orthant/cluster";
import { expect } from "vitest";
import { textBytes, textOf } from "../base/bytes.ts";
import type { OnBackbone } from "./backbone-under-test.ts";
import { Gathered } from "./gathered.ts";

/** Tests the guarantees of a backbone's table. */
export function describeBackboneTable(on: OnBackbone): void {
  on(
    "returns nothing for an unwritten key, and the last value of a written one",
    async ({ connect }, name) => {
      const [{ table }, other] = [await connect(), await connect()];
      expect(await table.get(name)).toBeUndefined();
      const first = await table.put(name, textBytes("one"));
      const second = await other.table.put(name, textBytes("two"));
      expect(second).toBeGreaterThan(first);
      expect(entryText(await table.get(name))).toEqual([name, "two", second]);
    },
  );

  on("issues revisions that rise across all keys", async ({ connect }, name) => {
    const { table } = await connect();
    const revisions: number[] = [];
    for (const key of ["a", "b", "a", "c"]) revisions.push(await table.put(`${name}.${key}`, textBytes(key)));
    expect([...new Set(revisions)].sort((one, other) => one - other)).toEqual(revisions);
  });

  on("swaps only at the revision that the writer expects", async ({ connect }, name) => {
    const { table } = await connect();
    const made = (await table.swap(name, textBytes("mine"), 0)) ?? 0;
    expect(made).toBeGreaterThan(0);
    expect(await table.swap(name, textBytes("late"), 0)).toBeUndefined();
    await table.put(`${name}.other`, textBytes("beside"));
    const changed = (await table.swap(name, textBytes("again"), made)) ?? 0;
    expect(changed).toBeGreaterThan(made);
    expect(await table.swap(name, textBytes("stale"), made)).toBeUndefined();
    expect(await table.swap(name, textBytes("ahead"), changed + 1)).toBeUndefined();
    expect(entryText(await table.get(name))).toEqual([name, "again", changed]);
  });

  on("accepts one of many concurrent swaps", async ({ connect }, name) => {
    const tables = [await connect(), await connect(), await connect()].map(({ table }) => table);
    let revision = 0;
    for (let round = 0; round < 10; round++) {
      const swaps = await Promise.all(
        tables.map((table, index) => table.swap(name, textBytes(`${index}`), revision)),
      );
      const winners = swaps.flatMap((swapped, index) => (swapped === undefined ? [] : [{ swapped, index }]));
      expect(winners).toHaveLength(1);
      revision = winners[0]?.swapped ?? 0;
      expect(entryText(await tables[0]?.get(name))).toEqual([name, `${winners[0]?.index}`, revision]);
    }
  });

  on(
    "gives a watcher the current entries of its prefix, then every write, in order",
    async ({ connect }, name) => {
      const [{ table }, writer] = [await connect(), await connect()];
      await writer.table.put(`${name}.b`, textBytes("standing b"));
      await writer.table.put(`${name}.a`, textBytes("overwritten"));
      await writer.table.put(`${name}.a`, textBytes("standing a"));
      await writer.table.put(`not ${name}`, textBytes("of others"));
      const seen = new Gathered<TableEntry>();
      await table.watch(`${name}.`, seen.take);
      expect(texts(seen.items)).toEqual(["standing b", "standing a"]);
      for (const text of ["1", "2", "3"]) await writer.table.put(`${name}.${text}`, textBytes(text));
      await table.put(`not ${name}`, textBytes("of others"));
      await writer.table.put(`${name}.a`, textBytes("4"));
      await seen.until((items) => items.length === 6);
      expect(texts(seen.items)).toEqual(["standing b", "standing a", "1", "2", "3", "4"]);
      const revisions = seen.items.map(({ revision }) => revision);
      expect([...revisions].sort((one, other) => one - other)).toEqual(revisions);
    },
  );

  on("shows all nodes the same order of concurrent writes", async ({ connect }, name) => {
    const tables = [await connect(), await connect(), await connect()].map(({ table }) => table);
    const seen = tables.map(() => new Gathered<TableEntry>());
    await Promise.all(
      tables.map((table, index) => table.watch(name, seen[index]?.take ?? (() => undefined))),
    );
    const keys = Array.from({ length: 20 }, (_, index) => `${name}.${index}`);
    await Promise.all(
      tables.flatMap((table, index) => keys.map((key) => table.put(`${key}.${index}`, textBytes(key)))),
    );
    await Promise.all(seen.map((gathered) => gathered.until((items) => items.length === 60)));
    const [one, ...others] = seen.map(({ items }) => items.map(({ key, revision }) => [key, revision]));
    for (const other of others) expect(other).toEqual(one);
  });

  on("delivers nothing after a watch ends, and other watches continue", async ({ connect }, name) => {
    const { table } = await connect();
    const [ended, going] = [new Gathered<TableEntry>(), new Gathered<TableEntry>()];
    const subscription = await table.watch(name, ended.take);
    await table.watch(name, going.take);
    await table.put(name, textBytes("before"));
    await Promise.all([ended, going].map((gathered) => gathered.until((items) => items.length === 1)));
    subscription.end();
    await table.put(name, textBytes("after"));
    await going.until((items) => items.length === 2);
    expect(texts(ended.items)).toEqual(["before"]);
  });

  on("accepts any key, and an empty value", async ({ connect }, name) => {
    const { table } = await connect();
    const keys = [`${name}.ö 漢=3D`, `${name}.*.>`, `${name}._-/\\$`];
    const seen = new Gathered<TableEntry>();
    await table.watch(name, seen.take);
    for (const key of keys) await table.put(key, new Uint8Array());
    await seen.until((items) => items.length === keys.length);
    expect(seen.items.map(({ key, value }) => [key, value?.length])).toEqual(keys.map((key) => [key, 0]));
    for (const key of keys) expect((await table.get(key))?.value).toHaveLength(0);
  });
}

function texts(entries: readonly TableEntry[]): readonly string[] {
  return entries.map(({ value }) => textOf(value));
}

function entryText(entry: TableEntry | undefined): readonly unknown[] {
  return [entry?.key, textOf(entry?.value), entry?.revision];
}
