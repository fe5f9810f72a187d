import type { ErrorCode } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { clockFrom } from "@orthant/core/tree";
import { type Disk, type DiskFile, MemoryDisk, type OpenMode } from "@orthant/disk";
import { plainDescription } from "@orthant/save";
import {
  encodeEndMark,
  encodeSegmentHeader,
  finishGroup,
  groupHeader,
  type JournalBase,
  journalEntryCodec,
  type SegmentKey,
  segmentFile,
  segmentHeader,
  segmentHeaderV1,
} from "@orthant/save/internal";
import {
  type JournalEdit,
  type JournalEntry,
  JournalReader,
  journalEditBytesMax,
  type ScannedJournal,
} from "@orthant/save/journal";
import { codeOf, codeOfRejection, fromHex, toHex } from "@orthant/testkit";
import { chunkOf, GLOBAL, SHAPE } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

type Key = Required<SegmentKey>;

const SEGMENT: Key = {
  generation: 12,
  epoch: 3,
  epochId: 0x1122_3344_5566_7788n,
  secret: 0x99aa_bbcc_ddee_ff01n,
};
const NEXT: Key = { ...SEGMENT, generation: 13 };
const HEADER_HEX =
  "56344a4e 02000000 0c00000000000000 03000000 8877665544332211 0500000000000000 01ffeeddccbbaa99 d9c94ad2";
const HEADER_V1_HEX =
  "56344a4e 01000000 0c00000000000000 03000000 8877665544332211 0500000000000000 750ee3bf";
const EDIT_HEX = "00 01 0900000000000000 04 01 00000001 00 01 05 07 03 01 00000001 04";
// Checksums were computed with zlib's crc32.
const GROUP_HEX = `4a475250 1b000000 0000000000000000 955c1afb ${EDIT_HEX}`;
const GROUP_V1_HEX = `4a475250 1b000000 0000000000000000 749efbad ${EDIT_HEX}`;
const END_HEX = "4a454e44 00000000 0100000000000000 02f849bb";

const EDIT: JournalEdit = {
  kind: "edit",
  origin: { clientId: 9n, lastEditId: 4 },
  chunks: [{ position: [0, 0, 0, -1], edits: [{ index: 5, block: 7 }] }],
  clocks: [{ region: [0, 0, 0, -1], clock: clockFrom(3, 2) }],
};
const codec = journalEntryCodec(SHAPE.volume);

const description = {
  ...plainDescription(SHAPE),
  worldId: 1n,
  clockEpoch: 3,
  epochs: [{ number: 3, id: SEGMENT.epochId }],
};
const BASE = {
  generation: 12,
  manifest: {},
  global: { ...GLOBAL, description, nextDataFileId: 2, lastModifiedMs: 0 },
} satisfies JournalBase;

