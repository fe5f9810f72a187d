import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rename, rm, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OrthantError } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const HOLDER = fileURLToPath(new URL("../../../build/packages/disk/test/lock-holder.js", import.meta.url));

let root: string;
let disk: NodeDisk;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "orthant-lock-"));
  disk = new NodeDisk(root);
});

afterEach(() => rm(root, { recursive: true }));

async function startHolder(): Promise<ChildProcess> {
  const holder = fork(HOLDER, [root], { execArgv: [] });
  await once(holder, "message");
  return holder;
}

async function endHolder(holder: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  holder.kill(signal);
  await once(holder, "exit");
}

describe("a lock on a real disk", () => {
  test("keeps a second process out and names the holder", async () => {
    const holder = await startHolder();
    const error = await disk.lock("world.lock").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OrthantError);
    expect((error as OrthantError).code).toBe("ORT_LOCKED");
    expect((error as OrthantError).message).toContain(`process ${holder.pid} on ${hostname()} has it`);
    await endHolder(holder, "SIGKILL");
  });

  test("is free at once when its holder was killed", async () => {
    await endHolder(await startHolder(), "SIGKILL");
    expect(await readdir(root)).toHaveLength(1);
    const lock = await disk.lock("world.lock");
    await lock.requireHeld();
    await lock.release();
    expect(await readdir(root)).toEqual([]);
  });

  test("stays with a stopped holder, which may wake up", async () => {
    const holder = await startHolder();
    holder.kill("SIGSTOP");
    await expect(disk.lock("world.lock")).rejects.toThrow("ORT_LOCKED");
    await endHolder(holder, "SIGKILL");
  });

  test("is not blocked by a reused process id", async () => {
    const [boot, space] = await ownClaimParts();
    const host = encodeURIComponent(hostname());
    await writeFile(join(root, `world.lock~${boot}~${space}~${process.pid}~1~${host}`), "");
    const lock = await disk.lock("world.lock");
    expect(lock.isContested).toBe(false);
    await lock.release();
    expect(await readdir(root)).toEqual([]);
  });

  test("stays with a live holder on another machine with the same host name", async () => {
    const [, space] = await ownClaimParts();
    const claim = join(root, `world.lock~ffffffff~${space}~1~1~${encodeURIComponent(hostname())}`);
    await writeFile(claim, "");
    const beat = setInterval(() => void utimes(claim, new Date(), new Date()), 500);
    await expect(disk.lock("world.lock")).rejects.toThrow("process 1 on");
    clearInterval(beat);
  });

  test("touches its claim only while a rival has a claim beside it", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const lock = await disk.lock("world.lock");
      const [claim = ""] = await readdir(root);
      const touchedMs = async (): Promise<number> => (await stat(join(root, claim))).mtimeMs;
      await utimes(join(root, claim), 1, 1);
      vi.advanceTimersByTime(10_000);
      for (let look = 0; look < 100; look++) await readdir(root);
      expect(await touchedMs()).toBe(1_000);
      await writeFile(join(root, "world.lock~ffffffff~1~1~1~elsewhere~00000000000000ff"), "");
      vi.advanceTimersByTime(2_000);
      await vi.waitFor(async () => expect(await touchedMs()).toBeGreaterThan(1_000));
      await lock.release();
    } finally {
      vi.useRealTimers();
    }
  });

  test("is taken after 15 silent seconds from a holder that cannot be checked, and is contested until settled", async () => {
    const [, space] = await ownClaimParts();
    const claim = `world.lock~ffffffff~${space}~1~1~${encodeURIComponent(hostname())}~00000000000000ff`;
    await writeFile(join(root, claim), "");
    const before = performance.now();
    const lock = await disk.lock("world.lock");
    expect(performance.now() - before).toBeGreaterThan(14_000);
    expect(lock.isContested).toBe(true);
    expect(await readdir(root)).toContain("world.lock~ousted~00000000000000ff");
    await lock.release();

    const next = await disk.lock("world.lock");
    expect(next.isContested).toBe(true);
    expect(next.token).not.toBe(lock.token);
    await next.settle();
    await next.release();

    const last = await disk.lock("world.lock");
    expect(last.isContested).toBe(false);
    await last.release();
    expect(await readdir(root)).toEqual([]);
  });

  test("is not held by an earlier holder in the same process that lost it", async () => {
    const lost = await disk.lock("world.lock");
    for (const name of await readdir(root)) await unlink(join(root, name));
    await lost.release();
    const lock = await disk.lock("world.lock");
    await lock.requireHeld();
    await expect(lost.requireHeld()).rejects.toThrow("ORT_LOCKED");
    await lock.release();
  });

  test("stays with a holder on a machine whose name contains a ~", async () => {
    const holder = await startHolder();
    const [claim = ""] = await readdir(root);
    await rename(join(root, claim), join(root, claim.replace(/~(?=[^~]*$)/, "~b~")));
    await expect(disk.lock("world.lock")).rejects.toThrow(`${hostname()}~b has it`);
    await endHolder(holder, "SIGKILL");
  });

  test("leaves files alone that only look like claims", async () => {
    const strangers = [
      "world.lock",
      "world.lock~",
      "world.lock~a~b~c~d~e",
      "world.lock~a~b~0~d~e",
      "world.lock2~a~b~1~d~e",
    ];
    for (const name of strangers) await writeFile(join(root, name), "");
    await (await disk.lock("world.lock")).release();
    expect((await readdir(root)).sort()).toEqual([...strangers].sort());
  });

  test("goes to exactly one of many concurrent attempts", async () => {
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, () => new NodeDisk(root).lock("world.lock")),
    );
    expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("is reported as lost when its claim was removed", async () => {
    const lock = await disk.lock("world.lock");
    for (const name of await readdir(root)) await unlink(join(root, name));
    await expect(lock.requireHeld()).rejects.toThrow("ORT_LOCKED");
    await lock.release();
  });
});

/** Returns boot id and process id space, read from the name of a claim of our own. */
async function ownClaimParts(): Promise<[boot: string, space: string]> {
  const lock = await disk.lock("probe");
  const [, boot = "", space = ""] = (await readdir(root))[0]?.split("~") ?? [];
  await lock.release();
  return [boot, space];
}
