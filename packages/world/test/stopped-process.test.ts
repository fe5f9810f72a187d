import { once } from "node:events";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeDisk } from "@orthant/disk/node";
import { verifySave } from "@orthant/save";
import { startForeignWriter } from "@orthant/testkit/process";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { expect, test } from "vitest";

/** Edits a world as fast as it can, with a journal, saves and compaction, and prints each durable edit. */
const WRITER = `
  const { NodeDisk } = await import("@orthant/disk/node");
  const { openWorldEngine } = await import("@orthant/world/engine");
  const world = await openWorldEngine(new NodeDisk(folder), {
    durability: "journal", autosave: false, retention: { newest: 1, hours: 0, days: 0 },
  });
  console.log("open");
  for (let x = 0; x < 100000; x++) {
    await world.set([x, Number(line), 0, 0], 5);
    console.log(x);
    if (x % 3 === 2) await world.save();
    if (x % 50 === 49) await world.compact();
  }
`;

test("[S98] a stopped process that lost the lock after 15 silent seconds and resumes loses no edit of either", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orthant-stopped-"));
  await (await createWorldEngine(new NodeDisk(folder), { name: "stopped" })).close();
  const first = await startForeignWriter(WRITER, { folder, space: 111, line: 1 });
  await first.reached(60);
  first.process.kill("SIGSTOP");

  const second = await startForeignWriter(WRITER, { folder, space: 222, line: 2 });
  await second.reached(20);
  const ended = once(first.process, "exit");
  first.process.kill("SIGCONT");
  const [code] = await ended;
  expect(code, "the one that lost the lock fails").toBe(1);
  await second.reached(second.last() + 20);
  second.process.kill("SIGKILL");
  await once(second.process, "exit");

  const world = await openWorldEngine(new NodeDisk(folder), { durability: "journal" });
  for (const [line, { last }] of [first, second].entries())
    for (let x = 0; x <= last(); x++) expect(await world.get([x, line + 1, 0, 0]), `edit ${x}`).toBe(5);
  await world.close();
  const findings = await verifySave(new NodeDisk(folder));
  expect(findings.filter(({ severity }) => severity === "damage")).toEqual([]);
  expect((await readdir(folder)).filter((name) => name.includes("lock"))).toEqual([]);
}, 120_000);
