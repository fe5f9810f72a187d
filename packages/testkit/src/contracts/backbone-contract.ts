import type { Journal, JournalRecord, StoredRecord } from "@orthant/cluster";
import { describe, expect, test } from "vitest";
import { codeOfRejection } from "../base/error-code.ts";
import { describeBackboneMessages } from "./backbone-messages-contract.ts";
import { describeBackboneTable } from "./backbone-table-contract.ts";
import { type BackboneUnderTest, type OnBackbone, recordOf } from "./backbone-under-test.ts";

/** Tests the guarantees of a cluster backbone. Call it in a test file, once per backbone. */
export function describeBackboneContract(adapter: string, make: () => Promise<BackboneUnderTest>): void {
  const on: OnBackbone = (title, body) => {
    test(title, async () => {
      const under = await make();
      try {
        await body(under, crypto.randomUUID());
      } finally {
        await under.dispose();
      }
    });
  };
  describe(`${adapter} keeps the backbone contract: table`, () => describeBackboneTable(on));
  describe(`${adapter} keeps the backbone contract: journal`, () => describeJournal(on));
  describe(`${adapter} keeps the backbone contract: a journal's end`, () => describeJournalEnd(on));
  describe(`${adapter} keeps the backbone contract: messages`, () => describeBackboneMessages(on));
}

function describeJournal(on: OnBackbone): void {
  on("finds no journal before it is created, and begins one at 1", async ({ connect }, world) => {
    const backbone = await connect();
    expect(await backbone.findJournal(world, "1")).toBeUndefined();
    const journal = await backbone.journal(world, "1");
    expect(await journal.state()).toEqual({ first: 1, last: 0, bytes: 0 });
    expect(await (await backbone.findJournal(world, "1"))?.state()).toEqual({ first: 1, last: 0, bytes: 0 });
  });

  on(
    "begins a new journal at the given sequence, and leaves an existing one unchanged",
    async ({ connect }, world) => {
      const backbone = await connect();
      const first = 5_000_000_000;
      const journal = await backbone.journal(world, "1", first);
      expect(await journal.state()).toMatchObject({ first, last: first - 1 });
      expect(await journal.append([recordOf("a")], first - 1)).toEqual({ kind: "stored", last: first });
      expect(await (await backbone.journal(world, "1", 9)).state()).toMatchObject({ first, last: first });
    },
  );

  on("returns all appended records, in order, to another node", async ({ connect }, world) => {
    const [writer, reader] = [await connect(), await connect()];
    const journal = await writer.journal(world, "1");
    const records = [
      recordOf("term"),
      recordOf("stone", "0_0_0", "1_-2_3"),
      recordOf("", "-1_0_0"),
      recordOf("end"),
    ];
    expect(await journal.append(records.slice(0, 1), 0)).toEqual({ kind: "stored", last: 1 });
    expect(await journal.append(records.slice(1), 1)).toEqual({ kind: "stored", last: 4 });
    const found = await readAll(await reader.journal(world, "1"), 1, 4);
    expect(found.map(({ subject, bytes }) => ({ subject, bytes: Uint8Array.from(bytes) }))).toEqual(records);
    expect(found.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  });

  on("rejects a writer that expects another end, and stores nothing of it", async ({ connect }, world) => {
    const journal = await (await connect()).journal(world, "1");
    await journal.append([recordOf("a"), recordOf("b")], 0);
    const before = await journal.state();
    for (const wrong of [0, 1, 3]) {
      expect(await journal.append([recordOf("x")], wrong)).toEqual({ kind: "stale" });
      expect(await journal.append([recordOf("x"), recordOf("y", "0"), recordOf("z")], wrong)).toEqual({
        kind: "stale",
      });
    }
    expect(await journal.state()).toEqual(before);
    expect(await journal.append([recordOf("c")], 2)).toEqual({ kind: "stored", last: 3 });
  });

  on("accepts one of several writers that expect the right end", async ({ connect }, world) => {
    const backbones = [await connect(), await connect(), await connect()];
    const journals = await Promise.all(backbones.map((backbone) => backbone.journal(world, "1")));
    for (let last = 0; last < 30; last += 3) {
      const outcomes = await Promise.all(
        journals.map((journal, index) => journal.append(threeOf(`${last} of ${index}`), last)),
      );
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["stale", "stale", "stored"]);
      const winner = outcomes.findIndex(({ kind }) => kind === "stored");
      const [first] = journals;
      const texts = first === undefined ? [] : await readTexts(first, last + 1, last + 3);
      expect(texts).toEqual(
        threeOf(`${last} of ${winner}`).map(({ bytes }) => new TextDecoder().decode(bytes)),
      );
    }
  });

  on("rejects a writer after another one's record, however often it tries", async ({ connect }, world) => {
    const old = await (await connect()).journal(world, "1");
    const successor = await (await connect()).journal(world, "1");
    await old.append([recordOf("before")], 0);
    expect(await successor.append([recordOf("term 2")], 1)).toEqual({ kind: "stored", last: 2 });
    const zombie = await Promise.all([1, 2, 3].map((ahead) => old.append(threeOf("zombie"), ahead * 3 - 2)));
    expect(zombie).toEqual([{ kind: "stale" }, { kind: "stale" }, { kind: "stale" }]);
    expect(await readTexts(old, 1, 2)).toEqual(["before", "term 2"]);
  });

  on("appends 1 to 1,000 records at once, and rejects more or none", async ({ connect }, world) => {
    const journal = await (await connect()).journal(world, "1");
    const many = Array.from({ length: 1000 }, (_, index) => recordOf(`${index}`, "0", `${index % 7}`));
    expect(await journal.append(many, 0)).toEqual({ kind: "stored", last: 1000 });
    expect(await codeOfRejection(() => journal.append([...many, recordOf("x")], 1000))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(() => journal.append([], 1000))).toBe("ORT_ARGUMENT");
    expect(await readTexts(journal, 1, 1000)).toEqual(many.map((_, index) => `${index}`));
    expect(await readTexts(journal, 400, 402)).toEqual(["399", "400", "401"]);
  });

  on("keeps worlds and shards with any names apart", async ({ connect }, world) => {
    const backbone = await connect();
    const names = [
      [world, "1"],
      [world, "2"],
      [`${world}_1`, "2"],
      [world, "1_2"],
      [`${world} ä.*>/=5F`, "1"],
    ] as const;
    const journals = await Promise.all(names.map(([of, shard]) => backbone.journal(of, shard)));
    await Promise.all(
      journals.map((journal, index) => journal.append([recordOf(`${index}`, "a.b *", "=2D")], 0)),
    );
    const found = await Promise.all(journals.map((journal) => readAll(journal, 1, 1)));
    expect(found.map(([record]) => new TextDecoder().decode(record?.bytes))).toEqual([
      "0",
      "1",
      "2",
      "3",
      "4",
    ]);
    expect(found[0]?.[0]?.subject).toEqual({ kind: "region", sector: "a.b *", region: "=2D" });
    for (const [of, shard] of names) await backbone.removeJournal(of, shard);
  });
}

