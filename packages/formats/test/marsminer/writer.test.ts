import { MemoryDisk } from "@orthant/disk";
import { createMarsMiner, octreeOfBoxes, openMarsMiner, verifyMarsMiner } from "@orthant/formats";
import { resumeMarsMiner, uniformOctree } from "@orthant/formats/internal";
import { CrashDisk, codeOfRejection, explorePowerCuts, FaultDisk, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { chunkOf, contentOf, diskOf, readAll, SUBTYPES_FILES, TICKS, writtenDisk } from "./samples.ts";

function hexOf(disk: MemoryDisk, path: string): string {
  return toHex(disk.image().files.get(path) ?? new Uint8Array(0));
}

describe("a writer of MarsMiner saves", () => {
  test("[M25] creates a save without a state", async () => {
    const disk = new MemoryDisk();
    await (await createMarsMiner(disk)).close();
    expect([...disk.image().files].map(([path, bytes]) => [path, toHex(bytes)])).toEqual([
      ["strings", "0000000000000000"],
      ["pointers", "0000000001000000 0000000000000000".replace(" ", "")],
      ["blob0", "0000000000000000"],
    ]);
    expect((await openMarsMiner(disk)).state).toBeUndefined();
  });

  test("[M25] accepts the leftovers of an interrupted creation, and nothing else", async () => {
    for (const files of [
      ...[{}, { strings: "" }, { strings: "0000", blob0: "00000000" }],
      ...[{ pointers: "000000000100" }, { pointers: "00000000010000000000000000000000" }],
    ]) {
      const disk = diskOf(files);
      await (await createMarsMiner(disk)).close();
      expect((await openMarsMiner(disk)).state).toBeUndefined();
    }
    for (const files of [
      ...[{ "notes.txt": "" }, { blob0: "01" }, { strings: "000000000000000000" }],
      ...[{ pointers: "0000000002" }, { pointers: "0000000001000000000000000000000000" }],
    ]) {
      expect(await codeOfRejection(createMarsMiner(diskOf(files)))).toBe("ORT_NOT_EMPTY");
    }
    expect(await codeOfRejection(createMarsMiner(await writtenDisk(1)))).toBe("ORT_NOT_EMPTY");
  });

  test("[M10] refuses a time that is not a 64-bit bigint, and stays usable", async () => {
    const writer = await createMarsMiner(new MemoryDisk());
    for (const ticks of [5 as never, "5" as never, 2n ** 63n, -(2n ** 63n) - 1n])
      expect(await codeOfRejection(writer.commit({ ticks, name: "n" }))).toBe("ORT_ARGUMENT");
    await writer.commit({ ticks: TICKS, name: "n" });
    await writer.close();
  });

  test("[M26] writes the bytes of the dialect `draft`, with a correct count of strings", async () => {
    const disk = new MemoryDisk();
    const writer = await createMarsMiner(disk);
    await writer.putChunk({ x: 64, z: -64, blockTypes: ["a", "b"], octrees: [uniformOctree(1)] });
    await writer.commit({ ticks: TICKS, name: "n" });
    await writer.close();
    expect(hexOf(disk, "strings")).toBe("0000000003000000" + "0161" + "0162" + "016e");
    expect(hexOf(disk, "pointers")).toBe("0000000001000000" + "0000000000000000");
    expect(hexOf(disk, "blob0")).toBe(
      [
        "00000000 35000000", // 00 header
        "0200 08000000 0a000000", // 08 block types
        "01000000 01000000 00 01", // 12 octree
        "08000000 01 12000000", // 1c chunk
        "01000000 40000000 c0ffffff 1c000000", // 25 chunk table
        "0753e7242abdce08 0c000000 25000000", // 35 index
      ]
        .join("")
        .replaceAll(" ", ""),
    );
  });

  test("[M4, M25] writes saves that read as the dialect `draft`, whatever names and tables they have", async () => {
    const disk = new MemoryDisk();
    const writer = await createMarsMiner(disk);
    const blockTypes = ["Core_Empty", "Rock", "Sand"];
    const box = { min: [0, 0, 0, 0], max: [32, 32, 32, 1] } as const;
    const octrees = [octreeOfBoxes([{ box, value: 0 }], 64, 1), uniformOctree(0)];
    await writer.putChunk({ x: 0, z: 0, blockTypes, octrees });
    await writer.commit({ ticks: TICKS, name: "first" });
    await writer.putChunk({ x: 0, z: 0, blockTypes, octrees });
    // Read with subtypes, the third name would begin in the middle of the first one and end in this one.
    await writer.commit({
      ticks: TICKS + 1n,
      name: "a name as long as this one is, with some fifty letters",
    });
    await writer.close();
    const save = await openMarsMiner(disk);
    expect(save.fittingDialects).toEqual(["draft"]);
    const [entry] = save.state?.chunks ?? [];
    const chunk = entry && (await save.readChunk(entry));
    expect(chunk?.blockTypes.map(({ name }) => name)).toEqual(blockTypes);
  });

  test("[M25] adds a pointer record to a save without one when it is opened for writing", async () => {
    const disk = new MemoryDisk();
    await (await createMarsMiner(disk)).close();
    const old = new MemoryDisk({
      directories: [],
      files: new Map([...disk.image().files, ["pointers", new Uint8Array(8)]]),
    });
    await (await resumeMarsMiner(old)).close();
    expect(hexOf(old, "pointers")).toBe("0000000001000000" + "0000000000000000");
  });

  test("[M26] keeps a commit whose blob was created by an earlier session that never committed", async () => {
    const disk = new CrashDisk();
    const options = { blobFullBytes: 100 };
    const first = await createMarsMiner(disk, options);
    await first.putChunk(chunkOf(0, 0, 1));
    await first.commit({ ticks: TICKS, name: "one" });
    const made = disk.log.length;
    await first.putChunk(chunkOf(64, 0, 2));
    await first.close();
    expect(disk.log.slice(made).some(({ kind }) => kind === "create")).toBe(true);
    const second = await resumeMarsMiner(disk, options);
    await second.commit({ ticks: TICKS + 1n, name: "two" });
    await second.close();
    await explorePowerCuts(disk, { disksPerCut: 40, seed: 1 }, async ({ disk: left, cutAt }) => {
      if (cutAt === disk.log.length) expect((await openMarsMiner(left)).state?.name).toBe("two");
    });
  });

  test("[M26] changes no existing byte except the header and the counts", async () => {
    const disk = await writtenDisk(3, { blobFullBytes: 200 });
    const before = disk.image().files;
    const writer = await resumeMarsMiner(disk, { blobFullBytes: 200 });
    await writer.putChunk(chunkOf(0, -64, 8));
    expect(writer.removeChunk(64, -64)).toBe(true);
    expect(writer.removeChunk(65, -64)).toBe(false);
    expect(writer.chunkCount).toBe(2);
    await writer.commit({ ticks: TICKS + 9n, name: undefined });
    await writer.close();
    for (const [path, bytes] of before) {
      const after = disk.image().files.get(path) ?? new Uint8Array(0);
      expect(toHex(after.subarray(8, bytes.length))).toBe(toHex(bytes.subarray(8)));
    }
    const save = await openMarsMiner(disk);
    expect(save.state?.chunks.map(({ x }) => x)).toEqual([0, 128]);
    expect(save.state?.name).toBeUndefined();
    expect((await save.findStates()).map(({ name }) => name)).toEqual([
      undefined,
      "state 2",
      "state 1",
      "state 0",
    ]);
  });

  test("[M26] syncs blocks, strings and pointers, then writes and syncs the header", async () => {
    const disk = new CrashDisk();
    const writer = await createMarsMiner(disk, { blobFullBytes: 100 });
    await writer.putChunk(chunkOf(0, 0, 1));
    await writer.commit({ ticks: TICKS, name: "one" });
    const from = disk.log.length;
    await writer.putChunk(chunkOf(64, 0, 2));
    await writer.commit({ ticks: TICKS, name: "two" });
    await writer.close();
    const steps = disk.log.slice(from).map((operation) => {
      const isHeader = operation.kind === "write" && operation.path === "blob0" && operation.offset === 0;
      return isHeader ? "header" : `${operation.kind} ${"path" in operation ? operation.path : ""}`;
    });
    const header = steps.indexOf("header");
    expect(steps.slice(header)).toEqual(["header", "sync blob0"]);
    const written = new Set(
      steps
        .slice(0, header)
        .filter((step) => step.startsWith("write"))
        .map((step) => step.slice(6)),
    );
    for (const path of written) expect(steps.slice(0, header)).toContain(`sync ${path}`);
    // The name of the second state is new, and its index is in another blob than the header.
    expect([...written]).toEqual(expect.arrayContaining(["pointers", "strings"]));
    expect(steps.slice(0, header)).toContain("syncDirectory ");
  });

  test("[M27] writes the record of the header's own pointer before the header, with a correct count", async () => {
    const disk = await writtenDisk(5, { blobFullBytes: 100 });
    const { files } = disk.image();
    const blob = files.get("blob0") ?? new Uint8Array(8);
    const pointers = files.get("pointers") ?? new Uint8Array(8);
    const view = new DataView(pointers.buffer, pointers.byteOffset);
    const header = new DataView(blob.buffer, blob.byteOffset).getUint32(4, true);
    expect(header).toBeGreaterThanOrEqual(0x8000_0000);
    const record = 8 + 8 * (header - 0x8000_0000);
    const save = await openMarsMiner(disk);
    expect([view.getInt32(record, true), view.getUint32(record + 4, true)]).toEqual([
      save.state?.address.blob,
      save.state?.address.offset,
    ]);
    expect(view.getInt32(4, true)).toBe((pointers.length - 8) / 8);
    expect((await verifyMarsMiner(disk)).length).toBe(0);
  });

  test("[M27] overwrites a torn record; the original shifted everything after it", async () => {
    for (let tail = 1; tail < 8; tail++) {
      const whole = await writtenDisk(4, { blobFullBytes: 100 });
      const files = Object.fromEntries(whole.image().files);
      const pointers = new Uint8Array([...(files["pointers"] ?? []), ...Array<number>(tail).fill(0xee)]);
      const disk = diskOf({ ...files, pointers });
      const writer = await resumeMarsMiner(disk, { blobFullBytes: 100 });
      await writer.putChunk(chunkOf(999, 0, 4));
      await writer.commit({ ticks: TICKS + 9n, name: "after" });
      await writer.close();
      expect(await verifyMarsMiner(disk)).toEqual([]);
      const save = await openMarsMiner(disk);
      expect(save.state?.chunks.length).toBe(4);
      await contentOf(save);
    }
  });

  test("[M26] continues states of its own dialect and refuses others", async () => {
    expect(await codeOfRejection(resumeMarsMiner(diskOf(SUBTYPES_FILES)))).toBe("ORT_DIALECT");
    const disk = await writtenDisk(3);
    const before = await readAll(disk);
    await (await resumeMarsMiner(disk)).close();
    expect(await readAll(disk)).toEqual(before);
  });

  test("refuses what the format cannot hold, and stays usable", async () => {
    const disk = new MemoryDisk();
    const writer = await createMarsMiner(disk);
    const octrees = Array.from({ length: 256 }, () => uniformOctree(0));
    const put = (change: object): Promise<unknown> =>
      codeOfRejection(writer.putChunk({ ...chunkOf(0, 0, 1), ...change }));
    expect(await put({ octrees })).toBe("ORT_LIMIT");
    expect(await put({ blockTypes: Array.from({ length: 65_536 }, (_, id) => `${id}`) })).toBe("ORT_LIMIT");
    expect(await put({ blockTypes: ["a".repeat(65_537)] })).toBe("ORT_LIMIT");
    expect(await put({ octrees: [uniformOctree(3)] })).toBe("ORT_ARGUMENT");
    expect(await put({ x: 2 ** 31 })).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(writer.commit({ ticks: 1n, name: "a".repeat(65_537) }))).toBe("ORT_LIMIT");
    await writer.putChunk(chunkOf(0, 0, 1));
    await writer.commit({ ticks: TICKS, name: "" });
    await writer.close();
    expect((await openMarsMiner(disk)).state?.name).toBe("");
  });

  test("accepts nothing after a failed write, and earlier commits stay", async () => {
    for (const operation of ["writeAt", "sync"] as const) {
      const disk = await writtenDisk(2);
      const before = await readAll(disk);
      const faulty = new FaultDisk(disk, { operation, kind: "io", nth: 1 });
      const writer = await resumeMarsMiner(faulty);
      await writer.putChunk(chunkOf(640, 0, 1));
      expect(await codeOfRejection(writer.commit({ ticks: TICKS, name: "lost" }))).toBe("ORT_DISK_IO");
      expect(await codeOfRejection(writer.commit({ ticks: TICKS, name: "lost" }))).toBe("ORT_SAVE_FAILED");
      await writer.close();
      expect(await readAll(disk)).toEqual(before);
    }
  });

  test("refuses concurrent calls", async () => {
    const writer = await createMarsMiner(new MemoryDisk());
    const first = writer.putChunk(chunkOf(0, 0, 1));
    expect(await codeOfRejection(writer.putChunk(chunkOf(0, 64, 1)))).toBe("ORT_ARGUMENT");
    await first;
    await writer.close();
  });
});
