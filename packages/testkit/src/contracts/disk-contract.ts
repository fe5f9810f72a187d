import type { Disk, FolderDisk } from "@orthant/disk";
import { describe, expect, test } from "vitest";
import { textBytes, textOf } from "../base/bytes.ts";
import { codeOfRejection } from "../base/error-code.ts";

/** A disk under test, and its clean-up. */
export interface DiskUnderTest {
  readonly disk: Disk;
  dispose(): Promise<void>;
}

/** A disk under test whose directories can be moved. */
export interface FolderUnderTest extends DiskUnderTest {
  readonly disk: FolderDisk;
}

/** Tests the guarantees of the disk port. Call it in a test file, once per adapter. */
export function describeDiskContract(adapter: string, make: () => Promise<DiskUnderTest>): void {
  const on = (title: string, body: (disk: Disk) => Promise<void>): void => {
    test(title, async () => {
      const { disk, dispose } = await make();
      try {
        await body(disk);
      } finally {
        await dispose();
      }
    });
  };
  describe(`${adapter} keeps the disk contract: files`, () => describeFiles(on));
  describe(`${adapter} keeps the disk contract: names`, () => describeNames(on));
  describe(`${adapter} keeps the disk contract: locks`, () => describeLocks(on));
}

/** Tests the additional guarantees of a disk whose directories can be moved. */
export function describeFolderContract(adapter: string, make: () => Promise<FolderUnderTest>): void {
  test(`${adapter} moves a directory with all that is in it, and open files stay the same`, async () => {
    const { disk, dispose } = await make();
    try {
      for (const path of ["a", "a/old", "a/old/deep", "a/older"]) await disk.makeDirectory(path);
      await writeText(disk, "a/old/page", "abc");
      await writeText(disk, "a/old/deep/page", "def");
      await writeText(disk, "a/older/page", "ghi");
      const file = await disk.open("a/old/page", "write");
      await disk.moveDirectory("a/old", "a/new");
      await file.append(textBytes("d"));
      await file.close();
      expect(await readText(disk, "a/new/page")).toBe("abcd");
      expect(await readText(disk, "a/new/deep/page")).toBe("def");
      expect(await readText(disk, "a/older/page")).toBe("ghi");
      expect((await disk.list("a")).map(({ name }) => name)).toEqual(["new", "older"]);
      expect(await codeOfRejection(disk.open("a/old/page", "create"))).toBe("ORT_NOT_FOUND");
      expect(await codeOfRejection(disk.moveDirectory("a/old", "a/newest"))).toBe("ORT_NOT_FOUND");
      expect(await codeOfRejection(disk.moveDirectory("a/new", "../new"))).toBe("ORT_PATH");
    } finally {
      await dispose();
    }
  });
}

type OnDisk = (title: string, body: (disk: Disk) => Promise<void>) => void;

