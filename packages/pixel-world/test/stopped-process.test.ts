import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isWhole } from "@orthant/disk/files";
import { NodeDisk } from "@orthant/disk/node";
import { createPixelWorld, openPixelWorld, verifyPixelWorld } from "@orthant/pixel-world";
import { startForeignWriter } from "@orthant/testkit/process";
import { EDGE, FILE } from "@orthant/testkit/saves";
import { expect, test } from "vitest";

/** Edit after which the first writer stops itself. */
const STOPS_AFTER = 20;

interface Stop {
  /** Disk call before which the first writer stops. */
  readonly operation: "append" | "rename";
  readonly path: RegExp;
  /** 0 if the first writer compacts after each save, 1 if it never does. The second never does. */
  readonly compactAtDeadShare: number;
}

/**
 * Returns the code of a process that stores chunks as fast as it can, saves each, and prints it once it is
 * durable.
 */
function writerText({ operation, path, compactAtDeadShare }: Stop): string {
  return `
    const { GatedDisk } = await import("@orthant/disk");
    const { NodeDisk } = await import("@orthant/disk/node");
    const { openPixelWorld } = await import("@orthant/pixel-world");
    let last = -1;
    let stopsAfter = line === "1" ? ${STOPS_AFTER} : Infinity;
    const disk = new GatedDisk(new NodeDisk(folder), (call, happen) => {
      if (last === stopsAfter && call.operation === "${operation}" && ${path}.test(call.path)) {
        stopsAfter = Infinity;
        process.kill(process.pid, "SIGSTOP");
      }
      return happen();
    });
    const compactAtDeadShare = line === "1" ? ${compactAtDeadShare} : 1;
    const options = { autosave: false, compactFromBytes: 0, compactAtDeadShare };
    const world = await openPixelWorld(disk, "${FILE}", options);
    console.log("open");
    for (let y = 0; y < 100000; y++) {
      const pixels = new Uint8Array(${EDGE * EDGE * 4}).fill(10 * Number(line) + y % 10);
      await world.store(Number(line), y, pixels);
      await world.store(Number(line), -1, pixels);
      await world.save().done;
      last = y;
      console.log(y);
    }
  `;
}

test.concurrent.each<[what: string, Stop]>([
  ["an entry", { operation: "append", path: /pxsw$/, compactAtDeadShare: 1 }],
  ["a compacted file", { operation: "rename", path: /tmp$/, compactAtDeadShare: 0 }],
])(
  "[X45] [X46] a process that stops before it writes %s, loses the lock after 15 s and resumes harms no save of either process",
  async (_what, stop) => {
    const folder = await mkdtemp(join(tmpdir(), "orthant-stopped-"));
    const disk = new NodeDisk(folder);
    await (await createPixelWorld(disk, FILE, { chunkEdge: EDGE })).close();
    const first = await startForeignWriter(writerText(stop), { folder, space: 111, line: 1 });
    await first.reached(STOPS_AFTER);

    const second = await startForeignWriter(writerText(stop), { folder, space: 222, line: 2 });
    await second.reached(10);
    const ended = once(first.process, "exit");
    first.process.kill("SIGCONT");
    const [code] = await ended;
    expect(code, "the one that lost the lock fails").toBe(1);
    expect(first.last()).toBe(STOPS_AFTER);
    await second.reached(second.last() + 10);
    second.process.kill("SIGKILL");
    await once(second.process, "exit");

    const world = await openPixelWorld(disk, FILE);
    for (const [index, { last }] of [first, second].entries()) {
      const line = index + 1;
      for (let y = 0; y <= last(); y++)
        expect((await world.load(line, y))?.[0], `chunk ${y} of line ${line}`).toBe(10 * line + (y % 10));
    }
    await world.close();
    expect(isWhole(await verifyPixelWorld(disk, FILE))).toBe(true);
    expect(await readdir(folder)).toEqual([FILE]);
    await rm(folder, { recursive: true });
  },
  180_000,
);
