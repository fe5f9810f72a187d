import { connect, type ServingWorker } from "@orthant/client";
import { flat, OrthantError } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { serveWorker, type WorkerOptions } from "@orthant/server/worker";
import { openOrCreateWorld, type World } from "@orthant/world";
import { expect, onTestFinished, test, vi } from "vitest";

const NEAR = { center: [0, 0, 0], radius: 32 } as const;

/** Serves a world at one end of a channel, and returns the other end, which stands for the worker. */
function served(open: () => Promise<World<3>>, options: WorkerOptions<3> = {}): ServingWorker {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  serveWorker(open, { scope: port2, ...options });
  return port1;
}

async function meadow(): Promise<World<3>> {
  const world = await openOrCreateWorld(
    new MemoryDisk(),
    { dimensions: 3, generator: flat() },
    { autosave: false },
  );
  onTestFinished(() => world.close());
  return world;
}

test("a page edits the world of its worker, and is the same player in it the next time", async () => {
  const world = await meadow();
  const worker = served(async () => world);
  const page = await connect(worker, { dimensions: 3, name: "Ada", interest: NEAR });
  await page.whenComplete();
  await page.set([3, 40, 5], page.blocks.id("brick"));
  expect(world.voxelAt([3, 40, 5])).toBe(world.blocks.id("brick"));
  page.move({ position: [9, 41, 9] });
  await page.close();
  await vi.waitFor(() => expect(world.players.map(({ position }) => position)).toEqual([[9, 41, 9]]));

  const again = await connect(worker, { dimensions: 3, interest: NEAR });
  await again.whenComplete();
  expect(again.voxelAt([3, 40, 5])).toBe(again.blocks.id("brick"));
  expect(again.pose.position).toEqual([9, 41, 9]);
  await again.close();
});

test("an edit of the game in the worker reaches the page", async () => {
  const world = await meadow();
  const page = await connect(
    served(async () => world),
    { dimensions: 3, interest: NEAR },
  );
  await page.whenComplete();
  const brick = world.blocks.id("brick");
  await world.set([1, 50, 1], brick);
  await vi.waitFor(() => expect(page.voxelAt([1, 50, 1])).toBe(brick));
  await page.close();
});

test("the rules of the game hold, and a rule that fails is reported", async () => {
  const errors: unknown[] = [];
  const rules: WorkerOptions<3>["rules"] = {
    beforeEdit: ({ player }) => ({ reject: `${player.name} must not build here.` }),
    onJoin: () => {
      throw new Error("no welcome");
    },
  };
  const page = await connect(served(meadow, { rules, onError: (error) => errors.push(error) }), {
    dimensions: 3,
    name: "Ada",
    interest: NEAR,
  });
  await page.whenComplete();
  const brick = page.blocks.id("brick");
  expect(await page.set([3, 40, 5], brick)).toMatchObject({
    status: "rejected",
    detail: "Ada must not build here.",
  });
  expect(errors).toEqual([new Error("no welcome")]);
  await page.close();
});

test("a world that cannot be opened is tried again when the page connects again", async () => {
  let isLocked = true;
  const worker = served(() => {
    if (isLocked) return Promise.reject(new OrthantError("ORT_LOCKED", "the world is open in another tab"));
    return meadow();
  });
  await expect(connect(worker, { timeoutMs: 50 })).rejects.toThrow("the world is open in another tab");
  isLocked = false;
  const page = await connect(worker, { dimensions: 3 });
  expect(page.status).toBe("joined");
  await page.close();
});

test("a worker that does not serve a world is a timeout, and wrong arguments are refused", async () => {
  const { port1 } = new MessageChannel();
  onTestFinished(() => port1.close());
  await expect(connect(port1, { timeoutMs: 50 })).rejects.toThrow("ORT_TIMEOUT");
  // @ts-expect-error: it is a function
  expect(() => serveWorker({})).toThrow("ORT_ARGUMENT");
  // @ts-expect-error: there is no such option
  expect(() => serveWorker(meadow, { port: 7440 })).toThrow("ORT_ARGUMENT");
});
