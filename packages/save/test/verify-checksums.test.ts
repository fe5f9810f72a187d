import type { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { verifySave } from "@orthant/save";
import { smallWorld } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const PACK = "data/dt-000001.v4dt";

async function changeByte(disk: MemoryDisk, offset: number): Promise<void> {
  const pack = await disk.open(PACK, "write");
  const [byte = 0] = await pack.readAt(offset, 1);
  await pack.writeAt(offset, Uint8Array.of(byte ^ 0x10));
  await pack.close();
}

describe("verifySave with checksums only", () => {
  test("finds a changed byte anywhere in a pack, as the full check does", async () => {
    const { disk, writer } = await smallWorld();
    await writer.close();
    const pack = await disk.open(PACK, "read");
    const size = await pack.size();
    await pack.close();
    expect(await verifySave(disk, { checksumsOnly: true })).toEqual([]);
    for (let offset = 0; offset < size; offset++) {
      await changeByte(disk, offset);
      const quick = await verifySave(disk, { checksumsOnly: true });
      expect(isWhole(quick), `byte ${offset}`).toBe(false);
      expect(quick).toEqual(await verifySave(disk));
      await changeByte(disk, offset);
    }
  });
});
