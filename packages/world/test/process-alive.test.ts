import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeDisk } from "@orthant/disk/node";
import { runProgram } from "@orthant/testkit/process";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { expect, test } from "vitest";

test.each([["world.compact()"], ["Promise.any([world.compact(), world.compact()])"]])(
  "a program that only awaits %s continues after it, and loses no earlier edit",
  async (call) => {
    const folder = await mkdtemp(join(tmpdir(), "orthant-alive-"));
    const made = await createWorldEngine(new NodeDisk(folder), { name: "alive" }, { autosave: false });
    for (let round = 1; round <= 4; round++) {
      const blockAt = (x: number): number => ((x * x * round) % 251) + 1;
      await made.edit(Array.from({ length: 500 }, (_, x) => ({ voxel: [x, 0, 0, 0], block: blockAt(x) })));
      await made.save();
    }
    await made.close();

    const ended = await runProgram(`
      import { NodeDisk } from "@orthant/disk/node";
      import { openWorldEngine } from "@orthant/world/engine";
      const retention = { newest: 1, hours: 0, days: 0 };
      const world = await openWorldEngine(new NodeDisk(${JSON.stringify(folder)}), { retention, autosave: false });
      await world.set([1, 2, 3, 0], 9);
      const { packsRewritten, packsRemoved } = await ${call};
      console.log("compacted:", packsRewritten + packsRemoved > 0);
      await world.close();
    `);
    expect(ended).toEqual({ exitCode: 0, output: "compacted: true\n", errors: "" });

    const world = await openWorldEngine(new NodeDisk(folder), { readOnly: true });
    expect(await world.get([1, 2, 3, 0])).toBe(9);
    await world.close();
  },
);