/** Returns a group with one edit that sets this block. */
function groupOf(number: number, sequence: number, segment: SegmentKey): Uint8Array {
  const edit: JournalEdit = {
    ...EDIT,
    chunks: [{ position: [0, 0, 0, 0], edits: [{ index: 5, block: number }] }],
  };
  const entry = encode(codec, edit);
  const group = new Uint8Array(groupHeader.bytes + entry.length);
  group.set(entry, groupHeader.bytes);
  return finishGroup(group, sequence, segment);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function segmentOf(id: Key, groupsBefore: number, ...numbers: readonly number[]): Uint8Array {
  return joined(
    encodeSegmentHeader(id, groupsBefore),
    ...numbers.map((number, sequence) => groupOf(number, sequence, id)),
  );
}

type NamedBytes = readonly [path: string, bytes: Uint8Array];

function diskWith(...files: readonly NamedBytes[]): MemoryDisk {
  return new MemoryDisk({ directories: ["journal"], files: new Map(files) });
}

/** Returns a disk whose reads a test can observe and change. */
function withReads(disk: Disk, change: (offset: number, bytes: Uint8Array) => Uint8Array): Disk {
  return new Proxy(disk, {
    get(target, name) {
      if (name !== "open") return Reflect.get(target, name, target).bind(target);
      return async (path: string, mode: OpenMode): Promise<DiskFile> => {
        const file = await target.open(path, mode);
        return {
          ...{
            append: () => Promise.reject(),
            writeAt: () => Promise.reject(),
            sync: () => Promise.reject(),
          },
          ...{ writeDurably: () => Promise.reject(), truncate: () => Promise.reject() },
          size: () => file.size(),
          close: () => file.close(),
          readAt: async (offset, length) => change(offset, await file.readAt(offset, length)),
        };
      };
    },
  });
}

/** Returns the blocks that the edits of a journal set, in order. */
async function blocksIn(journal: JournalReader): Promise<readonly number[]> {
  const blocks: number[] = [];
  for await (const entries of journal.entries(SHAPE.volume)) {
    for (const entry of entries) {
      const [change] = entry.kind === "edit" ? entry.chunks : [];
      if (change !== undefined && "edits" in change) blocks.push(change.edits[0]?.block ?? 0);
    }
  }
  return blocks;
}

interface Scanned {
  readonly journal: ScannedJournal;
  readonly blocks: readonly number[];
}

function scanned(...files: readonly NamedBytes[]): Promise<Scanned> {
  return scannedFrom(BASE, ...files);
}

async function scannedFrom(base: JournalBase, ...files: readonly NamedBytes[]): Promise<Scanned> {
  const reader = await JournalReader.open(diskWith(...files), base);
  const blocks = await blocksIn(reader);
  await reader.close();
  return { journal: reader.found, blocks };
}

describe("the bytes of a journal", () => {
  test("[J1] are in segments named by generation and epoch", () => {
    expect(segmentFile(SEGMENT)).toBe("journal/g0000000000000012.e00000003.v4jn");
  });

  test("[J2] begin with a header that has a checksum", () => {
    expect(toHex(encodeSegmentHeader(SEGMENT, 5))).toBe(HEADER_HEX.replaceAll(" ", ""));
    expect(segmentHeaderV1.bytes).toBe(fromHex(HEADER_V1_HEX).length);
  });

  test("[J23] end with a checksummed mark when the journal continues in another segment", () => {
    expect(toHex(encodeEndMark(1, SEGMENT))).toBe(END_HEX.replaceAll(" ", ""));
  });

  test("[J4] continue with groups whose checksums cover their segment", () => {
    const entry = encode(codec, EDIT);
    expect(toHex(entry)).toBe(EDIT_HEX.replaceAll(" ", ""));
    expect(toHex(finishGroup(joined(new Uint8Array(20), entry), 0, SEGMENT))).toBe(
      GROUP_HEX.replaceAll(" ", ""),
    );
  });

  test.each<[rule: string, name: string, entry: JournalEntry, hex: string]>([
    [
      "J7",
      "an edit with a whole chunk and no origin",
      {
        kind: "edit",
        origin: undefined,
        chunks: [{ position: [1, 0, 0, 0], chunk: chunkOf(1) }],
        clocks: [],
      },
      "00 00 01 02000000 01 01 01 00 00",
    ],
    [
      "J7",
      "an edit of a player's client, which has a tag of its own",
      {
        kind: "edit",
        origin: { clientId: 9n, lastEditId: 300, playerId: 6n },
        chunks: [{ position: [1, 0, 0, 0], chunk: chunkOf(1) }],
        clocks: [],
      },
      "05 0900000000000000 ac02 0600000000000000 01 02000000 01 01 01 00 00",
    ],
    [
      "J36",
      "an edit of data",
      {
        kind: "edit",
        origin: undefined,
        chunks: [
          {
            position: [1, 0, 0, 0],
            edits: [],
            data: [
              { index: 2, data: fromHex("aabb") },
              { index: 3, data: undefined },
            ],
          },
        ],
        clocks: [],
      },
      "00 00 01 02000000 02 02 02 03 aabb 00 00 00 00",
    ],
    [
      "J36",
      "an edit of blocks and data",
      {
        kind: "edit",
        origin: undefined,
        chunks: [
          {
            position: [1, 0, 0, 0],
            edits: [{ index: 5, block: 7 }],
            data: [{ index: 5, data: fromHex("aa") }],
          },
        ],
        clocks: [],
      },
      "00 00 01 02000000 03 01 05 07 01 05 02 aa 00 00",
    ],
    [
      "J36",
      "an edit with a whole chunk and its data",
      {
        kind: "edit",
        origin: undefined,
        chunks: [{ position: [1, 0, 0, 0], chunk: chunkOf(1).editData([{ index: 1, data: fromHex("aa") }]) }],
        clocks: [],
      },
      "00 00 01 02000000 04 01 01 01 01 01 aa 00 00",
    ],
    [
      "J8",
      "an entity that is gone",
      { kind: "entityGone", entityId: 300n, storedAt: [1, 0, 0, -1] },
      "02 ac02 01 02000001",
    ],
    [
      "J10",
      "a description",
      { kind: "description", name: "ab", spawn: [1, 0, 0, -2] },
      "04 02 6162 000000000000f03f 0000000000000000 0000000000000000 00000000000000c0",
    ],
    [
      "J31",
      "a change of blocks",
      {
        kind: "blocks",
        change: {
          changed: [{ id: 1, name: "rock", retired: true }],
          redefined: [],
          added: [
            {
              id: 2,
              name: "tin",
              colour: 0x01_02_03,
              solid: true,
              light: 0,
              opacity: 15,
              tags: [],
              properties: [],
            },
          ].map((type) => ({ ...type, transparent: false, retired: false, shape: [] })),
        },
      },
      "06 01 01 04 726f636b 01 00 00 01 02 03 74696e 01 010203",
    ],
    [
      "J40",
      "a redefinition of a block",
      {
        kind: "blocks",
        change: {
          changed: [],
          redefined: [
            {
              ...{ id: 2, name: "tin", colour: 0x01_02_03, solid: true, transparent: false },
              ...{ light: 0, opacity: 15, tags: [], retired: false, shape: [] },
            },
          ],
          added: [],
        },
      },
      "09 00 00 00 01 02 03 74696e 01 010203 00 00 00",
    ],
    [
      "J41",
      "transactions as one entry",
      {
        kind: "transaction",
        origin: { clientId: 7n, lastEditId: 300, playerId: 9n },
        chunks: [],
        clocks: [],
        players: [],
        store: [
          { key: "a", value: Uint8Array.of(5) },
          { key: "b", value: undefined },
        ],
      },
      "0a 01 0700000000000000 ac02 01 0900000000000000 00 00 00 00 02 01 61 01 01 05 01 62 00",
    ],
  ])("[%s] have %s", (_rule, _name, entry, hex) => {
    expect(toHex(encode(codec, entry))).toBe(hex.replaceAll(" ", ""));
    expect(decode(codec, fromHex(hex))).toEqual(entry);
  });

  test("[J8] [J9] encode entities and players as blobs do", () => {
    const vector = [1, 2, 3, 4] as const;
    const entity = {
      ...{ entityId: 1n, entityClass: 1, kind: 2, position: vector, orientation: vector, velocity: vector },
      ...{ scale: 1, block: 2, displayName: "a", tags: ["b"], payload: fromHex("01"), lastSavedMs: 5 },
    };
    const player = {
      ...{ playerId: 4n, authKey: fromHex("02"), name: undefined, position: vector, orientation: vector },
      ...{ tags: [], inventory: fromHex("03"), metadata: [], lastSavedMs: 6 },
    };
    for (const entry of [
      { kind: "entity", entity, storedAt: undefined },
      { kind: "player", player },
    ] as const) {
      const bytes = encode(codec, entry);
      expect(decode(codec, bytes)).toEqual(entry);
      for (let length = 0; length < bytes.length; length++) {
        expect(codeOf(() => decode(codec, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
      }
    }
    expect(codeOf(() => decode(codec, fromHex("03 00")))).toBe("ORT_PLAYERS");
    expect(codeOf(() => decode(codec, fromHex("0b")))).toBe("ORT_TAG");
    expect(codeOf(() => decode(codec, fromHex("00 00 01 02000000 05")))).toBe("ORT_TAG");
    expect(codeOf(() => decode(codec, fromHex("00 00 01 02000000 04 01 01 00 00 00")))).toBe(
      "ORT_VOXEL_DATA",
    );
    expect(codeOf(() => encode(codec, { ...EDIT, chunks: [{ position: [0, 0, 0, 0], edits: [] }] }))).toBe(
      "ORT_ARGUMENT",
    );
  });

  test("[J16] take at most the size estimated before writing", () => {
    for (const entry of [
      EDIT,
      { ...EDIT, chunks: [{ position: [-9, 0, 0, 0] as const, chunk: chunkOf(700) }] },
      {
        ...EDIT,
        chunks: [
          {
            position: [-9, 0, 0, 0] as const,
            chunk: chunkOf(700).editData([{ index: 9, data: new Uint8Array(500) }]),
          },
          {
            position: [9, 0, 0, 0] as const,
            edits: [{ index: 15, block: 60_000 }],
            data: [{ index: 15, data: new Uint8Array(32_768) }],
          },
        ],
      },
    ]) {
      expect(encode(codec, entry).length).toBeLessThanOrEqual(journalEditBytesMax(entry));
    }
  });
});

describe("reading a journal", () => {
  test("[J3] reads the segments of this generation and later, of the last epoch, in order", async () => {
    const old = { ...SEGMENT, generation: 11 };
    const other = { ...SEGMENT, epoch: 2 };
    const { journal, blocks } = await scanned(
      [segmentFile(NEXT), segmentOf(NEXT, 2, 3)],
      [segmentFile(SEGMENT), segmentOf(SEGMENT, 7, 1, 2)],
      [segmentFile(old), segmentOf(old, 0, 9)],
      [segmentFile(other), segmentOf(other, 0, 9)],
      ["journal/notes.txt", fromHex("00")],
    );
    expect(blocks).toEqual([1, 2, 3]);
    expect(journal.damage).toBeUndefined();
    expect(journal.stale).toEqual([segmentFile(old), segmentFile(other)]);
    expect(journal.strangers).toEqual(["journal/notes.txt"]);
  });

  test("[J3] [J4] ignores a segment of another copy of the world, or of an older use of its name", async () => {
    for (const id of [{ ...SEGMENT, epochId: 1n }, NEXT]) {
      const { journal, blocks } = await scanned([segmentFile(SEGMENT), segmentOf(id, 0, 1)]);
      expect([blocks, journal.damage]).toEqual([[], undefined]);
      const mixed = joined(segmentOf(SEGMENT, 0, 1), groupOf(2, 1, id));
      expect((await scanned([segmentFile(SEGMENT), mixed])).blocks).toEqual([1]);
    }
  });

  test("[J5] drops a last group that is cut at any byte, or zero from there on", async () => {
    const whole = segmentOf(SEGMENT, 0, 1, 2);
    const second = groupOf(2, 1, SEGMENT).length;
    for (let cut = 0; cut < whole.length; cut++) {
      const expected = cut < whole.length - second ? [] : [1];
      const short = await scanned([segmentFile(SEGMENT), whole.subarray(0, cut)]);
      expect([short.blocks, short.journal.damage], `cut at ${cut}`).toEqual([expected, undefined]);
      const zeros = whole.slice().fill(0, cut);
      // A cut where only zeros follow changes nothing.
      if (toHex(zeros) === toHex(whole)) continue;
      const filled = await scanned([segmentFile(SEGMENT), zeros]);
      expect([filled.blocks, filled.journal.damage], `zeros at ${cut}`).toEqual([expected, undefined]);
    }
  });

  test("[J4] [J18] finds no group and no interrupted write in a run of zeros", async () => {
    const zeros = new Uint8Array(2_500_000);
    zeros.set(encodeSegmentHeader(SEGMENT, 0));
    const { journal, blocks } = await scanned([segmentFile(SEGMENT), zeros]);
    expect([blocks, journal.damage, journal.segments[0]?.tornBytes]).toEqual([[], undefined, 0]);
    zeros[2_000_000] = 1;
    const torn = (await scanned([segmentFile(SEGMENT), zeros])).journal;
    expect([torn.damage, torn.segments[0]?.tornBytes]).toEqual([undefined, 2_000_001 - segmentHeader.bytes]);
  });

  test("[J6] [J18] finds a good group after a bad one even if it ends in zeros and more zeros follow", async () => {
    const whole = segmentOf(SEGMENT, 0, 1, 2);
    const entry = encode(codec, { kind: "description", name: "", spawn: [0, 0, 0, 0] });
    const last = finishGroup(joined(new Uint8Array(20), entry), 2, SEGMENT);
    expect(last.at(-1)).toBe(0);
    whole[whole.length - 1] = 0x77;
    const { journal } = await scanned([segmentFile(SEGMENT), joined(whole, last, new Uint8Array(9_000))]);
    expect(journal.damage?.code).toBe("ORT_JOURNAL");
  });

  test("[J2] reads a segment of version 1, whose checksums have no secret", async () => {
    const segment = joined(fromHex(HEADER_V1_HEX), fromHex(GROUP_V1_HEX));
    const { journal, blocks } = await scanned([segmentFile(SEGMENT), segment]);
    expect([blocks, journal.damage]).toEqual([[7], undefined]);
    const rotten = joined(fromHex(HEADER_V1_HEX), fromHex(GROUP_V1_HEX));
    rotten[50] = 1;
    const { secret: _secret, ...withoutSecret } = SEGMENT;
    const later = joined(rotten, groupOf(2, 1, withoutSecret));
    expect((await scanned([segmentFile(SEGMENT), later])).journal.damage?.code).toBe("ORT_JOURNAL");
  });

  test("[J4] does not report damage for a torn group before a name forged as a group without the secret", async () => {
    // Knows generation, epoch and its id, as every client does, and guesses the secret.
    const { secret: _secret, ...known } = SEGMENT;
    for (const key of [known, { ...known, secret: 0n }, { ...known, secret: SEGMENT.epochId }]) {
      const payload = new Uint8Array(groupHeader.bytes + 7).fill(0x20, groupHeader.bytes);
      const name = finishGroup(payload, 2, key);
      expect(name.length).toBe(27);
      const torn = joined(groupOf(2, 1, SEGMENT).subarray(0, 21), name, fromHex("00"));
      const bytes = joined(segmentOf(SEGMENT, 0, 1), torn);
      const { journal, blocks } = await scanned([segmentFile(SEGMENT), bytes]);
      expect([blocks, journal.damage]).toEqual([[1], undefined]);
    }
  });

  test.each<[name: string, sequence: number, between: number, code: ErrorCode | undefined]>([
    ["has the number of the bad one", 1, 30, undefined],
    ["has the number of a good one", 0, 30, undefined],
    ["comes next", 2, 30, "ORT_JOURNAL"],
    ["is the third, and there was room for two between", 3, 42, "ORT_JOURNAL"],
    ["is the third, and there was no room for two between", 3, 41, undefined],
    ["has a number that cannot follow", 1_000_000, 30, undefined],
  ])(
    "[J6] counts a group after a bad one only if it may follow: one that %s",
    async (_name, sequence, between, code) => {
      const bad = new Uint8Array(between).fill(0x77);
      const bytes = joined(segmentOf(SEGMENT, 0, 1), bad, groupOf(3, sequence, SEGMENT));
      const { journal, blocks } = await scanned([segmentFile(SEGMENT), bytes]);
      expect([blocks, journal.damage?.code]).toEqual([[1], code]);
    },
  );

  test("[J22] reports damage when the segment named by the manifest is missing or has no header", async () => {
    const bound = { ...BASE, manifest: { journalEpoch: 3 } };
    const read = async (...files: readonly NamedBytes[]): Promise<ScannedJournal> => {
      const reader = await JournalReader.open(diskWith(...files), bound);
      await reader.close();
      return reader.found;
    };
    const next = [segmentFile(NEXT), segmentOf(NEXT, 0, 3)] as const;
    for (const files of [
      [],
      [next],
      [[segmentFile(SEGMENT), segmentOf({ ...SEGMENT, epochId: 1n }, 0)] as const],
    ]) {
      const { damage, readable } = await read(...files);
      expect([damage?.code, damage?.context.path]).toEqual(["ORT_JOURNAL", segmentFile(SEGMENT)]);
      expect(readable).toBeLessThanOrEqual(1);
    }
    const header = encodeSegmentHeader(SEGMENT, 0);
    expect((await read([segmentFile(SEGMENT), header])).damage).toBeUndefined();
    for (let cut = 0; cut < header.length; cut++) {
      const short = await read([segmentFile(SEGMENT), header.subarray(0, cut)]);
      expect(short.damage?.code, `cut at ${cut}`).toBe("ORT_JOURNAL");
    }
    // The header of a segment that no manifest names yet may be torn, as long as nothing follows it.
    const first = [segmentFile(SEGMENT), header] as const;
    const torn = encodeSegmentHeader(NEXT, 0).fill(0, 20);
    expect((await read(first, [segmentFile(NEXT), torn])).damage).toBeUndefined();
    const written = joined(torn, groupOf(1, 0, NEXT));
    expect((await read(first, [segmentFile(NEXT), written])).damage?.code).toBe("ORT_JOURNAL");
    const foreign = [segmentFile(NEXT), segmentOf({ ...NEXT, epochId: 1n }, 0)] as const;
    expect((await read(first, foreign)).damage?.code).toBe("ORT_JOURNAL");
  });

  test("[J23] reports damage when a segment ends in a mark and the next one is missing or has no header", async () => {
    const marked = joined(segmentOf(SEGMENT, 0, 1), encodeEndMark(1, SEGMENT), new Uint8Array(100));
    const first = [segmentFile(SEGMENT), marked] as const;
    const alone = await scanned(first);
    expect([alone.journal.damage?.code, alone.journal.damage?.context.path]).toEqual([
      "ORT_JOURNAL",
      segmentFile(NEXT),
    ]);
    expect(alone.blocks).toEqual([1]);
    const both = await scanned(first, [segmentFile(NEXT), segmentOf(NEXT, 1, 2)]);
    expect([both.journal.damage, both.blocks]).toEqual([undefined, [1, 2]]);
    const bound = { ...BASE, manifest: { journalEpoch: 3 } };
    const disk = diskWith(first, [segmentFile(NEXT), encodeSegmentHeader(NEXT, 1).fill(0, 20)]);
    expect((await JournalReader.open(disk, bound)).found.damage?.code).toBe("ORT_JOURNAL");
    // A mark with another number of groups is not a mark.
    const wrong = joined(segmentOf(SEGMENT, 0, 1), encodeEndMark(2, SEGMENT));
    expect((await scanned([segmentFile(SEGMENT), wrong])).journal.damage).toBeUndefined();
  });

  test("[J6] reports damage when a byte before the last group changed, and returns nothing wrong", async () => {
    const whole = segmentOf(SEGMENT, 0, 1, 2, 3);
    const last = whole.length - groupOf(3, 2, SEGMENT).length;
    const firstEnd = segmentHeader.bytes + groupOf(1, 0, SEGMENT).length;
    for (let at = 0; at < whole.length; at++) {
      const rotten = whole.slice();
      rotten[at] = (rotten[at] ?? 0) ^ 0x10;
      const { journal, blocks } = await scannedFrom({ ...BASE, manifest: { journalEpoch: 3 } }, [
        segmentFile(SEGMENT),
        rotten,
      ]);
      const good = at < firstEnd ? [] : at < last ? [1] : [1, 2];
      expect(blocks, `byte ${at}`).toEqual(good);
      expect(journal.damage?.code, `byte ${at}`).toBe(at < last ? "ORT_JOURNAL" : undefined);
    }
  });

  test("[J6] reports damage when a segment has fewer groups than the next one states", async () => {
    const next = [segmentFile(NEXT), segmentOf(NEXT, 2, 3)] as const;
    for (const [numbers, kept] of [
      [[1], [1]],
      [[], []],
    ] as const) {
      const first = [segmentFile(SEGMENT), segmentOf(SEGMENT, 0, ...numbers)] as const;
      const { journal, blocks } = await scanned(first, next);
      expect([journal.damage?.code, journal.damage?.context.path]).toEqual([
        "ORT_JOURNAL",
        segmentFile(SEGMENT),
      ]);
      expect(blocks).toEqual(kept);
    }
    const alone = await scanned(next);
    expect([alone.journal.damage?.code, alone.blocks]).toEqual(["ORT_JOURNAL", []]);
  });

  test("[J2] reports damage when a newer program wrote it", async () => {
    const header = fromHex(
      "56344a4e 03000000 0c00000000000000 03000000 8877665544332211 0500000000000000 01ffeeddccbbaa99 9e5b0e7d",
    );
    const { journal } = await scanned([segmentFile(SEGMENT), header]);
    expect(journal.damage?.code).toBe("ORT_VERSION");
  });

  test("[J6] fails when a group with the right checksum cannot be decoded", async () => {
    const group = finishGroup(joined(new Uint8Array(20), fromHex("09")), 0, SEGMENT);
    const disk = diskWith([segmentFile(SEGMENT), joined(encodeSegmentHeader(SEGMENT, 0), group)]);
    const journal = await JournalReader.open(disk, BASE);
    expect(await codeOfRejection(() => blocksIn(journal))).toBe("ORT_JOURNAL");
  });

  test("[J3] finds no segment without a folder, and only stale ones without an epoch", async () => {
    const none = { segments: [], stale: [], strangers: [], damage: undefined, readable: 0 };
    expect((await JournalReader.open(new MemoryDisk(), BASE)).found).toEqual(none);
    const global = { ...BASE.global, description: plainDescription(SHAPE) };
    const disk = diskWith([segmentFile(SEGMENT), segmentOf(SEGMENT, 0, 1)]);
    const { found } = await JournalReader.open(disk, { ...BASE, global });
    expect(found).toEqual({ ...none, stale: [segmentFile(SEGMENT)] });
  });

  test("[J17] does not report damage for a group that was being written during the scan", async () => {
    const disk = diskWith([segmentFile(SEGMENT), segmentOf(SEGMENT, 0, 1, 2, 3)]);
    const second = segmentHeader.bytes + groupOf(1, 0, SEGMENT).length;
    let early = 1;
    const racing = withReads(disk, (offset, bytes) =>
      offset === second && early-- > 0 ? bytes.fill(0) : bytes,
    );
    const journal = await JournalReader.open(racing, BASE);
    expect([journal.found.damage, await blocksIn(journal)]).toEqual([undefined, [1, 2, 3]]);
    await journal.close();
    const rotten = withReads(disk, (offset, bytes) => (offset === second ? bytes.fill(0, 0, 4) : bytes));
    expect((await JournalReader.open(rotten, BASE)).found.damage?.code).toBe("ORT_JOURNAL");
  });

  test("[J17] [J19] works, as does copying, when the files were removed since it was opened", async () => {
    const torn = joined(segmentOf(NEXT, 2, 3, 4), fromHex("4a475250 ff"), new Uint8Array(70_000));
    const first = joined(segmentOf(SEGMENT, 0, 1, 2), new Uint8Array(70_000));
    const disk = diskWith([segmentFile(SEGMENT), first], [segmentFile(NEXT), torn]);
    const journal = await JournalReader.open(disk, BASE);
    for (const id of [SEGMENT, NEXT]) await disk.remove(segmentFile(id));
    expect(await blocksIn(journal)).toEqual([1, 2, 3, 4]);
    expect([journal.groups, await journal.countEntries(SHAPE.volume)]).toEqual([4, 4]);
    const target = new MemoryDisk();
    await journal.copyTo(target);
    await journal.close();
    // Without the zeros and the interrupted write.
    expect(Object.fromEntries(target.image().files)).toEqual({
      [segmentFile(SEGMENT)]: segmentOf(SEGMENT, 0, 1, 2),
      [segmentFile(NEXT)]: segmentOf(NEXT, 2, 3, 4),
    });
    const bytes = [...target.image().files.values()].reduce((sum, { length }) => sum + length, 0);
    expect(journal.bytes).toBe(bytes);
    const again = await JournalReader.open(target, BASE);
    expect(await blocksIn(again)).toEqual([1, 2, 3, 4]);
    await again.close();
  });

  test("[J19] creates no folder when there is nothing to copy", async () => {
    const target = new MemoryDisk();
    await (await JournalReader.open(new MemoryDisk(), BASE)).copyTo(target);
    expect(target.image().directories).toEqual([]);
  });
});