function describeFiles(on: OnDisk): void {
  on("appends at the end and says where", async (disk) => {
    const file = await disk.open("pack", "create");
    expect(await file.append(textBytes("apple"))).toBe(0);
    expect(await file.append(textBytes("pear"))).toBe(5);
    expect(await file.size()).toBe(9);
    expect(textOf(await file.readAt(0, 9))).toBe("applepear");
    await file.close();
  });

  on("gives appends that begin together places of their own, in order", async (disk) => {
    const file = await disk.open("pack", "create");
    const offsets = await Promise.all(["aa", "bbb", "c", "dddd"].map((text) => file.append(textBytes(text))));
    expect(offsets).toEqual([0, 2, 5, 6]);
    expect(textOf(await file.readAt(0, 10))).toBe("aabbbcdddd");
    await file.close();
  });

  on("appends behind what another open file has appended", async (disk) => {
    const first = await disk.open("pack", "create");
    const second = await disk.open("pack", "write");
    await first.append(textBytes("one"));
    expect(await second.append(textBytes("two"))).toBe(3);
    expect(await first.append(textBytes("three"))).toBe(6);
    await Promise.all([first.close(), second.close()]);
  });

  on("overwrites in place and fills a gap with zeros", async (disk) => {
    const file = await disk.open("page", "create");
    await file.append(textBytes("abc"));
    await file.writeAt(1, textBytes("X"));
    await file.writeAt(5, textBytes("Z"));
    expect(textOf(await file.readAt(0, 6))).toBe("aXc\0\0Z");
    await file.close();
  });

  on("writes durably inside a file, over its end and behind it, with other writes around", async (disk) => {
    const file = await disk.open("log", "create");
    await file.writeDurably(0, textBytes("abc"));
    await file.truncate(8);
    await file.writeDurably(2, textBytes("XY"));
    await file.writeAt(0, textBytes("A"));
    await Promise.all([file.writeDurably(7, textBytes("Zz")), file.writeDurably(10, textBytes("!"))]);
    expect(textOf(await file.readAt(0, await file.size()))).toBe("AbXY\0\0\0Zz\0!");
    await disk.rename("log", "moved");
    await file.writeDurably(4, textBytes("-"));
    await file.close();
    expect(await readText(disk, "moved")).toBe("AbXY-\0\0Zz\0!");
    expect(await codeOfRejection(file.writeDurably(0, textBytes("x")))).toBe("ORT_CLOSED");
  });

  on("cuts a file, and what was cut does not come back when it grows", async (disk) => {
    const file = await disk.open("page", "create");
    await file.append(textBytes("secret"));
    await file.truncate(2);
    expect(await file.size()).toBe(2);
    await file.truncate(4);
    expect(textOf(await file.readAt(0, 4))).toBe("se\0\0");
    expect(await file.append(textBytes("!"))).toBe(4);
    await file.close();
  });

  on("reads exactly what was asked or refuses, before it makes room for it", async (disk) => {
    const file = await disk.open("page", "create");
    await file.append(textBytes("abc"));
    expect(await file.readAt(3, 0)).toEqual(new Uint8Array(0));
    expect(await codeOfRejection(file.readAt(1, 3))).toBe("ORT_TRUNCATED");
    expect(await codeOfRejection(file.readAt(4, 0))).toBe("ORT_TRUNCATED");
    expect(await codeOfRejection(file.readAt(0, Number.MAX_SAFE_INTEGER))).toBe("ORT_TRUNCATED");
    expect(await codeOfRejection(file.readAt(-1, 1))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(file.readAt(0.5, 1))).toBe("ORT_ARGUMENT");
    await file.close();
  });

  on("reads a copy: neither side sees the other's changes", async (disk) => {
    const written = textBytes("abc");
    const file = await disk.open("page", "create");
    await file.append(written);
    written.fill(0);
    (await file.readAt(0, 3)).fill(0);
    expect(textOf(await file.readAt(0, 3))).toBe("abc");
    await file.close();
  });

  on("keeps what was written when the file is opened again", async (disk) => {
    const file = await disk.open("page", "create");
    await file.append(textBytes("abc"));
    await file.sync();
    await file.close();
    expect(await readText(disk, "page")).toBe("abc");
  });

  on("refuses to write what was opened to read", async (disk) => {
    await writeText(disk, "page", "abc");
    const file = await disk.open("page", "read");
    expect(await codeOfRejection(file.append(textBytes("x")))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(file.writeAt(0, textBytes("x")))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(file.writeDurably(0, textBytes("x")))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(file.truncate(0))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(file.sync())).toBe("ORT_ARGUMENT");
    await file.close();
    expect(await readText(disk, "page")).toBe("abc");
  });

  on("refuses everything after close, and closes twice without harm", async (disk) => {
    const file = await disk.open("page", "create");
    await file.close();
    await file.close();
    expect(await codeOfRejection(file.size())).toBe("ORT_CLOSED");
    expect(await codeOfRejection(file.readAt(0, 0))).toBe("ORT_CLOSED");
    expect(await codeOfRejection(file.append(textBytes("x")))).toBe("ORT_CLOSED");
    expect(await codeOfRejection(file.sync())).toBe("ORT_CLOSED");
  });
}

