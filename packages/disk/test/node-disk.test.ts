import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { mkdir, mkdtemp, open, readdir, readFile, readlink, rm, stat, symlink } from "node:fs/promises";
import { createServer, type Server as NetServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OrthantError } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { codeOfRejection } from "@orthant/testkit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "orthant-node-"));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(root, { recursive: true });
});

/** Returns the class behind `node:fs` files, whose methods a test can make fail as a real disk would. */
async function fileHandlePrototype(): Promise<Awaited<ReturnType<typeof open>>> {
  const handle = await open(root, "r");
  await handle.close();
  return Object.getPrototypeOf(handle);
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code });
}

describe.runIf(process.platform === "linux")("an entry that is not a regular file", () => {
  /** Creates one entry of every kind that is not a regular file, under these names. */
  async function makeStrangers(): Promise<NetServer> {
    execFileSync("mkfifo", [join(root, "pipe")]);
    await symlink("pipe", join(root, "link-to-pipe"));
    await symlink("/dev/zero", join(root, "link-to-device"));
    await mkdir(join(root, "directory"));
    const server = createServer().listen(join(root, "socket"));
    await once(server, "listening");
    return server;
  }

  test("is refused at once, with its path, without waiting for the other end of a pipe", async () => {
    const server = await makeStrangers();
    const disk = new NodeDisk(root);
    for (const path of ["pipe", "link-to-pipe", "link-to-device", "socket", "directory"]) {
      const code = path.startsWith("link") ? "ORT_PATH" : "ORT_ARGUMENT";
      for (const mode of ["read", "write"] as const) {
        const error = await disk.open(path, mode).catch((thrown: unknown) => thrown);
        expect(error, `${mode} ${path}`).toMatchObject({ code, context: { path } });
      }
      expect(await codeOfRejection(disk.open(path, "create")), path).toBe("ORT_EXISTS");
    }
    for (const path of ["pipe", "socket"]) {
      expect(await codeOfRejection(disk.syncDirectory(path)), path).toBe("ORT_NOT_FOUND");
      expect(await codeOfRejection(disk.list(path)), path).toBe("ORT_NOT_FOUND");
      expect(await codeOfRejection(disk.makeDirectory(path)), path).toBe("ORT_EXISTS");
    }
    expect((await disk.list("")).map(({ name }) => name)).toContain("pipe");
    server.close();
  });

  test("can be renamed and removed, and does not block the lock", async () => {
    const disk = new NodeDisk(root);
    for (const name of ["world.lock", "world.lock~ousted~1", "world.lock~a~b~1~c~d", "pipe"])
      execFileSync("mkfifo", [join(root, name)]);
    const lock = await disk.lock("world.lock");
    await lock.requireHeld();
    expect(lock.isContested).toBe(true);
    await lock.settle();
    await lock.release();
    await disk.rename("pipe", "other");
    expect(await disk.remove("other")).toBe(true);
  }, 60_000);
});

