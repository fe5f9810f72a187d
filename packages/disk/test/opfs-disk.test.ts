import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Disk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { NodeDisk } from "@orthant/disk/node";
import { verifySave } from "@orthant/save";
import { codeOfRejection } from "@orthant/testkit";
import {
  canOpenBrowser,
  killBrowser,
  openBrowser,
  openProfile,
  type ServedPrograms,
  servePrograms,
} from "@orthant/testkit/browser";
import { describeDiskContract } from "@orthant/testkit/contracts";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WorkerPage } from "./opfs-page.ts";
import { WorkerDisk, WorkerThing } from "./worker-disk.ts";

declare const page: WorkerPage;

const run = promisify(execFile);
const HEIGHT = 24;
const COLUMN = Array.from({ length: HEIGHT }, (_, y) => 1 + (y % 13));
const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

describe.skipIf(!canOpenBrowser())("in Chromium", () => {
  let programs: ServedPrograms;
  let browser: Browser;
  let context: BrowserContext;
  let worker: WorkerThing;
  let folders = 0;

  beforeAll(async () => {
    programs = await servePrograms({ page: program("./opfs-page.ts"), worker: program("./opfs-worker.ts") });
    browser = await openBrowser();
    context = await browser.newContext();
    worker = await newTab();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    programs?.close();
  });

  async function newTab(of: BrowserContext = context): Promise<WorkerThing> {
    const tab = await of.newPage();
    await tab.goto(programs.origin);
    await tab.waitForFunction(() => "page" in globalThis);
    return new WorkerThing(tab);
  }

  const newFolder = (): string => `disk ${folders++}`;
  const openDisk = async (folder: string, of: WorkerThing = worker): Promise<WorkerDisk> =>
    new WorkerDisk(await of.thing("openDisk", folder));

  describeDiskContract("OpfsDisk", async () => {
    const folder = newFolder();
    const disk = await openDisk(folder);
    return {
      disk,
      async dispose() {
        await disk.close();
        expect(await worker.call("removeDisk", folder)).toBe(true);
      },
    };
  });

  describe("a folder in the browser", () => {
    test("has one user at a time, and is free when that user closes it or ends", async () => {
      const folder = newFolder();
      const disk = await openDisk(folder);
      await writeText(disk, "page", "first");
      const other = await newTab();
      expect(await codeOfRejection(openDisk(folder, other))).toBe("ORT_LOCKED");
      expect(await codeOfRejection(other.call("removeDisk", folder))).toBe("ORT_LOCKED");
      await disk.close();
      expect(await codeOfRejection(disk.list(""))).toBe("ORT_CLOSED");
      const found = await openDisk(folder, other);
      expect(await readText(found, "page")).toBe("first");
      await other.page.close();
      expect(await readText(await openDisk(folder), "page")).toBe("first");
      expect(await worker.call("removeDisk", "nowhere/at all")).toBe(false);
    });

    test("opens at once after a worker that ended with everything open, many times", async () => {
      const folder = newFolder();
      const tab = await newTab();
      for (let round = 0; round < 20; round++) {
        const disk = await openDisk(folder, tab);
        const file = await disk.open("log", round === 0 ? "create" : "write");
        expect(await file.append(Uint8Array.of(round))).toBe(round);
        await disk.open(`held ${round}`, "create");
        await tab.page.evaluate(() => page.endWorker());
      }
      expect((await openDisk(folder, tab).then((disk) => disk.list(""))).length).toBe(21);
      await tab.page.close();
    });

    test("is refused to a page without a worker", async () => {
      expect(await worker.page.evaluate(() => page.openHere())).toBe("ORT_DISK_DENIED");
    });

    test("reports a full disk when the browser grants no more space", async () => {
      await inTemporaryFolder(async (root) => {
        const profile = await openProfile(root);
        const tab = await newTab(profile);
        const session = await profile.newCDPSession(tab.page);
        const limit = (quotaSize: number): Promise<unknown> =>
          session.send("Storage.overrideQuotaForOrigin", { origin: programs.origin, quotaSize });
        await limit(1_000_000);
        const file = await (await openDisk("small", tab)).open("pack", "create");
        expect(await codeOfRejection(file.append(new Uint8Array(2_000_000)))).toBe("ORT_DISK_FULL");
        await limit(10_000_000);
        expect(await file.append(new Uint8Array(2_000_000))).toBe(0);
        await profile.close();
      });
    });

    test("keeps an open file usable through every rename", async () => {
      const disk = await openDisk(newFolder());
      const file = await disk.open("name 0", "create");
      const work: Promise<unknown>[] = [];
      for (let round = 0; round < 30; round++) {
        work.push(file.append(Uint8Array.of(round)), disk.rename(`name ${round}`, `name ${round + 1}`));
        work.push(file.readAt(round, 1).then((bytes) => expect(bytes).toEqual(Uint8Array.of(round))));
      }
      await Promise.all(work);
      expect(await disk.list("")).toEqual([{ name: "name 30", kind: "file" }]);
      expect(await file.size()).toBe(30);
      await disk.close();
    });
  });

  describe("a file that has lost its name", () => {
    test("is kept for a minute, in case an older name comes back, and then deleted", async () => {
      const folder = newFolder();
      const disk = await openDisk(folder);
      await writeText(disk, "head", "old");
      await writeText(disk, "next", "new");
      await disk.rename("next", "head");
      await writeText(disk, "extra", "!");
      await disk.remove("extra");
      expect(await worker.call("found", `${folder}/.gone`)).toHaveLength(2);
      expect(await disk.list("")).toEqual([{ name: "head", kind: "file" }]);
      expect(await codeOfRejection(disk.open(".gone/x", "create"))).toBe("ORT_PATH");
      expect(await codeOfRejection(disk.list(".gone"))).toBe("ORT_PATH");
      await worker.call("pass", 59_000);
      await disk.close();
      const again = await openDisk(folder);
      expect(await worker.call("found", `${folder}/.gone`)).toHaveLength(2);
      const open = await again.open("head", "read");
      await again.remove("head");
      await worker.call("pass", 61_000);
      await again.close();
      const last = await openDisk(folder);
      // The open one stays readable, and is deleted later.
      expect(await worker.call("found", `${folder}/.gone`)).toHaveLength(1);
      expect(new TextDecoder().decode(await open.readAt(0, 3))).toBe("new");
      await last.close();
    });

    test.each([
      ["is put back when nothing took its place", false, "old"],
      ["stays away when another has its place", true, "new"],
    ])("during an interrupted rename, %s", async (_title, isReplaced, expected) => {
      const folder = newFolder();
      const disk = await openDisk(folder);
      await disk.makeDirectory("deep");
      await writeText(disk, "head", "old");
      if (isReplaced) await writeText(disk, "deep/head", "new");
      await disk.close();
      await worker.call("leave", folder, "head", "replaced deep%2Fhead");
      const found = await openDisk(folder);
      expect(await readText(found, "deep/head")).toBe(expected);
      expect(await worker.call("found", `${folder}/.gone`)).toHaveLength(isReplaced ? 1 : 0);
      await found.close();
    });
  });

  describe("a world", () => {
    test("created in the browser opens in Node after its export", async () => {
      const folder = newFolder();
      const tab = await newTab();
      await tab.call("buildWorld", folder, HEIGHT);
      await tab.page.evaluate(() => page.endWorker());
      const archive = await worker.call<Uint8Array>("exportWorld", folder);
      await inTemporaryFolder(async (root) => {
        await writeFile(join(root, "world.tar"), archive);
        await mkdir(join(root, "world"));
        await run("tar", ["-xf", "../world.tar"], { cwd: join(root, "world") });
        const disk = new NodeDisk(join(root, "world"));
        expect(isWhole(await verifySave(disk))).toBe(true);
        const world = await openWorldEngine(disk);
        expect(world.name).toBe("Isles");
        expect(await columnOf(world)).toEqual(COLUMN);
        await world.close();
      });
      expect(await worker.call("readWorld", folder, HEIGHT)).toEqual(COLUMN);
      await tab.page.close();
    });

    test("created in Node opens in the browser after its import", async () => {
      const folder = newFolder();
      await inTemporaryFolder(async (root) => {
        const disk = await NodeDisk.create(join(root, "world"));
        const world = await createWorldEngine(disk, { name: "Home" });
        for (let y = 0; y < HEIGHT; y++) await world.set([0, y, 0, 0], COLUMN[y] ?? 0);
        await world.close();
        await run("tar", ["-cf", "world.tar", "--format=ustar", "world"], { cwd: root });
        await worker.call("importWorld", folder, new Uint8Array(await readFile(join(root, "world.tar"))));
      });
      expect(await worker.call("readWorld", folder, HEIGHT)).toEqual(COLUMN);
    });

    test("has every acknowledged edit when its worker ends in the middle of the next", async () => {
      const folder = newFolder();
      const tab = await newTab();
      for (let round = 1; round <= 5; round++) {
        await editUntil(tab, folder, round * 20);
        const noted = await tab.page.evaluate(() => page.endWorker());
        expect(await tab.call("lastEdit", folder)).toBeGreaterThanOrEqual(noted);
      }
      await tab.page.close();
    }, 60_000);

    test("has every acknowledged edit when the browser is killed", async () => {
      await inTemporaryFolder(async (root) => {
        for (let round = 1; round <= 2; round++) {
          const profile = await openProfile(root);
          const tab = await newTab(profile);
          const before = round === 1 ? 0 : await tab.call<number>("lastEdit", "isles");
          await editUntil(tab, "isles", before + 20);
          const noted = await tab.page.evaluate(() => page.noted());
          await killBrowser(profile);
          const next = await openProfile(root);
          expect(await (await newTab(next)).call("lastEdit", "isles")).toBeGreaterThanOrEqual(noted);
          await next.close();
        }
      });
    }, 120_000);
  });
});

/** Makes the worker edit continuously until `count` edits are acknowledged. */
async function editUntil(tab: WorkerThing, folder: string, count: number): Promise<void> {
  // It ends with its worker, without an answer.
  void tab.call("editForEver", folder).catch(() => undefined);
  await tab.page.waitForFunction((wanted) => page.noted() >= wanted, count);
}

async function columnOf(world: WorldEngine): Promise<readonly number[]> {
  const column: number[] = [];
  for (let y = 0; y < HEIGHT; y++) column.push(await world.get([0, y, 0, 0]));
  return column;
}

async function inTemporaryFolder(work: (root: string) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "orthant-opfs-"));
  try {
    await work(root);
  } finally {
    await rm(root, { recursive: true });
  }
}

async function writeText(disk: Disk, path: string, text: string): Promise<void> {
  const file = await disk.open(path, "create");
  await file.append(new TextEncoder().encode(text));
  await file.close();
}

async function readText(disk: Disk, path: string): Promise<string> {
  const file = await disk.open(path, "read");
  const text = new TextDecoder().decode(await file.readAt(0, await file.size()));
  await file.close();
  return text;
}
