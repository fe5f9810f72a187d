import { type DiskCall, GatedDisk, MemoryDisk } from "@orthant/disk";
import { temporaryPath, writeTemporary } from "@orthant/disk/files";
import { expect, test } from "vitest";

test("a temporary file replaces what an earlier attempt left, which is looked for only if the name is taken", async () => {
  const memory = new MemoryDisk();
  const calls: DiskCall["operation"][] = [];
  const disk = new GatedDisk(memory, ({ operation }, happen) => {
    calls.push(operation);
    return happen();
  });
  await writeTemporary(disk, "manifest.json", Uint8Array.of(1, 2, 3));
  expect(calls).toEqual(["open", "append", "sync", "close"]);
  calls.length = 0;
  await writeTemporary(disk, "manifest.json", Uint8Array.of(4));
  expect(calls).toEqual(["open", "remove", "open", "append", "sync", "close"]);
  const file = await memory.open(temporaryPath("manifest.json"), "read");
  expect(await file.readAt(0, await file.size())).toEqual(Uint8Array.of(4));
});

test("a folder with the name of a temporary file is not removed", async () => {
  const disk = new MemoryDisk();
  await disk.makeDirectory(temporaryPath("manifest.json"));
  await expect(writeTemporary(disk, "manifest.json", Uint8Array.of(1))).rejects.toThrow();
  expect((await disk.list("")).map(({ kind }) => kind)).toEqual(["directory"]);
});