function describeNames(on: OnDisk): void {
  on("creates only what is not there, and opens only what is", async (disk) => {
    expect(await codeOfRejection(disk.open("page", "read"))).toBe("ORT_NOT_FOUND");
    expect(await codeOfRejection(disk.open("page", "write"))).toBe("ORT_NOT_FOUND");
    await writeText(disk, "page", "abc");
    expect(await codeOfRejection(disk.open("page", "create"))).toBe("ORT_EXISTS");
    expect(await codeOfRejection(disk.open("nowhere/page", "create"))).toBe("ORT_NOT_FOUND");
  });

  on("replaces the target of a rename; a file that is open stays the same file", async (disk) => {
    await writeText(disk, "old", "old");
    const file = await disk.open("new.tmp", "create");
    const replaced = await disk.open("old", "read");
    await file.append(textBytes("new"));
    await disk.rename("new.tmp", "old");
    await file.append(textBytes("er"));
    expect(await readText(disk, "old")).toBe("newer");
    expect(textOf(await replaced.readAt(0, 3))).toBe("old");
    expect(await codeOfRejection(disk.open("new.tmp", "read"))).toBe("ORT_NOT_FOUND");
    expect(await codeOfRejection(disk.rename("new.tmp", "other"))).toBe("ORT_NOT_FOUND");
    await Promise.all([file.close(), replaced.close()]);
  });

  on("removes a file and says whether there was one; an open one stays readable", async (disk) => {
    await writeText(disk, "page", "abc");
    const file = await disk.open("page", "read");
    expect(await disk.remove("page")).toBe(true);
    expect(await disk.remove("page")).toBe(false);
    expect(textOf(await file.readAt(0, 3))).toBe("abc");
    await file.close();
  });

  on("lists a directory by name, files and directories apart", async (disk) => {
    await disk.makeDirectory("data");
    await disk.makeDirectory("data/old");
    await writeText(disk, "b", "");
    await writeText(disk, "B", "");
    await writeText(disk, "data/a", "");
    expect(await disk.list("")).toEqual([
      { name: "B", kind: "file" },
      { name: "b", kind: "file" },
      { name: "data", kind: "directory" },
    ]);
    expect(await disk.list("data")).toEqual([
      { name: "a", kind: "file" },
      { name: "old", kind: "directory" },
    ]);
    expect(await disk.list("data/old")).toEqual([]);
    expect(await codeOfRejection(disk.list("nowhere"))).toBe("ORT_NOT_FOUND");
  });

  on("makes a directory once, and only where its parent is", async (disk) => {
    await disk.makeDirectory("data");
    await disk.makeDirectory("data");
    await disk.syncDirectory("data");
    await disk.syncDirectory("");
    await writeText(disk, "page", "");
    expect(await codeOfRejection(disk.makeDirectory("page"))).toBe("ORT_EXISTS");
    expect(await codeOfRejection(disk.makeDirectory("nowhere/data"))).toBe("ORT_NOT_FOUND");
    expect(await codeOfRejection(disk.syncDirectory("nowhere"))).toBe("ORT_NOT_FOUND");
  });

  on("does not take a directory for a file", async (disk) => {
    await disk.makeDirectory("data");
    expect(await codeOfRejection(disk.open("data", "read"))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(disk.open("data", "write"))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(disk.open("data", "create"))).toBe("ORT_EXISTS");
  });

  on("refuses a path that could leave the root, before it touches anything", async (disk) => {
    const hostile = ["", ".", "..", "../x", "a/../x", "/etc", "a//b", "a/", "./a", "a\\b", "C:x", "a\0b"];
    for (const path of hostile) {
      expect(await codeOfRejection(disk.open(path, "create")), JSON.stringify(path)).toBe("ORT_PATH");
      expect(await codeOfRejection(disk.remove(path)), JSON.stringify(path)).toBe("ORT_PATH");
      expect(await codeOfRejection(disk.rename(path, "x")), JSON.stringify(path)).toBe("ORT_PATH");
      expect(await codeOfRejection(disk.rename("x", path)), JSON.stringify(path)).toBe("ORT_PATH");
      expect(await codeOfRejection(disk.makeDirectory(path)), JSON.stringify(path)).toBe("ORT_PATH");
      expect(await codeOfRejection(disk.lock(path)), JSON.stringify(path)).toBe("ORT_PATH");
      if (path === "") continue; // the root itself can be listed and synced
      expect(await codeOfRejection(disk.list(path)), JSON.stringify(path)).toBe("ORT_PATH");
      expect(await codeOfRejection(disk.syncDirectory(path)), JSON.stringify(path)).toBe("ORT_PATH");
    }
    expect(await disk.list("")).toEqual([]);
  });
}

function describeLocks(on: OnDisk): void {
  on("gives a lock to one at a time, and again after its release", async (disk) => {
    const lock = await disk.lock("world.lock");
    await lock.requireHeld();
    expect(await codeOfRejection(disk.lock("world.lock"))).toBe("ORT_LOCKED");
    await lock.release();
    await lock.release();
    expect(await codeOfRejection(lock.requireHeld())).toBe("ORT_LOCKED");
    await (await disk.lock("world.lock")).release();
  });

  on("does not mix up locks of different names", async (disk) => {
    const first = await disk.lock("world.lock");
    const second = await disk.lock("world.lock2");
    await Promise.all([first.release(), second.release()]);
  });
}

async function writeText(disk: Disk, path: string, text: string): Promise<void> {
  const file = await disk.open(path, "create");
  await file.append(textBytes(text));
  await file.close();
}

async function readText(disk: Disk, path: string): Promise<string> {
  const file = await disk.open(path, "read");
  const text = textOf(await file.readAt(0, await file.size()));
  await file.close();
  return text;
}