function describeJournalEnd(on: OnBackbone): void {
  on(
    "trims up to a sequence, continues counting, and does not read trimmed records",
    async ({ connect }, world) => {
      const journal = await (await connect()).journal(world, "1");
      await journal.append(threeOf("old"), 0);
      await journal.trim(2);
      expect(await journal.state()).toMatchObject({ first: 3, last: 3 });
      expect(await codeOfRejection(() => readAll(journal, 2, 3))).toBe("ORT_JOURNAL");
      await journal.trim(1);
      expect(await readTexts(journal, 3, 3)).toEqual(["old 2"]);
      await journal.trim(3);
      expect(await journal.state()).toEqual({ first: 4, last: 3, bytes: 0 });
      expect(await journal.append([recordOf("x")], 0)).toEqual({ kind: "stale" });
      expect(await journal.append([recordOf("new")], 3)).toEqual({ kind: "stored", last: 4 });
      expect(await readTexts(journal, 4, 4)).toEqual(["new"]);
    },
  );

  on("reads and trims no record that is not written yet", async ({ connect }, world) => {
    const journal = await (await connect()).journal(world, "1");
    await journal.append(threeOf("a"), 0);
    expect(await codeOfRejection(() => readAll(journal, 3, 4))).toBe("ORT_JOURNAL");
    await journal.trim(9);
    expect(await journal.state()).toMatchObject({ first: 4, last: 3 });
    expect(await journal.append([recordOf("b")], 3)).toEqual({ kind: "stored", last: 4 });
  });

  on(
    "reports that it is full, stores nothing then, and accepts more after a trim",
    async ({ connect }, world) => {
      const journal = await (await connect({ journalBytesMax: 64 * 1024 })).journal(world, "1");
      const large = [recordOf("x".repeat(10_000), "0"), recordOf("y".repeat(10_000), "0")];
      let last = 0;
      let outcome = await journal.append(large, last);
      for (let round = 0; round < 10 && outcome.kind === "stored"; round++) {
        last = outcome.last;
        outcome = await journal.append(large, last);
      }
      expect(outcome).toEqual({ kind: "full" });
      expect(await journal.append(large.slice(1), last)).toEqual({ kind: "full" });
      expect(await journal.state()).toMatchObject({ first: 1, last });
      expect(await journal.append([recordOf("term")], last)).toEqual({ kind: "stored", last: last + 1 });
      await journal.trim(last + 1);
      expect(await journal.append(large, last + 1)).toEqual({ kind: "stored", last: last + 3 });
    },
  );

  on("sets more and less room aside, up to the largest size", async ({ connect }, world) => {
    const bytesMax = 20 * 1024 * 1024;
    const journal = await (await connect({ journalBytesMax: bytesMax })).journal(world, "1");
    const small = await journal.reserve(1);
    expect(small).toBeLessThanOrEqual(16 * 1024 * 1024);
    expect(await journal.reserve(small)).toBe(small);
    expect(await journal.reserve(small + 1)).toBeGreaterThan(small);
    expect(await journal.reserve(bytesMax * 2)).toBe(bytesMax);
    expect(await journal.append([recordOf("kept", "0")], 0)).toEqual({ kind: "stored", last: 1 });
    expect(await journal.reserve(1)).toBe(small);
    expect(await readTexts(journal, 1, 1)).toEqual(["kept"]);
  });

  on(
    "removes a journal for all nodes, and creates another at the given sequence",
    async ({ connect }, world) => {
      const [backbone, other] = [await connect(), await connect()];
      const journal = await backbone.journal(world, "1");
      await journal.append(threeOf("a"), 0);
      const held = await other.journal(world, "1");
      await backbone.removeJournal(world, "1");
      await backbone.removeJournal(world, "1");
      expect(await other.findJournal(world, "1")).toBeUndefined();
      expect(await codeOfRejection(() => held.state())).toBe("ORT_JOURNAL");
      expect(await codeOfRejection(() => held.append([recordOf("x")], 3))).toBe("ORT_JOURNAL");
      expect(await codeOfRejection(() => readAll(held, 1, 1))).toBe("ORT_JOURNAL");
      expect(await codeOfRejection(() => held.trim(1))).toBe("ORT_JOURNAL");
      const fresh = await other.journal(world, "1", 4);
      expect(await fresh.append([recordOf("b")], 3)).toEqual({ kind: "stored", last: 4 });
    },
  );

  on("reads a long journal in order", async ({ connect }, world) => {
    const journal = await (await connect()).journal(world, "1");
    const bulk = "z".repeat(9000);
    await journal.reserve(40 * 1024 * 1024);
    for (let last = 0; last < 2000; last += 500) {
      await journal.append(
        Array.from({ length: 500 }, (_, index) => recordOf(`${last + index} ${bulk}`, "0")),
        last,
      );
    }
    const texts = await readTexts(journal, 1, 2000);
    expect(texts.map((text) => Number.parseInt(text, 10))).toEqual(texts.map((_, index) => index));
  });
}

function threeOf(text: string): readonly JournalRecord[] {
  return [0, 1, 2].map((index) => recordOf(`${text} ${index}`, "0", `${index}`));
}

async function readAll(journal: Journal, from: number, to: number): Promise<readonly StoredRecord[]> {
  const found: StoredRecord[] = [];
  for await (const record of journal.read(from, to)) found.push(record);
  return found;
}

async function readTexts(journal: Journal, from: number, to: number): Promise<readonly string[]> {
  return (await readAll(journal, from, to)).map(({ bytes }) => new TextDecoder().decode(bytes));
}
