import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeDisk } from "@orthant/disk/node";
import { createPixelWorld, isWhole, openPixelWorld, verifyPixelWorld } from "@orthant/formats";
import { startForeignWriter } from "@orthant/testkit/process";
import { expect, test } from "vitest";
import { EDGE, FILE } from "./pixel-samples.ts";

/** Stores chunks as fast as it can, saving and compacting after each, and prints each durable one. */
const WRITER = `
  const { NodeDisk } = await import("@orthant/disk/node");
  const { openPixelWorld } = await import("@orthant/formats");
  const world = await openPixelWorld(new NodeDisk(folder), "${FILE}", {
    autosave: false, compactFromBytes: 0, compactAtDeadShare: 0.1,
  });
  console.log("open");
  const pixels = new Uint8Array(${EDGE * EDGE * 4});
  for (let y = 0; y < 100000; y++) {
    pixels.fill(y % 200 + 1);
    await world.store(Number(line), y, pixels);
    await world.store(Number(line), -1, pixels);
    await world.save().done;
    console.log(y);
  }
`;

test("[X46] a stopped process that loses the lock of a pixel world after 15 silent seconds and resumes destroys no save of either process", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orthant-stopped-"));
  const disk = new NodeDisk(folder);
  await (await createPixelWorld(disk, FILE, { chunkEdge: EDGE })).close();
  const first = await startForeignWriter(WRITER, { folder, space: 111, line: 1 });
  await first.reached(40);
  first.process.kill("SIGSTOP");

  const second = await startForeignWriter(WRITER, { folder, space: 222, line: 2 });
  await second.reached(10);
  const ended = once(first.process, "exit");
  first.process.kill("SIGCONT");
  const [code] = await ended;
  expect(code, "the one that lost the lock fails").toBe(1);
  await second.reached(second.last() + 10);
  second.process.kill("SIGKILL");
  await once(second.process, "exit");

  const world = await openPixelWorld(disk, FILE);
  for (const [line, { last }] of [first, second].entries())
    for (let y = 0; y <= last(); y++)
      expect((await world.load(line + 1, y))?.[0], `chunk ${y} of line ${line + 1}`).toBe((y % 200) + 1);
  await world.close();
  expect(isWhole(await verifyPixelWorld(disk, FILE))).toBe(true);
  expect(await readdir(folder)).toEqual([FILE]);
  await rm(folder, { recursive: true });
}, 180_000);
