import { type Disk, GatedDisk, MemoryDisk } from "@orthant/disk";
import { resumeMarsMiner } from "@orthant/formats/internal";
import { openSave, resumeSave } from "@orthant/save";
import { codeOfRejection, FaultDisk } from "@orthant/testkit";
import { smallWorld } from "@orthant/testkit/saves";
import { expect, test } from "vitest";
import { writtenDisk } from "./marsminer/samples.ts";

/** Returns a wrapped disk, and a function that counts its open files. */
function counted(disk: Disk): { readonly disk: Disk; readonly open: () => number } {
  let open = 0;
  const gated = new GatedDisk(disk, async ({ operation }, happen) => {
    const result = await happen();
    if (operation === "open") open++;
    if (operation === "close") open--;
    return result;
  });
  return { disk: gated, open: () => open };
}

test("a save that cannot be resumed leaves no file open", async () => {
  const { disk: memory } = await smallWorld();
  const faulty = new FaultDisk(memory, { operation: "readAt", kind: "io", nth: 1, path: /dt-000001/ });
  const { disk, open } = counted(faulty);
  const save = await openSave(disk);
  expect(await codeOfRejection(resumeSave(disk, save))).toBe("ORT_DISK_IO");
  await save.close();
  expect(open()).toBe(0);
});

test.each(["pointers", "blob0"])(
  "[M25] a MarsMiner save whose %s cannot be opened leaves no file open",
  async (name) => {
    const files = (await writtenDisk(1)).image();
    for (let nth = 1; ; nth++) {
      const faulty = new FaultDisk(new MemoryDisk(files), {
        operation: "open",
        kind: "io",
        nth,
        path: new RegExp(`^${name}$`),
      });
      const { disk, open } = counted(faulty);
      const writer = await resumeMarsMiner(disk).catch(() => undefined);
      await writer?.close();
      expect(open()).toBe(0);
      if (writer !== undefined) break;
    }
  },
);
