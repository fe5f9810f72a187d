import { type Disk, MemoryDisk, OverlayDisk } from "@orthant/disk";
import { codeOfRejection } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function readText(disk: Disk, path: string): Promise<string> {
  const file = await disk.open(path, "read");
  try {
    return new TextDecoder().decode(await file.readAt(0, await file.size()));
  } finally {
    await file.close();
  }
}

function baseDisk(): MemoryDisk {
  const files = new Map([
    ["page", bytesOf("abc")],
    ["data/pack", bytesOf("012345")],
    ["data/old", bytesOf("old")],
  ]);
  return new MemoryDisk({ directories: ["data"], files });
}

describe("OverlayDisk over a disk with files", () => {
  test("shows the base with every change, and leaves the base unchanged", async () => {
    const base = baseDisk();
    const before = base.image();
    const disk = new OverlayDisk(base);
    const pack = await disk.open("data/pack", "write");
    expect(await pack.append(bytesOf("67"))).toBe(6);
    expect(new TextDecoder().decode(await pack.readAt(4, 4))).toBe("4567");
    await pack.truncate(7);
    await pack.writeAt(1, bytesOf("x"));
    await pack.close();
    const page = await disk.open("page.tmp", "create");
    await page.append(bytesOf("new"));
    await page.close();
    await disk.rename("page.tmp", "page");
    expect(await disk.remove("data/old")).toBe(true);
    await disk.makeDirectory("data/deep");
    expect(await readText(disk, "data/pack")).toBe("0x23456");
    expect(await readText(disk, "page")).toBe("new");
    expect((await disk.list("")).map(({ name }) => name)).toEqual(["data", "page"]);
    expect((await disk.list("data")).map(({ name }) => name)).toEqual(["deep", "pack"]);
    expect(await codeOfRejection(disk.open("data/old", "read"))).toBe("ORT_NOT_FOUND");
    expect(await disk.remove("data/old")).toBe(false);
    expect(base.image()).toEqual(before);
  });

  test("renames a file of the base, and can recreate a removed file", async () => {
    const base = baseDisk();
    const disk = new OverlayDisk(base);
    await disk.rename("data/old", "data/older");
    expect(await readText(disk, "data/older")).toBe("old");
    expect(await codeOfRejection(disk.open("data/old", "read"))).toBe("ORT_NOT_FOUND");
    await disk.remove("page");
    await (await disk.open("page", "create")).close();
    expect(await readText(disk, "page")).toBe("");
    expect(await readText(base, "page")).toBe("abc");
  });

  test("refuses to create a file that the base has", async () => {
    expect(await codeOfRejection(new OverlayDisk(baseDisk()).open("data/pack", "create"))).toBe("ORT_EXISTS");
  });
});
