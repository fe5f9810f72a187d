import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openWorld } from "orthant";
import { expect, onTestFinished, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";

/** A game that counts its days in the store and in a voxel, and prints each day once it is durable. */
const GAME = `
import { openOrCreateWorld } from ${JSON.stringify(new URL("../../orthant/dist/index.js", import.meta.url).href)};
const world = await openOrCreateWorld(process.argv[2], { dimensions: 3 }, { durability: "journal" });
for (let day = 1; ; day++) {
  const voxel = world.set([0, 0, 0], day);
  await world.store.set("day", { day });
  await voxel;
  if (day === 3) await world.history.tag("third");
  console.log(day);
}
`;

test("the store survives kill -9, and info, diff, backup and verify know it", async () => {
  const parent = await temporaryFolder();
  const [program, folder, copy] = [join(parent, "game.mjs"), join(parent, "world"), join(parent, "copy")];
  await writeFile(program, GAME);
  const game = spawn(process.execPath, [program, folder], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void game.kill("SIGKILL"));
  let acknowledged = 0;
  for await (const line of createInterface(game.stdout)) {
    acknowledged = Math.max(acknowledged, Number(line));
    if (acknowledged === 20) game.kill("SIGKILL");
  }
  if (game.exitCode === null && game.signalCode === null) await once(game, "close");

  const info = await capture(["info", folder, "--json"]);
  expect(JSON.parse(info.output)).toMatchObject({ store: { keys: 1 } });
  expect((await capture(["info", folder])).output).toMatch(/store +1 key, \d+ bytes/);
  expect((await capture(["verify", folder])).exitCode).toBe(0);
  expect((await capture(["backup", folder, copy])).exitCode).toBe(0);
  const same = await capture(["diff", folder, copy]);
  expect(same.output.trim()).toBe("equal");

  const world = await openWorld(copy, { dimensions: 3 });
  const { day } = (await world.store.get("day")) as { day: number };
  const voxel = await world.get([0, 0, 0]);
  expect(day).toBeGreaterThanOrEqual(acknowledged);
  // The voxel of a day is requested before its key.
  expect([day, day + 1]).toContain(voxel);
  await world.close();

  const original = await openWorld(folder, { readOnly: true });
  const third = await original.history.generationAt("third");
  await original.close();
  const past = await capture(["diff", folder, "--generation", String(third)]);
  expect(past.output).toContain('store "day": changed');
  expect(past.output).toContain("1 key");
});
