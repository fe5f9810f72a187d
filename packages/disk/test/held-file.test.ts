import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeDisk } from "@orthant/disk/node";
import { codeOfRejection } from "@orthant/testkit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

/** How often the next renames and removals fail, and with which code, as if another program had the file open. */
const held = vi.hoisted(() => ({ times: 0, code: "" }));

vi.mock("node:fs/promises", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs/promises")>();
  const refuse = (): void => {
    if (held.times-- > 0) throw Object.assign(new Error(held.code), { code: held.code });
  };
  const rename: typeof original.rename = async (from, to) => {
    refuse();
    await original.rename(from, to);
  };
  const unlink: typeof original.unlink = async (path) => {
    refuse();
    await original.unlink(path);
  };
  return { ...original, rename, unlink };
});

const { platform } = process;
let root: string;
let disk: NodeDisk;

function runOn(name: string): void {
  Object.defineProperty(process, "platform", { value: name });
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "orthant-held-"));
  disk = new NodeDisk(root);
  await writeFile(join(root, "page"), "abc");
});

afterEach(async () => {
  runOn(platform);
  await rm(root, { recursive: true });
});

describe("a file that another program has open", () => {
  test.each(["EPERM", "EACCES", "EBUSY"])("is renamed over and removed on Windows after %s", async (code) => {
    runOn("win32");
    Object.assign(held, { times: 3, code });
    await disk.rename("page", "moved");
    Object.assign(held, { times: 3, code });
    expect(await disk.remove("moved")).toBe(true);
    expect(await disk.list("")).toEqual([]);
  });

  test("is reported on Windows if it stays open for five seconds", async () => {
    runOn("win32");
    Object.assign(held, { times: 100, code: "EBUSY" });
    const startMs = performance.now();
    expect(await codeOfRejection(disk.rename("page", "moved"))).toBe("ORT_DISK_DENIED");
    expect(performance.now() - startMs).toBeGreaterThan(4_900);
    expect(held.times).toBe(89);
  });

  test.each([
    ["win32", "ENOENT", "ORT_NOT_FOUND"],
    ["linux", "EPERM", "ORT_DISK_DENIED"],
    ["darwin", "EACCES", "ORT_DISK_DENIED"],
  ])("is not a reason to try again on %s after %s", async (name, code, expected) => {
    runOn(name);
    Object.assign(held, { times: 1, code });
    expect(await codeOfRejection(disk.rename("page", "moved"))).toBe(expected);
    expect(held.times).toBe(0);
  });
});
