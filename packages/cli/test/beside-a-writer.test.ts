import { NodeDisk, openWorld } from "orthant";
import { EXIT } from "orthant/command-line";
import { expect, test } from "vitest";
import { capture } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

const COMMITS_MIN = 30;

test("commands that read do so while the world is saved over and over, and find it whole", async () => {
  const folder = await makeSampleWorld();
  const world = await openWorld(new NodeDisk(folder), { autosave: false });
  const first = world.generation;
  let isDone = false;
  const writing = (async () => {
    for (let turn = 0; !isDone; turn++) {
      await world.set([turn % 100, 120, 0, 0], 1 + (turn % 10));
      await world.save();
    }
    await world.close();
  })();
  const lines = [
    ["verify", folder],
    ["info", folder, "--count"],
    ["get", folder, "0,120,0"],
    ["ls", folder, "generations"],
    ["ls", folder, "files"],
  ];
  try {
    while (world.generation - first < COMMITS_MIN) {
      for (const line of lines) {
        const { exitCode, output, errors } = await capture(line);
        expect(exitCode, `${line[0]}: ${output}${errors}`).toBe(EXIT.ok);
      }
    }
  } finally {
    isDone = true;
    await writing;
  }
});
