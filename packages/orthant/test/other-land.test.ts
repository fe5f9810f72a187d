import { AIR, connect, createServer, createWorld, defineGenerator, MemoryDisk } from "orthant";
import { expect, onTestFinished, test } from "vitest";

/** Hills of the same id and version, up to a height that the code decides. */
function hillsUpTo(height: number, version = 1) {
  return defineGenerator({
    id: "test:hills",
    version,
    dimensions: 3,
    blocks: { rock: { colour: 0x77746f }, turf: { colour: 0x5c8f3a } },
    open:
      ({ blocks }) =>
      (x, y) =>
        y > height + (x & 1) ? AIR : y === height ? blocks.turf : blocks.rock,
  });
}

async function serve(): Promise<string> {
  const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator: hillsUpTo(4)({ seed: 7n }) });
  const server = await createServer({ world, logger: false, closeWorld: true });
  onTestFinished(() => server.close());
  return server.url;
}

test("[N60] a client whose generator makes other land in the same version is refused with its name", async () => {
  const url = await serve();
  const wrong = connect(url, { dimensions: 3, generators: [hillsUpTo(5)], timeoutMs: 5_000 });
  await expect(wrong).rejects.toMatchObject({
    code: "ORT_VERSION",
    message: expect.stringMatching(
      /the generator "test:hills" makes other land in this program than on the server/,
    ),
  });
});

test.each([
  ["the same generator", [hillsUpTo(4)]],
  ["no generator", []],
  ["another version of it", [hillsUpTo(5, 2)]],
])("a client with %s sees the land of the server", async (_, generators) => {
  const client = await connect(await serve(), { dimensions: 3, generators });
  onTestFinished(() => client.close());
  await client.setInterest({ center: [0, 4, 0], radius: 8 });
  const { turf, rock } = { turf: client.blocks.id("turf"), rock: client.blocks.id("rock") };
  expect([3, 4, 5].map((y) => client.voxelAt([0, y, 0]))).toEqual([rock, turf, AIR]);
});
