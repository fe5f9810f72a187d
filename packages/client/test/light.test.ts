import { connect } from "@orthant/client/node";
import {
  box,
  chunkBox,
  chunkShape,
  DEFAULT_BLOCKS,
  defineGenerator,
  flat,
  type Position,
} from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createServer, type OrthantServer } from "@orthant/server";
import { codeOfRejection, Prng } from "@orthant/testkit";
import { createWorld, type World } from "@orthant/world";
import { describe, expect, onTestFinished, test } from "vitest";

const STONE = DEFAULT_BLOCKS.id("stone");
const LAMP = DEFAULT_BLOCKS.id("lamp");
const hills = defineGenerator({
  id: "light:hills",
  version: 1,
  dimensions: 3,
  open: () => ({ blockAt: (x, y, z) => (y < ((x >> 2) * 5 + (z >> 3) * 3) % 7 ? STONE : 0), skyAbove: 8 }),
});

async function served(generator = flat({ block: STONE, top: 0 })): Promise<[World<3>, OrthantServer]> {
  const world = await createWorld(new MemoryDisk(), {
    dimensions: 3,
    generator,
    chunkShape: chunkShape([8, 8, 8]),
  });
  const server = await createServer({ world, tickMs: 20, logger: false });
  onTestFinished(async () => {
    await server.close();
    await world.close();
  });
  return [world, server];
}

describe("the light of a client", () => {
  test("is that of the server, wherever it is held, after random edits of both and in any order of arrival", async () => {
    const prng = new Prng(3);
    const [world, server] = await served(hills({ seed: 1n }));
    const client = await connect(server.url, { dimensions: 3, generators: [hills] });
    onTestFinished(() => client.close());
    /** Chunks that were compared, and those whose light was not known yet. */
    let [compared, unknown] = [0, 0];
    const compare = async (): Promise<void> => {
      for (let count = 0; count < 12; count++) {
        const chunk: Position<3> = [prng.between(-9, 9), prng.between(-2, 8), prng.between(-9, 9)];
        const light = client.chunkLightAt(chunk);
        if (light === undefined) unknown++;
        else {
          compared++;
          expect(light, `chunk [${chunk}]`).toEqual(await world.chunkLight(chunk));
        }
      }
    };
    for (let round = 0; round < 25; round++) {
      const [x, z] = [prng.between(-4, 4), prng.between(-4, 4)];
      if (round % 3 === 0) {
        const complete = client.setInterest({ chunks: [chunkBox([x - 8, -8, z - 8], [x + 8, 16, z + 8])] });
        await compare();
        if (prng.below(3) > 0) await complete;
      }
      for (let edit = 0; edit < 6; edit++) {
        const from: Position<3> = [prng.between(-60, 60), prng.between(-8, 60), prng.between(-60, 60)];
        const to: Position<3> = [from[0] + 1 + prng.below(9), from[1] + 1, from[2] + 1 + prng.below(9)];
        await world.fill(box(from, to), prng.pick([0, STONE, LAMP]));
      }
      // Its result comes after all changes before it.
      await client.set([8 * x, prng.between(0, 30), 8 * z], prng.pick([STONE, LAMP]));
      await compare();
    }
    expect(Math.min(compared, unknown)).toBeGreaterThan(30);
  });

  test("[L9] ignores what was built above what it holds, and counts it once it holds it", async () => {
    const [world, server] = await served();
    await world.fill(box([-20, 300, -20], [20, 301, 20]), STONE);
    const client = await connect(server.url, { dimensions: 3 });
    onTestFinished(() => client.close());
    await client.setInterest({ chunks: [chunkBox([-4, -4, -4], [4, 8, 4])] });
    expect(await client.light([0, 1, 0])).toEqual({ sky: 15, block: 0 });
    expect(await world.light([0, 1, 0])).toEqual({ sky: 0, block: 0 });
    await client.setInterest({ chunks: [chunkBox([-4, -4, -4], [4, 48, 4])] });
    expect(client.lightAt([0, 1, 0])).toEqual({ sky: 0, block: 0 });
    await client.setInterest({ chunks: [chunkBox([-4, -4, -4], [4, 8, 4])] });
    await expect.poll(() => client.lightAt([0, 1, 0])).toEqual({ sky: 15, block: 0 });
  });

  test("is known while everything around is held, and waited for while the interest includes it", async () => {
    const [, server] = await served();
    const client = await connect(server.url, { dimensions: 3 });
    onTestFinished(() => client.close());
    expect(client.lightAt([0, 1, 0])).toBeUndefined();
    expect(await codeOfRejection(client.light([0, 1, 0]))).toBe("ORT_NOT_HELD");
    const complete = client.setInterest({ chunks: [chunkBox([-4, -4, -4], [4, 4, 4])] });
    expect(await client.light([0, 1, 0])).toEqual({ sky: 15, block: 0 });
    await complete;
    expect(client.lightAt([15, 1, 0])).toEqual({ sky: 15, block: 0 });
    expect(client.lightAt([16, 1, 0]), "two chunks from what is not held").toBeUndefined();
    expect((await client.chunkLight([1, 0, 0])).every((byte) => byte === 240)).toBe(true);
    expect(client.chunkLightAt([2, 0, 0])).toBeUndefined();
  });

  test("is that of the present edits and the present catalog, also in a listener", async () => {
    const [world, server] = await served();
    const client = await connect(server.url, { dimensions: 3 });
    onTestFinished(() => client.close());
    await client.setInterest({ chunks: [chunkBox([-4, -4, -4], [4, 4, 4])] });
    const seen: unknown[] = [];
    client.onEdit(() => seen.push(client.lightAt([0, 5, 0])?.block));
    await client.light([0, 5, 0]);
    const answer = client.set([1, 5, 0], LAMP);
    expect(seen).toEqual([14]);
    expect(client.lightAt([0, 5, 0])).toEqual({ sky: 15, block: 14 });
    await answer;
    const changed = new Promise((resolve) => client.onBlocks(resolve));
    await world.changeBlock("lamp", { light: 7 });
    await changed;
    expect(client.lightAt([0, 5, 0])).toEqual({ sky: 15, block: 6 });
  });

  test("is known to a client without the generator only under a roof", async () => {
    const [world, server] = await served(hills({ seed: 1n }));
    await world.fill(box([-32, 40, -32], [32, 41, 32]), STONE);
    const client = await connect(server.url, { dimensions: 3 });
    onTestFinished(() => client.close());
    await client.setInterest({ chunks: [chunkBox([-4, -4, -4], [4, 8, 4])] });
    expect(client.lightAt([0, 10, 0])).toEqual({ sky: 0, block: 0 });
    expect(client.lightAt([0, 50, 0])).toBeUndefined();
    expect(await codeOfRejection(client.light([0, 50, 0]))).toBe("ORT_NOT_HELD");
  });
});
