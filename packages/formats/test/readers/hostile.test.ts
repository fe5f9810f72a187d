import { MemoryDisk } from "@orthant/disk";
import { openLuanti, openSchematic, openTiled, openVox, readNbt } from "@orthant/formats/readers";
import { codeOf, codeOfRejection, type NbtSample, nbtFile } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

/** Processor time that is allowed, where the fault took minutes. */
const SHORT_MS = 5_000;

async function expectShort(work: () => unknown): Promise<void> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1_000).toBeLessThan(SHORT_MS);
}

function openMap(source: string): ReturnType<typeof openTiled> {
  const files = new Map([["a.tmx", new TextEncoder().encode(source)]]);
  return openTiled(new MemoryDisk({ directories: [], files }), "a.tmx");
}

const int = (value: number): number[] => [
  value & 255,
  (value >> 8) & 255,
  (value >> 16) & 255,
  (value >> 24) & 255,
];

function voxChunk(id: string, content: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(id), Uint8Array.from([...int(content.length), ...int(0)]), content]);
}

describe("files that are made to keep a reader busy", () => {
  test("[IM5] a palette of 60,000 names is found by name in time", async () => {
    const names = Array.from({ length: 60_000 }, (_, at) => [`t:${at}`, { int: at }] as const);
    const palette: NbtSample = { fields: Object.fromEntries(names) };
    const bytes = nbtFile({
      Version: { int: 2 },
      Width: { short: 1 },
      Height: { short: 1 },
      Length: { short: 1 },
      Palette: palette,
      BlockData: { bytes: [5] },
    });
    await expectShort(async () => {
      const { parts } = await openSchematic(bytes, "a.schem");
      expect(parts[0]?.palette[parts[0].indices?.[0] ?? 0]).toBe("t:5");
    });
  });

  test("[IM5] a compound with more fields than anything has is refused when it is read", () => {
    const file = new Uint8Array(3 + 4 * 131_073 + 1);
    file[0] = 10;
    for (let at = 3; at < file.length - 1; at += 4) file[at] = 1;
    const { root } = readNbt(file);
    expect(codeOf(() => root.has("a"))).toBe("ORT_LIMIT");
    expect(codeOf(() => root.has("a"))).toBe("ORT_LIMIT");
  });

  test("[IM55] an element with a hundred thousand spaces or ten million letters ends in time", async () => {
    const map = (attributes: string): string =>
      `<map tilewidth="1" tileheight="1"${attributes}><layer/></map>`;
    await expectShort(async () => {
      expect((await openMap(map(" ".repeat(100_000)))).tileWidth).toBe(1);
      expect(await codeOfRejection(() => openMap(map("x".repeat(10_000_000))))).toBe("ORT_FOREIGN");
      expect(await codeOfRejection(() => openMap(map(` a="${"x".repeat(10_000_000)}`)))).toBe("ORT_FOREIGN");
    });
  });

  test("[IM55] only the entities of XML exist, and only Tiled's layers", async () => {
    const map = (inside: string): string => `<map tilewidth="1" tileheight="1"><layer/>${inside}</map>`;
    expect(await codeOfRejection(() => openMap(map("&toString;")))).toBe("ORT_FOREIGN");
    expect((await openMap(map("<constructor/>"))).layers).toEqual([]);
  });

  test("[IM54] a name of a property that is not text is an empty one", async () => {
    const named = (name: unknown): string =>
      JSON.stringify({ tilewidth: 1, tileheight: 1, layers: [], properties: [{ name, value: 1 }] });
    for (const name of [{ toString: 1, valueOf: 1 }, [[]], 7]) {
      expect([...(await openMap(named(name))).properties]).toEqual([["", 1]]);
    }
  });

  test("[IM43] a transform with 100,000 key frames that 200,000 groups share is read once", async () => {
    const [frames, children] = [100_000, 200_000];
    const transform = new Uint8Array(24 + frames * 4);
    transform.set([...int(1), ...int(0), ...int(2), ...int(-1), ...int(0), ...int(frames)]);
    const group = new Uint8Array(12 + children * 4);
    group.set([...int(0), ...int(0), ...int(children)]);
    for (let at = 12; at < group.length; at += 4) group[at] = 1;
    const chunks = Buffer.concat([voxChunk("nGRP", group), voxChunk("nTRN", transform)]);
    const head = Uint8Array.from([...int(150), ...Buffer.from("MAIN"), ...int(0), ...int(chunks.length)]);
    await expectShort(() => {
      openVox(Buffer.concat([Buffer.from("VOX "), head, chunks]), "a.vox");
    });
  });

  test("[IM63] a row that thousands of places in a page share is read until the rows fill the file", async () => {
    const page = 32_768;
    const file = new Uint8Array(page * 2);
    const view = new DataView(file.buffer);
    const sql = "CREATE TABLE blocks (pos INT, data BLOB)";
    const record = [7, 23, 25, 25, 1, 13 + sql.length * 2, 0];
    const values = Buffer.from(`tableblocksblocks${String.fromCharCode(2)}${sql}`);
    file.set(Buffer.from("SQLite format 3\0"));
    view.setUint16(16, page);
    view.setUint32(28, 2);
    file.set([0x0d, 0, 0, 0, 1, 0, 0, 0, 0x40, 0], 100);
    file.set([record.length - 1 + values.length, 1, 6, ...record.slice(1, 6), ...values], 0x4000);
    file.set([0x0d, 0, 0, 0x1f, 0x40, 0, 0, 0], page);
    for (let cell = 0; cell < 8_000; cell++) view.setUint16(page + 8 + cell * 2, 0x4000);
    // A row of 8,000 bytes: a number, and a blob of the version 99.
    file.set([0xbe, 0x40, 1, 4, 1, 0xfd, 0x02, 1, 99], page + 0x4000);
    const disk = new MemoryDisk({ directories: [], files: new Map([["map.sqlite", file]]) });
    const world = await openLuanti(disk, "map.sqlite");
    for await (const block of world.blocks()) expect(block).toBeUndefined();
    const messages = world.findings.map(({ message }) => message);
    expect(messages.filter((message) => message.includes("version 99")).length).toBe(8);
    expect(messages[8]).toContain("a row of 8000 bytes");
    await world.close();
  });
});
