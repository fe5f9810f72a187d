import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { connectReplica } from "@orthant/client/node";
import { orthantCommand } from "@orthant/testkit/process";
import { expect, test } from "vitest";
import { makeSampleWorld } from "./sample-world.ts";
import type { Announcement } from "./while-serving.ts";

const ORTHANT = orthantCommand();
/** Above the hills of the sample world, where nothing else is. */
const HEIGHT = 120;
const ACKNOWLEDGED_BEFORE_KILL = 40;
const IN_FLIGHT = 8;

interface ServeProcess extends Announcement {
  readonly child: ChildProcess;
}

async function startServe(folder: string): Promise<ServeProcess> {
  const argv = ["serve", folder, "--port", "0", "--json", "--acknowledge", "durable"];
  const child = spawn(process.execPath, [ORTHANT, ...argv], { stdio: ["ignore", "pipe", "ignore"] });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return { ...(JSON.parse(line) as Announcement), child };
}

async function kill(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

const interest = { center: [32, HEIGHT, 8, 0], radiusChunks: 3 } as const;

test("edits that serve acknowledged are there after kill -9 and a restart", async () => {
  const folder = await makeSampleWorld();
  const first = await startServe(folder);
  const player = connectReplica(first.url, { name: "Ada", token: first.token, interest });
  await player.complete();
  const acknowledged: number[] = [];
  const edit = async (x: number): Promise<void> => {
    const result = await player.setVoxel([x, HEIGHT, 8, 0], 11 + (x % 3));
    if (result.status === "applied") acknowledged.push(x);
  };
  for (let x = 0; acknowledged.length < ACKNOWLEDGED_BEFORE_KILL; x += IN_FLIGHT)
    await Promise.all(Array.from({ length: IN_FLIGHT }, (_, next) => edit(x + next)));
  // Killed in the middle of more edits, whose results may never come.
  const last = acknowledged.length;
  for (let next = 0; next < IN_FLIGHT; next++) edit(last + next).catch(() => undefined);
  await kill(first.child);
  await player.close();

  const second = await startServe(folder);
  try {
    const other = connectReplica(second.url, { name: "Ben", token: second.token, interest });
    await other.complete();
    const found: number[] = [];
    for (const x of acknowledged) if ((await other.get([x, HEIGHT, 8, 0])) === 11 + (x % 3)) found.push(x);
    expect(found).toEqual(acknowledged);
    expect(found.length).toBeGreaterThanOrEqual(ACKNOWLEDGED_BEFORE_KILL);
    await other.close();
  } finally {
    await kill(second.child);
  }
});
