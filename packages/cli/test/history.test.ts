import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { generatorRef, PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core/generate";
import { NodeDisk } from "@orthant/disk/node";
import { FakeTime } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { beforeEach, describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let folder: string;

beforeEach(async () => {
  folder = await makeSampleWorld();
});

async function digAwayTheHouse(): Promise<void> {
  const world = await openWorldEngine(new NodeDisk(folder));
  await world.fill({ min: [0, 100, 0, 0], max: [4, 104, 4, 1] }, 0);
  await world.set([-100, 100, 0, 0], 5);
  await world.close();
}

async function blockAt(position: string): Promise<number> {
  const found = await captureJson<{ readonly block: { readonly id: number } }>("get", folder, position);
  return found.block.id;
}

describe("tag, log and restore", () => {
  test("restore one box from a named generation, and nothing else", async () => {
    expect((await capture(["tag", folder, "before"])).output).toMatch(
      /^generation \d+ is kept as "before"\n$/,
    );
    await digAwayTheHouse();
    const { output } = await capture(["log", folder]);
    expect(output).toMatch(/^\d+ {2}\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC\n/);
    expect(output).toMatch(/^\d+ {2}[^\n]* UTC {2}before$/m);
    expect(await blockAt("1,101,1")).toBe(0);
    const request = ["restore", folder, "--box", "0,100,0..4,104,4", "--from", "before"];
    expect((await capture([...request, "--dry-run"])).output).toMatch(
      /^would restore chunks .* from generation \d+/,
    );
    expect(await blockAt("1,101,1")).toBe(0);
    const restored = await capture(request);
    expect(restored.output).toMatch(/^restored chunks .* from generation \d+: \d chunks? changed\n$/);
    expect(await blockAt("1,101,1")).toBe(11);
    expect(await blockAt("-100,100,0")).toBe(5);
    expect((await capture(["verify", folder])).exitCode).toBe(EXIT.ok);
  });

  test.each([
    ["10m", 2],
    ["10min", 2],
    ["2h", 1],
  ])("restore a box from %s ago, of a world that keeps what it keeps by default", async (age, block) => {
    const world = join(await temporaryFolder(), "kept");
    const time = new FakeTime(Date.UTC(2026, 10, 15));
    const generator = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 7n);
    const engine = await createWorldEngine(
      await NodeDisk.create(world),
      { generator },
      { time, autosave: false },
    );
    const save = async (placed: number, advanceMs: number): Promise<void> => {
      await engine.set([0, 100, 0, 0], placed);
      await engine.save();
      time.advance(advanceMs);
    };
    await save(1, 2.5 * HOUR_MS);
    await save(2, 12 * MINUTE_MS);
    for (let minute = 0; minute < 9; minute++) await save(3 + minute, MINUTE_MS);
    await engine.close();
    const restored = await capture(["restore", world, "--box", "0,100,0..1,101,1", "--from", age], { time });
    expect(restored.errors).toBe("");
    const found = await captureJson<{ readonly block: { readonly id: number } }>("get", world, "0,100,0");
    expect(found.block.id).toBe(block);
  });

  test("remove a name, and report one that does not exist", async () => {
    await capture(["tag", folder, "opening-day"]);
    expect((await capture(["tag", folder, "opening-day", "--remove"])).output).toBe(
      'no generation is called "opening-day" any more\n',
    );
    const { exitCode, errors } = await capture(["tag", folder, "opening-day", "--remove"]);
    expect(exitCode).toBe(EXIT.failed);
    expect(errors).toContain('no generation is called "opening-day"; none has a name [ORT_NOT_FOUND]');
  });

  test("reject an incomplete request, a generation that is not kept, and an invalid date", async () => {
    const failure = async (...argv: readonly string[]): Promise<string> => (await capture(argv)).errors;
    expect(await failure("restore", folder, "--box", "0..8")).toContain("--box and --from belong together");
    expect(await failure("restore", folder)).toContain("name the folder where the world goes");
    expect(await failure("restore", folder, "--box", "0..8", "--from", "999")).toContain(
      "generation 999 is not kept",
    );
    expect(await failure("restore", folder, "--box", "0..8", "--from", "2026-99-99")).toContain(
      "is not a date",
    );
    expect(await failure("restore", folder, "--box", "0..8", "--from", "30d")).toContain("is not kept");
  });
});

describe("compact", () => {
  test("frees the space that no kept generation uses, and leaves an intact world", async () => {
    for (let round = 0; round < 6; round++) {
      const world = await openWorldEngine(new NodeDisk(folder), {
        autosave: false,
        retention: { newest: 1, hours: 0, days: 0 },
      });
      for (let save = 0; save < 8; save++) {
        await world.set([save, 100, round, 0], 1 + ((save + round) % 9));
        await world.save();
      }
      await world.close();
    }
    const before = await blockAt("3,100,5");
    const { bytesBefore, bytesAfter } = await captureJson<{
      readonly bytesBefore: number;
      readonly bytesAfter: number;
    }>("compact", folder);
    expect(bytesAfter).toBeLessThan(bytesBefore / 2);
    expect((await capture(["verify", folder])).exitCode).toBe(EXIT.ok);
    expect(await blockAt("3,100,5")).toBe(before);
    expect((await capture(["compact", folder])).output).toMatch(/^[\d.]+ \w+ of packs are [\d.]+ \w+ now: /);
  });
});
