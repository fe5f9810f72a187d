import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import {
  lstat,
  lutimes,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Disk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { codeOfRejection } from "@orthant/testkit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

/** Called once, right before the next system call with a path. */
const swap = vi.hoisted((): { now: (() => void) | undefined } => ({ now: undefined }));

vi.mock("node:fs/promises", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs/promises")>();
  const swapped = <Call extends (...args: never[]) => unknown>(call: Call): Call =>
    ((...args: Parameters<Call>) => {
      const { now } = swap;
      swap.now = undefined;
      now?.();
      return call(...args);
    }) as Call;
  const { open, rename, unlink, readdir: list, mkdir: make } = original;
  return {
    ...original,
    open: swapped(open),
    rename: swapped(rename),
    unlink: swapped(unlink),
    readdir: swapped(list),
    mkdir: swapped(make),
  };
});

/** Above the highest process id of Linux. */
const PID_NEVER_USED = "9999999";
const { platform } = process;
let folder: string;
/** The folder of the disk, and one that is not its business. */
let root: string;
let outside: string;
let disk: NodeDisk;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orthant-links-"));
  root = join(folder, "root");
  outside = join(folder, "outside");
  for (const made of [root, outside, join(outside, "deep")]) mkdirSync(made);
  for (const file of ["page", "deep/page"]) writeFileSync(join(outside, file), "theirs");
  disk = new NodeDisk(root);
});

afterEach(() => {
  swap.now = undefined;
  Object.defineProperty(process, "platform", { value: platform });
  rmSync(folder, { recursive: true });
});

/** Every call that names a path in a directory, each of which would touch `outside` through a link. */
function callsIn(directory: string): Readonly<Record<string, (on: Disk & NodeDisk) => Promise<unknown>>> {
  const closed = async (on: Disk, path: string, mode: "read" | "write" | "create"): Promise<void> =>
    (await on.open(path, mode)).close();
  return {
    "open to read": (on) => closed(on, `${directory}/page`, "read"),
    "open to write": (on) => closed(on, `${directory}/page`, "write"),
    create: (on) => closed(on, `${directory}/new`, "create"),
    "rename from": (on) => on.rename(`${directory}/page`, "mine"),
    "rename to": (on) => on.rename("own", `${directory}/page`),
    remove: (on) => on.remove(`${directory}/page`),
    list: (on) => on.list(directory),
    "make a directory": (on) => on.makeDirectory(`${directory}/new`),
    "move a directory": (on) => on.moveDirectory(`${directory}/deep`, `${directory}/moved`),
    "sync a directory": (on) => on.syncDirectory(directory),
    lock: async (on) => (await on.lock(`${directory}/world.lock`)).release(),
  };
}

/** Returns everything below a folder, with contents and times, without following links. */
async function describeFolder(path: string): Promise<unknown> {
  const found = await lstat(path);
  if (found.isSymbolicLink()) return `link to ${await readlink(path)}`;
  if (found.isFile()) return { text: await readFile(path, "utf8"), changed: found.mtimeMs };
  const names = (await readdir(path)).sort();
  return Promise.all(names.map(async (name) => [name, await describeFolder(join(path, name))]));
}

