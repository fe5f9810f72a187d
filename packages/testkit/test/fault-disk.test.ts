import { OrthantError } from "@orthant/core";
import { type Disk, type DiskFile, MemoryDisk } from "@orthant/disk";
import { codeOfRejection, commitValue, type DiskFault, FaultDisk, readValues } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

async function faultyFile(fault: DiskFault): Promise<{ disk: Disk; behind: MemoryDisk; file: DiskFile }> {
  const behind = new MemoryDisk();
  const disk = new FaultDisk(behind, fault);
  return { disk, behind, file: await disk.open("page", "create") };
}

describe("a disk with a fault", () => {
  test("becomes full in the middle of the n-th write, and the file has its first half", async () => {
    const { file, behind } = await faultyFile({ operation: "append", kind: "full", nth: 2 });
    await file.append(bytesOf("one"));
    expect(await codeOfRejection(file.append(bytesOf("four")))).toBe("ORT_DISK_FULL");
    expect(textOf(behind, "page")).toBe("onefo");
    await file.append(bytesOf("!"));
    expect(textOf(behind, "page")).toBe("onefo!");
  });

  test("keeps failing when the fault is sticky", async () => {
    const { file } = await faultyFile({ operation: "writeAt", kind: "io", nth: 2, sticky: true });
    await file.writeAt(0, bytesOf("a"));
    expect(await codeOfRejection(file.writeAt(0, bytesOf("a")))).toBe("ORT_DISK_IO");
    expect(await codeOfRejection(file.writeAt(0, bytesOf("a")))).toBe("ORT_DISK_IO");
  });

  test("fails a sync once and then refuses the file forever", async () => {
    const { file } = await faultyFile({ operation: "sync", kind: "io", nth: 1 });
    expect(await codeOfRejection(file.sync())).toBe("ORT_DISK_IO");
    expect(await codeOfRejection(file.sync())).toBe("ORT_SYNC_FAILED");
    expect(await codeOfRejection(file.append(bytesOf("a")))).toBe("ORT_SYNC_FAILED");
  });

  test("fails a durable write as a write or as a sync, and then refuses the file forever", async () => {
    for (const [operation, left] of [
      ["writeAt", "fo"],
      ["sync", "four"],
    ] as const) {
      const { file, behind } = await faultyFile({ operation, kind: "io", nth: 1 });
      expect(await codeOfRejection(file.writeDurably(0, bytesOf("four")))).toBe("ORT_DISK_IO");
      expect(textOf(behind, "page")).toBe(left);
      expect(await codeOfRejection(file.writeDurably(0, bytesOf("a")))).toBe("ORT_SYNC_FAILED");
    }
  });

  test("returns a short read", async () => {
    const { file } = await faultyFile({ operation: "readAt", kind: "short", nth: 1 });
    await file.append(bytesOf("abc"));
    expect(await codeOfRejection(file.readAt(0, 3))).toBe("ORT_TRUNCATED");
    expect(await file.readAt(0, 3)).toEqual(bytesOf("abc"));
  });

  test("counts only the calls with a matching path", async () => {
    const disk = new FaultDisk(new MemoryDisk(), { operation: "open", kind: "io", nth: 2, path: /^b/ });
    await disk.open("b1", "create");
    await disk.open("a1", "create");
    expect(await codeOfRejection(disk.open("b2", "create"))).toBe("ORT_DISK_IO");
    expect(disk.struck).toBe(true);
    expect(disk.calls.get("open")).toBe(3);
  });

  test("never makes the sample store acknowledge a lost value, whichever call fails", async () => {
    for (const kind of ["full", "io"] as const) {
      for (const operation of [
        "open",
        "append",
        "truncate",
        "sync",
        "rename",
        "remove",
        "syncDirectory",
      ] as const) {
        for (let nth = 1; ; nth++) {
          const behind = new MemoryDisk();
          const disk = new FaultDisk(behind, { operation, kind, nth });
          const acknowledged: number[] = [];
          for (const value of [1, 2]) {
            await commitValue(disk, value).then(() => acknowledged.push(value), expectOrthantError);
          }
          expect(await readValues(behind), `${kind} ${operation} ${nth}`).toEqual(
            expect.arrayContaining(acknowledged),
          );
          if (!disk.struck) break;
        }
      }
    }
  });
});

function expectOrthantError(error: unknown): void {
  expect(error).toBeInstanceOf(OrthantError);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function textOf(disk: MemoryDisk, path: string): string {
  return new TextDecoder().decode(disk.image().files.get(path));
}
