import { defineGenerator } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createServer } from "@orthant/server";
import { createWorld } from "@orthant/world";
import { expect, onTestFinished, test } from "vitest";

/** Returns the lines of the log of a server whose generator takes this long for a chunk of 16 x 16 x 16 voxels. */
async function linesOf(chunkMs: number): Promise<readonly Record<string, unknown>[]> {
  const generator = defineGenerator({
    id: "test:slow",
    version: 1,
    dimensions: 3,
    open: () => (x, y, z) => {
      if ((x & 15) + (y & 15) + (z & 15) === 0)
        for (const endMs = performance.now() + chunkMs; performance.now() < endMs; );
      return x & 1;
    },
  });
  const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator: generator({ seed: 1n }) });
  const lines: Record<string, unknown>[] = [];
  const streamWrite = (line: string): string => {
    lines.push(JSON.parse(line));
    return "";
  };
  const server = await createServer({ world, port: 0, logger: { hooks: { streamWrite } }, closeWorld: true });
  onTestFinished(() => server.close());
  return lines.filter(({ generator: id }) => id === "test:slow");
}

test("a server says where chunks are generated, and warns of a generator that holds up its loop", async () => {
  const [told, warning] = await linesOf(5);
  expect(told).toMatchObject({ level: 30, msg: "untouched chunks are generated in the server's loop" });
  expect(warning).toMatchObject({ level: 40, chunkMs: expect.toSatisfy((ms: number) => ms >= 5 && ms < 50) });
  expect(warning?.["msg"]).toContain("add module: import.meta.url to its definition");
});

test("a server does not warn of a quick generator", async () => {
  expect((await linesOf(0)).map(({ level }) => level)).toEqual([30]);
});
