import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { packTar, unpackTar } from "@orthant/disk/browser";
import { codeOfRejection } from "@orthant/testkit";
import { describe, expect, onTestFinished, test } from "vitest";

const LARGE = Uint8Array.from({ length: 1_100_000 }, (_, index) => (index * 7) % 251);

async function sample(): Promise<MemoryDisk> {
  const files = new Map([
    ["manifest.json", new TextEncoder().encode("{}")],
    ["data/pack", LARGE],
    ["data/empty", new Uint8Array(0)],
    ["data/sector", new Uint8Array(512).fill(1)],
  ]);
  return new MemoryDisk({ directories: ["data"], files });
}

async function readAll(disk: Disk, path: string): Promise<Buffer> {
  const file = await disk.open(path, "read");
  return Buffer.from(await file.readAt(0, await file.size()));
}

async function bytesOf(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.arrayBuffer());
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "orthant-tar-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Returns an archive made by the system's own program. */
function systemTar(...options: readonly string[]): Blob {
  const folder = newFolder();
  mkdirSync(join(folder, "world/data"), { recursive: true });
  writeFileSync(join(folder, "world/manifest.json"), "{}");
  writeFileSync(join(folder, "world/data/pack"), LARGE);
  return new Blob([execFileSync("tar", ["-c", ...options], { cwd: folder, maxBuffer: 2 ** 24 })]);
}

describe("an archive", () => {
  test("is unpacked by the system's tar, byte for byte", async () => {
    const folder = newFolder();
    const archive = await bytesOf(await packTar(await sample()));
    execFileSync("tar", ["-x"], { cwd: folder, input: archive });
    expect(readFileSync(join(folder, "manifest.json"), "utf8")).toBe("{}");
    expect(readFileSync(join(folder, "data/pack")).equals(LARGE)).toBe(true);
    expect(readFileSync(join(folder, "data/empty")).length).toBe(0);
    expect(readFileSync(join(folder, "data/sector")).length).toBe(512);
  });

  test("opens as a disk with the same files", async () => {
    const disk = await unpackTar(await packTar(await sample()));
    expect(await disk.list("data")).toEqual(await (await sample()).list("data"));
    expect((await readAll(disk, "data/pack")).equals(LARGE)).toBe(true);
    expect(await codeOfRejection(disk.open("data/pack", "write"))).toBe("ORT_ARGUMENT");
  });

  test.each([
    ["of a folder", ["--format=ustar", "world"]],
    ["of what is in a folder", ["--format=ustar", "-C", "world", "."]],
    ["in the form that GNU's program takes by itself", ["--format=gnu", "world"]],
  ])("%s, made by the system's tar, opens as a disk", async (_title, options) => {
    const disk = await unpackTar(systemTar(...options));
    expect((await disk.list("")).map(({ name }) => name)).toEqual(["data", "manifest.json"]);
    expect((await readAll(disk, "data/pack")).equals(LARGE)).toBe(true);
  });

  test("is refused when truncated at any significant length", async () => {
    const archive = await packTar(await sample());
    const lengths = [0, 1, 511, 512, 1024, 1025, 2048, 1_000_000, archive.size - 1024];
    for (const length of lengths) {
      expect(await codeOfRejection(unpackTar(archive.slice(0, length))), `${length}`).toBe("ORT_TRUNCATED");
    }
  });

  test("is refused when any byte of a header was changed", async () => {
    const intact = await bytesOf(await packTar(new MemoryDisk({ directories: ["data"], files: new Map() })));
    for (let offset = 0; offset < 512; offset++) {
      if (offset === 155) continue; // bytes after the checksum's end have no meaning
      const archive = intact.slice();
      archive[offset] = (archive[offset] ?? 0) ^ 0x41;
      const code = await codeOfRejection(unpackTar(new Blob([archive])));
      expect(code, `${offset}`).not.toBe("no error");
    }
  });

  test("is refused when it would leave the disk, or is not an archive", async () => {
    expect(await codeOfRejection(unpackTar(systemTar("-P", "--transform=s,world,../world,", "world")))).toBe(
      "ORT_PATH",
    );
    expect(await codeOfRejection(unpackTar(systemTar("-P", "--transform=s,world,/world,", "world")))).toBe(
      "ORT_PATH",
    );
    expect(await codeOfRejection(unpackTar(systemTar("--format=pax", "--mtime=@1.5", "world")))).toBe(
      "ORT_ARGUMENT",
    );
    expect(await codeOfRejection(unpackTar(new Blob([new Uint8Array(512).fill(7)])))).toBe("ORT_MAGIC");
  });

  test("is refused for a name that does not fit", async () => {
    const disk = new MemoryDisk({ directories: [], files: new Map([["n".repeat(101), LARGE]]) });
    expect(await codeOfRejection(packTar(disk))).toBe("ORT_LIMIT");
  });
});