describe.runIf(platform !== "win32").each(["this system", "a system without open directories in paths"])(
  "a link in a disk's folder, on %s",
  (system) => {
    beforeEach(() => {
      if (system !== "this system") Object.defineProperty(process, "platform", { value: "darwin" });
      writeFileSync(join(root, "own"), "mine");
    });

    test.each([
      ["outwards", "../outside"],
      ["inwards", "real"],
      ["to the folder itself", "."],
      ["to nothing", "../nowhere"],
      ["in a circle", "data"],
    ])("[S5] a link to a directory is refused by every call and changes nothing: %s", async (_, target) => {
      mkdirSync(join(root, "real"));
      mkdirSync(join(root, "real/deep"));
      writeFileSync(join(root, "real/page"), "mine");
      symlinkSync(target, join(root, "data"));
      const before = await describeFolder(folder);
      for (const directory of ["data", "data/deep"]) {
        for (const [name, call] of Object.entries(callsIn(directory))) {
          const error = await call(disk).catch((thrown: unknown) => thrown);
          const label = `${name} in ${directory}`;
          expect(error, label).toMatchObject({ code: "ORT_PATH", context: { path: "data" } });
          expect(String(error), label).toContain(
            "data is a link, and links inside the folder are not followed",
          );
        }
      }
      expect(await codeOfRejection(disk.makeDirectory("data"))).toBe("ORT_PATH");
      expect(await describeFolder(folder)).toEqual(before);
    });

    test("[S5] further down is refused by every call and changes nothing", async () => {
      mkdirSync(join(root, "shards/a"), { recursive: true });
      symlinkSync("../../../outside", join(root, "shards/a/data"));
      const before = await describeFolder(folder);
      for (const [name, call] of Object.entries(callsIn("shards/a/data"))) {
        const error = await call(disk).catch((thrown: unknown) => thrown);
        expect(error, name).toMatchObject({ code: "ORT_PATH", context: { path: "shards/a/data" } });
      }
      expect(await describeFolder(folder)).toEqual(before);
    });

    test.each([
      ["outwards", "../../outside/page"],
      ["inwards", "../own"],
      ["to a directory", "../../outside"],
      ["to nothing", "../../outside/nothing"],
      ["in a circle", "page"],
    ])("[S5] a link to a file is never opened, and is itself renamed or removed: %s", async (_, target) => {
      mkdirSync(join(root, "data"));
      symlinkSync(target, join(root, "data/page"));
      const before = await describeFolder(outside);
      for (const mode of ["read", "write"] as const) {
        const error = await disk.open("data/page", mode).catch((thrown: unknown) => thrown);
        expect(error, mode).toMatchObject({ code: "ORT_PATH", context: { path: "data/page" } });
      }
      expect(await codeOfRejection(disk.open("data/page", "create"))).toBe("ORT_EXISTS");
      expect(await codeOfRejection(disk.makeDirectory("data/page"))).toBe("ORT_PATH");
      expect(await disk.list("data")).toEqual([{ name: "page", kind: "file" }]);
      await disk.rename("data/page", "moved");
      expect(await readlink(join(root, "moved"))).toBe(target);
      expect(await disk.remove("moved")).toBe(true);
      expect(await readFile(join(root, "own"), "utf8")).toBe("mine");
      expect(await describeFolder(outside)).toEqual(before);
    });

    test("gives way to a file that is renamed over it", async () => {
      symlinkSync("../outside/page", join(root, "page"));
      await disk.rename("own", "page");
      expect(await readFile(join(root, "page"), "utf8")).toBe("mine");
      expect(await readFile(join(outside, "page"), "utf8")).toBe("theirs");
    });

    test("a link at the folder itself is followed", async () => {
      symlinkSync("root", join(folder, "link"));
      const linked = await NodeDisk.create(join(folder, "link"));
      await linked.makeDirectory("data");
      await (await linked.open("data/page", "create")).close();
      await linked.syncDirectory("data");
      const lock = await linked.lock("world.lock");
      expect(await codeOfRejection(disk.lock("world.lock"))).toBe("ORT_LOCKED");
      await lock.release();
      expect(await readdir(join(root, "data"))).toEqual(["page"]);
    });

    test.runIf(platform === "linux")(
      "a link with the name of a claim of a dead process is removed, and not what it leads to",
      async () => {
        const first = await disk.lock("world.lock");
        const [own = ""] = (await readdir(root)).filter((name) => name.startsWith("world.lock~"));
        await first.release();
        const [lock, boot, pidSpace, , , ...rest] = own.split("~");
        const dead = [lock, boot, pidSpace, PID_NEVER_USED, "1", ...rest].join("~");
        symlinkSync("../outside/page", join(root, dead));
        await (await disk.lock("world.lock")).release();
        expect(await readdir(root)).toEqual(["own"]);
        expect(await readFile(join(outside, "page"), "utf8")).toBe("theirs");
      },
    );

    test("a link in place of a held claim does not touch what it leads to", async () => {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
      try {
        const lock = await disk.lock("world.lock");
        const [claim = ""] = (await readdir(root)).filter((name) => name.startsWith("world.lock~"));
        await utimes(join(outside, "page"), 1, 1);
        rmSync(join(root, claim));
        symlinkSync("../outside/page", join(root, claim));
        await lutimes(join(root, claim), 1, 1);
        // A claim is touched for rivals only.
        await writeFile(join(root, "world.lock~ffffffff~1~1~1~elsewhere~00000000000000ff"), "");
        vi.advanceTimersByTime(2_000);
        await vi.waitFor(async () => expect((await lstat(join(root, claim))).mtimeMs).toBeGreaterThan(1_000));
        await lock.release();
      } finally {
        vi.useRealTimers();
      }
      expect((await stat(join(outside, "page"))).mtimeMs).toBe(1_000);
    });
  },
);

describe.runIf(platform === "linux")("a directory that becomes a link while a call is under way", () => {
  test.each(Object.keys(callsIn("data")))("leads to nothing else: %s", async (name) => {
    await mkdir(join(root, "data"));
    await mkdir(join(root, "data/deep"));
    await writeFile(join(root, "data/page"), "mine");
    await writeFile(join(root, "own"), "mine");
    const before = await describeFolder(outside);
    const call = callsIn("data")[name];
    swap.now = () => {
      renameSync(join(root, "data"), join(root, "aside"));
      symlinkSync("../outside", join(root, "data"));
    };
    await call?.(disk).catch(() => undefined);
    expect(swap.now, "the call was made").toBeUndefined();
    expect(readFileSync(join(outside, "page"), "utf8")).toBe("theirs");
    expect(await describeFolder(outside)).toEqual(before);
  });

  test("is not found under its old name when another process has moved it", async () => {
    mkdirSync(join(root, "shards/a/e1"), { recursive: true });
    writeFileSync(join(root, "shards/a/e1/manifest.tmp"), "old");
    swap.now = () => renameSync(join(root, "shards/a/e1"), join(root, "shards/a/e2"));
    const renamed = disk.rename("shards/a/e1/manifest.tmp", "shards/a/e1/manifest");
    expect(await codeOfRejection(renamed)).toBe("ORT_NOT_FOUND");
    expect(await readdir(join(root, "shards/a/e2"))).toEqual(["manifest.tmp"]);
  });
});

test("an error names the directory as the disk's user knows it", async () => {
  await mkdir(join(root, "data"));
  const error = await disk.open("data/page", "read").catch((thrown: unknown) => thrown);
  expect(String(error)).toContain(join(root, "data/page"));
});