describe("a folder as a disk", () => {
  test("is created with its missing parents, and left alone if it exists", async () => {
    const folder = join(root, "a/b/c");
    const disk = await NodeDisk.create(folder);
    expect((await stat(folder)).isDirectory()).toBe(true);
    await (await disk.open("page", "create")).close();
    expect(await (await NodeDisk.create(folder)).list("")).toEqual([{ name: "page", kind: "file" }]);
  });

  test.runIf(process.platform === "linux").each([
    ["/proc/world", "ORT_DISK_DENIED"],
    ["/proc/new/world", "ORT_DISK_DENIED"],
    ["/dev/null/world", "ORT_NOT_FOUND"],
  ])("is refused at once where none can be made: %s", async (folder, code) => {
    const error = await NodeDisk.create(folder).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, context: { operation: "makeDirectory" } });
  });

  test("a folder that does not exist is reported, with path and operation", async () => {
    const error = await new NodeDisk(join(root, "nowhere"))
      .open("page", "read")
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OrthantError);
    expect(error).toMatchObject({ code: "ORT_NOT_FOUND", context: { path: "page", operation: "open" } });
    expect((error as OrthantError).cause).toMatchObject({ code: "ENOENT" });
  });

  test("stores the bytes where any other program finds them", async () => {
    const file = await new NodeDisk(root).open("page", "create");
    await file.append(Uint8Array.of(1, 2, 3));
    await file.sync();
    await file.close();
    expect([...(await readFile(join(root, "page")))]).toEqual([1, 2, 3]);
  });

  test.runIf(process.platform === "linux")("makes the system sync with a durable write", async () => {
    const file = await new NodeDisk(root).open("log", "create");
    await file.writeDurably(0, Uint8Array.of(1, 2, 3));
    const flags: number[] = [];
    for (const fd of await readdir("/proc/self/fd")) {
      const target = await readlink(`/proc/self/fd/${fd}`).catch(() => "");
      if (target !== join(root, "log")) continue;
      const [, octal = "0"] = /flags:\s+(\d+)/.exec(await readFile(`/proc/self/fdinfo/${fd}`, "utf8")) ?? [];
      flags.push(Number.parseInt(octal, 8) & constants.O_DSYNC);
    }
    expect(flags.sort()).toEqual([0, constants.O_DSYNC]);
    await file.close();
    expect([...(await readFile(join(root, "log")))]).toEqual([1, 2, 3]);
  });

  test("writes and syncs if a file cannot be opened for durable writes", async () => {
    const prototype = await fileHandlePrototype();
    const file = await new NodeDisk(root).open("log", "create");
    const datasync = vi.spyOn(prototype, "datasync");
    vi.spyOn(prototype, "fd", "get").mockReturnValueOnce(1_000_000);
    await file.writeDurably(0, Uint8Array.of(1, 2, 3));
    expect(datasync).toHaveBeenCalledTimes(1);
    datasync.mockRejectedValueOnce(systemError("EIO"));
    await expect(file.writeDurably(3, Uint8Array.of(4))).rejects.toMatchObject({ code: "ORT_DISK_IO" });
    await expect(file.writeDurably(3, Uint8Array.of(4))).rejects.toMatchObject({ code: "ORT_SYNC_FAILED" });
    vi.restoreAllMocks();
    await file.close();
  });

  test("reads and writes all bytes when the system transfers them in pieces", async () => {
    const prototype = await fileHandlePrototype();
    const { read, write } = prototype;
    vi.spyOn(prototype, "read").mockImplementation(function (this: typeof prototype, ...args: unknown[]) {
      const [buffer, offset, , position] = args as [Uint8Array, number, number, number];
      return (read as (...all: unknown[]) => unknown).call(this, buffer, offset, 1, position);
    } as typeof read);
    vi.spyOn(prototype, "write").mockImplementation(function (this: typeof prototype, ...args: unknown[]) {
      const [buffer, offset, , position] = args as [Uint8Array, number, number, number];
      return (write as (...all: unknown[]) => unknown).call(this, buffer, offset, 1, position);
    } as typeof write);
    const file = await new NodeDisk(root).open("page", "create");
    await file.append(Uint8Array.of(1, 2, 3, 4, 5));
    expect([...(await file.readAt(1, 3))]).toEqual([2, 3, 4]);
    await file.close();
  });

  test("refuses writes to a file whose sync failed, and never syncs it again", async () => {
    const datasync = vi
      .spyOn(await fileHandlePrototype(), "datasync")
      .mockRejectedValueOnce(systemError("EIO"));
    const file = await new NodeDisk(root).open("page", "create");
    await expect(file.sync()).rejects.toMatchObject({ code: "ORT_DISK_IO" });
    await expect(file.sync()).rejects.toMatchObject({ code: "ORT_SYNC_FAILED" });
    await expect(file.append(Uint8Array.of(1))).rejects.toMatchObject({ code: "ORT_SYNC_FAILED" });
    expect(datasync).toHaveBeenCalledTimes(1);
    expect(await file.size()).toBe(0);
    await file.close();
  });

  test.each([
    ["ENOSPC", "ORT_DISK_FULL"],
    ["EDQUOT", "ORT_DISK_FULL"],
    ["EROFS", "ORT_DISK_DENIED"],
    ["EIO", "ORT_DISK_IO"],
    ["ESTRANGE", "ORT_DISK_IO"],
  ])("translates %s to %s", async (systemCode, code) => {
    vi.spyOn(await fileHandlePrototype(), "write").mockRejectedValueOnce(systemError(systemCode));
    const file = await new NodeDisk(root).open("page", "create");
    await expect(file.append(Uint8Array.of(1))).rejects.toMatchObject({ code });
    await file.close();
  });
});
