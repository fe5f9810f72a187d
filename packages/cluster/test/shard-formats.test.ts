import { requireName, type ShardMap } from "@orthant/cluster";
import {
  crc32c,
  decodeShardRecord,
  encodeShardRecord,
  heartbeatCodec,
  heartbeatKey,
  leaseCodec,
  leaseKey,
  mapKey,
  nameOfPosition,
  neighboursOf,
  ownerAddress,
  ownerAnswerCodec,
  ownerRequestCodec,
  positionOfName,
  type RegionRecord,
  sectorOfRegion,
  shardMapCodec,
  shardOf,
  shardsOf,
  stepAnswerCodec,
  transferAddress,
  transferAnswerCodec,
  transferRequestCodec,
  withSplit,
} from "@orthant/cluster/internal";
import {
  type Box,
  type Chunk,
  chunkFromVoxels,
  chunkShape,
  DEFAULT_BLOCKS,
  uniformChunk,
} from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { boxBetween } from "@orthant/core/lattice";
import { clockFrom } from "@orthant/core/tree";
import type { Pose, VisibleEntity } from "@orthant/protocol";
import type { StoredEntity } from "@orthant/save";
import { storedEntityCodec } from "@orthant/save/content";
import { codeOf, fromHex, toHex } from "@orthant/testkit";
import type { BorderEdit } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const VOLUME = 64;
/** Result of `codeOf` if nothing was thrown. */
const NO_ERROR = "no error";
const stone: Chunk = uniformChunk(VOLUME, 7);

const POSE: Pose = { position: [1.5, -2, 0, 0], orientation: [0, 0, 0, 1] };

const SHEEP: VisibleEntity = {
  ...{
    id: 300n,
    entityClass: 2,
    kind: 3,
    scale: 1,
    block: 4,
    name: "Dolly",
    tags: ["tame"],
    data: new Uint8Array([9]),
  },
  ...POSE,
};

/** 1.5, -2, 0 and 0 as f64. */
const PLACE = "000000000000f83f00000000000000c000000000000000000000000000000000";

const COW: StoredEntity = {
  entityId: 300n,
  entityClass: 2,
  kind: 3,
  ...POSE,
  velocity: [0, 0, 0, 0],
  scale: 1,
  block: 4,
  displayName: "Elsie",
  tags: ["tame"],
  payload: new Uint8Array([9]),
  lastSavedMs: 5,
};

const RECORD: RegionRecord = {
  kind: "region",
  term: 3,
  group: 9,
  index: 0,
  count: 2,
  region: [1, -1, 0, 0],
  before: clockFrom(2, 4),
  after: clockFrom(3, 1),
  origins: [{ clientId: 5n, lastEditId: 300, playerId: 7n, order: 2 }],
  chunks: [
    { position: [4, -4, 0, 0], chunk: stone },
    { position: [5, -4, 0, 0], edits: [{ index: 2, block: 1 }] },
  ],
};

const MAP: ShardMap = {
  generation: 1,
  mark: 77n,
  world: {
    worldId: 12n,
    name: "Town",
    spawn: [0.5, 1, 2, 0],
    shape: chunkShape([4, 4, 4, 1]),
    generator: generatorRef(flatGenerator, FLAT_DEFAULTS, 1n),
    catalog: DEFAULT_BLOCKS,
  },
  first: "0",
  splits: [],
};

/** Appends a valid checksum to a body. */
function sealed(body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(body.length + 4);
  bytes.set(body);
  new DataView(bytes.buffer).setUint32(body.length, crc32c(body), true);
  return bytes;
}

function codeOfChanged(change: Partial<RegionRecord>): string | undefined {
  const whole = encodeShardRecord({ ...RECORD, ...change } as RegionRecord, VOLUME);
  return codeOf(() => decodeShardRecord(whole, VOLUME));
}

describe("names", () => {
  test("[K1] a name has 1 to 32 characters of a-z, 0-9 and -, and does not begin with -", () => {
    for (const name of ["a", "0", "north-2", "a".repeat(32)])
      expect(codeOf(() => requireName(name, "node"))).toBe(NO_ERROR);
    for (const name of ["", "-a", "A", "a.b", "a/b", "a_b", "a".repeat(33), "ä"])
      expect(codeOf(() => requireName(name, "node"))).toBe("ORT_ARGUMENT");
  });

  test("[K2] a region belongs to the sector of its coordinates divided by 4, rounded down", () => {
    expect(sectorOfRegion([0, 3, 4, -1])).toEqual([0, 0, 1, -1]);
    expect(sectorOfRegion([-4, -5, 7, 8])).toEqual([-1, -2, 1, 2]);
  });

  test("[K3] a sector or region has exactly one name", () => {
    expect(nameOfPosition([1, -20, 0, 3])).toBe("1_-20_0_3");
    expect(positionOfName("1_-20_0_3")).toEqual([1, -20, 0, 3]);
    for (const name of ["1_2_3", "01_0_0_0", "-0_0_0_0", "1_2_3_4_5", "+1_0_0_0", " 1_0_0_0", "1e3_0_0_0"])
      expect(codeOf(() => positionOfName(name))).toBe("ORT_ARGUMENT");
  });

  test("[K4] keys have these names", () => {
    expect([leaseKey("town", "0"), heartbeatKey("town", "n1"), mapKey("town")]).toEqual([
      "own.town.0",
      "beat.town.n1",
      "map.town",
    ]);
  });

  test("[K5] an owner's address contains its term", () => {
    expect(ownerAddress("town", "0", 12)).toBe("i.town.0.12");
    expect(codeOf(() => ownerAddress("town", "0", 0))).toBe("ORT_ARGUMENT");
  });
});

describe("records", () => {
  test("crc32c computes the Castagnoli checksum", () => {
    expect(crc32c(new TextEncoder().encode("123456789"))).toBe(0xe306_9283);
  });

  test("[K6] a record has these bytes, and other versions or trailing bytes are rejected", () => {
    const bytes = encodeShardRecord({ kind: "term", term: 3, node: "n1" }, VOLUME);
    expect(toHex(bytes.subarray(0, -4))).toBe("02" + "01" + "03" + "026e31");
    expect(decodeShardRecord(bytes, VOLUME)).toEqual({ kind: "term", term: 3, node: "n1" });
    expect(decodeShardRecord(encodeShardRecord(RECORD, VOLUME), VOLUME)).toEqual(RECORD);
    expect(codeOf(() => decodeShardRecord(sealed(fromHex("030103026e31")), VOLUME))).toBe("ORT_VERSION");
    expect(codeOf(() => decodeShardRecord(sealed(fromHex("020100026e31")), VOLUME))).toBe("ORT_CLOCK");
    expect(codeOf(() => decodeShardRecord(sealed(fromHex("020103026e3100")), VOLUME))).toBe(
      "ORT_TRAILING_BYTES",
    );
  });

  test("[K55] a record of entities has these bytes", () => {
    const storedAt = [1, 0, 0, 0] as const;
    const transfer = { term: 2, number: 5 };
    const items = [
      { kind: "present", entity: COW, storedAt: undefined },
      { kind: "gone", entityId: 9n, storedAt },
      { kind: "left", number: 5, entity: COW, storedAt: undefined },
      { kind: "received", from: "east", transfer, low: { term: 1, number: 7 } },
      { kind: "delivered", transfer },
    ] as const;
    const record = { kind: "entities", term: 3, before: 4, after: 300, items } as const;
    const bytes = encodeShardRecord(record, VOLUME);
    const cow = toHex(encode(storedEntityCodec, COW));
    expect(toHex(bytes.subarray(0, -4))).toBe(
      [
        ...["03", "03", "03", "04", "ac02", "05"],
        ...["00", cow, "00"],
        ...["01", "09", "01", "02000000"],
        ...["02", "05", cow, "00"],
        ...["03", "0465617374", "0205", "0107"],
        ...["04", "0205"],
      ].join(""),
    );
    expect(decodeShardRecord(bytes, VOLUME)).toEqual(record);
    for (let length = 0; length < bytes.length - 4; length++)
      expect(codeOf(() => decodeShardRecord(sealed(bytes.subarray(0, length)), VOLUME))).toMatch(/^ORT_/);
    const backwards = { ...record, before: 301 };
    expect(codeOf(() => decodeShardRecord(encodeShardRecord(backwards, VOLUME), VOLUME))).toBe("ORT_JOURNAL");
  });

  test("[K57] a request to take entities over, and its answer, have these bytes", () => {
    const transfers = [{ term: 2, number: 5, entity: COW }];
    const request = {
      kind: "entities",
      ...{ from: "east", low: { term: 1, number: 7 }, stamp: 300, transfers },
    } as const;
    const bytes = encode(transferRequestCodec, request);
    expect(toHex(bytes)).toBe(
      `000465617374${"0107"}${"ac02"}${"010205"}${toHex(encode(storedEntityCodec, COW))}`,
    );
    expect(decode(transferRequestCodec, bytes)).toEqual(request);
    expect(toHex(encode(transferAnswerCodec, ["stored", "elsewhere", "later"]))).toBe("03000102");
    expect(transferAddress("town", "east", 4)).toBe("x.town.east.4");
  });

  test("[K67] a request to apply edits has these bytes, and is rejected cut at every byte", () => {
    const edits: readonly BorderEdit[] = [
      { voxel: [1, -1, 0, 0], block: 7 },
      { voxel: [1, 2, 0, 0], data: null },
      { voxel: [1, 3, 0, 0], block: 300, data: Uint8Array.of(9) },
      { voxel: [2, 3, 0, 0], tick: "a:b", inSteps: 3 },
    ];
    const transfers = [{ term: 2, number: 5, region: [0, -1, 0, 0] as const, edits }];
    const request = { kind: "edits", from: "east", low: { term: 1, number: 7 }, transfers } as const;
    const bytes = encode(transferRequestCodec, request);
    expect(toHex(bytes)).toBe(
      [
        ...["01", "0465617374", "0107", "01", "0205", "00010000", "04"],
        ...["00", "02010000", "01", "07"],
        ...["00", "02040000", "02"],
        ...["00", "02060000", "05", "ac02", "0109"],
        ...["01", "04060000", "03613a62", "03"],
      ].join(""),
    );
    expect(decode(transferRequestCodec, bytes)).toEqual(request);
    for (let length = 0; length < bytes.length; length++)
      expect(codeOf(() => decode(transferRequestCodec, bytes.subarray(0, length)))).toMatch(/^ORT_/);
    const badKind = fromHex(toHex(bytes).replace("03613a62", "03612062"));
    expect(codeOf(() => decode(transferRequestCodec, badKind))).toBe("ORT_MESSAGE");
  });

  test("[K68] a request for the last step of a shard, and its answer, have these bytes", () => {
    const request = { kind: "step", from: "east" } as const;
    expect(toHex(encode(transferRequestCodec, request))).toBe("020465617374");
    expect(decode(transferRequestCodec, fromHex("020465617374"))).toEqual(request);
    expect(toHex(encode(stepAnswerCodec, { step: 300, isStepping: true }))).toBe("ac0201");
    expect(decode(stepAnswerCodec, fromHex("ac0201"))).toEqual({ step: 300, isStepping: true });
  });

  test("[K68] neighbours are the shards with boxes next to each other, and the first shard", () => {
    const sectors = (x: number): Box => boxBetween([x, 0, 0, 0], [x + 2, 2, 2, 2]);
    const names = ["a", "b", "c"];
    const splits = names.map((to, index) => ({ from: "0", sectors: sectors(2 * index), to }));
    const map = { ...MAP, first: "0", splits };
    expect(neighboursOf(map, "0")).toEqual(names);
    expect(neighboursOf(map, "a")).toEqual(["0", "b"]);
    expect(neighboursOf(map, "b")).toEqual(["0", "a", "c"]);
  });

  test("[K6] a record of version 1 is read, without players", () => {
    const body = toHex(encodeShardRecord(RECORD, VOLUME).subarray(0, -4));
    const origin = "0500000000000000" + "ac02";
    const withPlayer = `01${origin}01070000000000000002`;
    expect(body.split(withPlayer)).toHaveLength(2);
    const old = body.replace(/^02/, "01").replace(withPlayer, `01${origin}`);
    const origins = [{ clientId: 5n, lastEditId: 300, order: 0 }];
    expect(decodeShardRecord(sealed(fromHex(old)), VOLUME)).toEqual({ ...RECORD, origins });
  });

  test("[K6] a record that is truncated or changed anywhere is rejected", () => {
    const bytes = encodeShardRecord(RECORD, VOLUME);
    for (let length = 0; length < bytes.length; length++)
      expect(codeOf(() => decodeShardRecord(bytes.subarray(0, length), VOLUME))).not.toBe(NO_ERROR);
    for (let index = 0; index < bytes.length; index++) {
      const changed = bytes.slice();
      changed[index] = (changed[index] ?? 0) ^ 0x10;
      expect(codeOf(() => decodeShardRecord(changed, VOLUME))).toBe("ORT_CHECKSUM");
    }
  });

  test("[K6] a truncated body is rejected even if its checksum is right", () => {
    const body = encodeShardRecord(RECORD, VOLUME).subarray(0, -4);
    for (let length = 0; length < body.length; length++)
      expect(codeOf(() => decodeShardRecord(sealed(body.subarray(0, length)), VOLUME))).not.toBe(NO_ERROR);
  });

  test.each<[string, Partial<RegionRecord>]>([
    ["an index that is not less than the count", { index: 2 }],
    ["group 0", { group: 0 }],
    ["an edit with the id 0", { origins: [{ clientId: 1n, lastEditId: 0, order: 0 }] }],
    ["a clock that does not rise", { before: RECORD.after }],
    ["a clock of another term", { after: clockFrom(4, 1) }],
    ["a clock before that is never issued", { before: 5 }],
  ])("[K7] %s is rejected", (_what, change) => {
    expect(codeOfChanged({})).toBe(NO_ERROR);
    expect(codeOfChanged({ before: 0 })).toBe(NO_ERROR);
    expect(codeOfChanged(change)).toBe("ORT_JOURNAL");
  });

  test("[K8] chunks of another region, duplicate or out of order, are rejected", () => {
    const [first, second] = RECORD.chunks as [RegionRecord["chunks"][number], RegionRecord["chunks"][number]];
    expect(codeOfChanged({ chunks: [second, first] })).toBe("ORT_JOURNAL");
    expect(codeOfChanged({ chunks: [first, first] })).toBe("ORT_JOURNAL");
    expect(codeOfChanged({ chunks: [{ position: [0, 0, 0, 0], chunk: stone }] })).toBe("ORT_JOURNAL");
  });

  test("[K12] a record above the size limit is neither encoded nor decoded", () => {
    expect(codeOf(() => decodeShardRecord(new Uint8Array(1_572_865), VOLUME))).toBe("ORT_LIMIT");
    const origins = Array.from({ length: 65_536 }, (_, order) => ({
      clientId: 1n,
      lastEditId: 2 ** 53 - 1,
      order,
    }));
    expect(codeOf(() => encodeShardRecord({ ...RECORD, origins, chunks: [] }, VOLUME))).toBe(NO_ERROR);
    const noise = chunkFromVoxels(
      Uint16Array.from({ length: 16_384 }, (_, index) => (index * 40_503) % 65_536),
    );
    const chunks = Array.from({ length: 64 }, (_, index) => ({
      position: [4 + Math.floor(index / 16), -4 + (Math.floor(index / 4) % 4), index % 4, 0] as const,
      chunk: noise,
    }));
    expect(codeOf(() => encodeShardRecord({ ...RECORD, chunks }, noise.volume))).toBe("ORT_LIMIT");
  });
});

describe("values of keys", () => {
  const split = withSplit(MAP, { from: "0", sectors: boxBetween([0, -4, -4, -4], [4, 4, 4, 4]), to: "east" });

  test("[K13] a map round-trips, and is rejected if a shard is duplicate or split off an unknown one", () => {
    const read = decode(shardMapCodec, encode(shardMapCodec, split));
    expect(read.splits).toEqual(split.splits);
    expect(read.world.generator.equals(MAP.world.generator)).toBe(true);
    const [only] = split.splits;
    if (only === undefined) throw new Error("there is no split");
    for (const splits of [[only, only], [{ ...only, from: "west" }], [{ ...only, to: "A" }]])
      expect(codeOf(() => decode(shardMapCodec, encode(shardMapCodec, { ...MAP, splits })))).toBe(
        "ORT_MESSAGE",
      );
    const bytes = encode(shardMapCodec, split);
    for (let length = 0; length < bytes.length; length++)
      expect(codeOf(() => decode(shardMapCodec, bytes.subarray(0, length)))).not.toBe(NO_ERROR);
  });

  test("[K14] each split takes sectors from one shard only", () => {
    const twice = withSplit(split, {
      from: "0",
      sectors: boxBetween([-4, -4, -4, -4], [4, 0, 4, 4]),
      to: "south",
    });
    expect(shardsOf(twice)).toEqual(["0", "east", "south"]);
    expect(shardOf(twice, [0, 0, 0, 0])).toBe("east");
    expect(shardOf(twice, [0, -1, 0, 0])).toBe("east");
    expect(shardOf(twice, [-1, -1, 0, 0])).toBe("south");
    expect(shardOf(twice, [-1, 0, 0, 0])).toBe("0");
    expect(shardOf(twice, [16, 0, 0, 0])).toBe("0");
    expect(codeOf(() => withSplit(split, { ...twice.splits[0], to: "east" } as never))).toBe("ORT_EXISTS");
    expect(codeOf(() => withSplit(split, { ...twice.splits[0], from: "x", to: "y" } as never))).toBe(
      "ORT_NOT_FOUND",
    );
  });

  test("[K16] a lease round-trips, and is rejected if a node has an invalid name", () => {
    const lease = { node: "n1", term: 5, successor: "" };
    expect(decode(leaseCodec, encode(leaseCodec, lease))).toEqual(lease);
    expect(codeOf(() => decode(leaseCodec, encode(leaseCodec, { ...lease, successor: "A" })))).toBe(
      "ORT_MESSAGE",
    );
    expect(codeOf(() => decode(leaseCodec, encode(leaseCodec, { ...lease, term: 2 ** 20 })))).toBe(
      "ORT_MESSAGE",
    );
    expect(codeOf(() => decode(leaseCodec, Uint8Array.of(2, 0, 1, 0)))).toBe("ORT_VERSION");
  });

  test("[K17] a heartbeat round-trips", () => {
    const heartbeat = { count: 400, shards: 3, isLeaving: true, mark: 2n ** 64n - 1n, since: 7 };
    expect(decode(heartbeatCodec, encode(heartbeatCodec, heartbeat))).toEqual(heartbeat);
    const unmarked = { count: 1, shards: 2, isLeaving: false, mark: 0n, since: 1 };
    expect(decode(heartbeatCodec, Uint8Array.of(1, 1, 2, 0))).toEqual(unmarked);
    expect(codeOf(() => decode(heartbeatCodec, Uint8Array.of(3, 1, 1, 0)))).toBe("ORT_VERSION");
  });
});

describe("requests", () => {
  test("[K19] requests and answers round-trip, and are rejected if truncated", () => {
    const requests = [
      {
        kind: "edits",
        edits: [
          {
            clientId: 1n,
            editId: 2,
            playerId: 9n,
            isRepeat: true,
            edit: { kind: "voxels", placements: [{ voxel: [1, -2, 3, 0], block: 9 }] },
          },
          {
            clientId: 1n,
            editId: 3,
            isRepeat: false,
            edit: { kind: "fill", box: { min: [-1, 0, 0, 0], max: [5, 1, 1, 1] }, block: 9 },
          },
          {
            clientId: 1n,
            editId: 4,
            isRepeat: false,
            edit: { kind: "copy", box: { min: [-1, 0, 0, 0], max: [5, 1, 1, 1] }, to: [0, 9, 0, 0] },
          },
        ],
      },
      {
        kind: "regions",
        regions: [{ region: [1, 2, 3, 4], held: clockFrom(1, 1), latest: clockFrom(1, 2), at: 0, from: 0 }],
      },
      {
        kind: "players",
        updates: [{ playerId: 300n, name: "Ada", pose: POSE, sinceMs: 200 }],
        lookups: [5n],
      },
      { kind: "entities", regions: [{ region: [1, -2, 3, 4], held: 9 }] },
    ] as const;
    for (const request of requests) {
      const bytes = encode(ownerRequestCodec, request);
      expect(decode(ownerRequestCodec, bytes)).toEqual(request);
      for (let length = 0; length < bytes.length; length++)
        expect(codeOf(() => decode(ownerRequestCodec, bytes.subarray(0, length)))).not.toBe(NO_ERROR);
    }
    const codec = ownerAnswerCodec(VOLUME);
    const answers = [
      {
        kind: "edits",
        outcomes: [
          { kind: "applied", clocks: [{ region: [0, 0, 0, 0], before: 0, after: clockFrom(1, 1) }] },
          { kind: "duplicate" },
          { kind: "elsewhere" },
          { kind: "rejected", code: "ORT_LIMIT" },
        ],
      },
      {
        kind: "regions",
        answers: [
          { kind: "same" },
          { kind: "elsewhere" },
          { kind: "later" },
          {
            kind: "chunks",
            clock: clockFrom(1, 1),
            chunks: [{ position: [0, 0, 0, 0], chunk: stone }],
            more: true,
          },
        ],
      },
      { kind: "away" },
      { kind: "players", poses: [POSE, undefined] },
      {
        kind: "entities",
        answers: [
          { kind: "elsewhere" },
          { kind: "later" },
          { kind: "same" },
          { kind: "here", stamp: 7, entities: [SHEEP, { ...SHEEP, velocity: [0.3, -2, 0, 65_536] }] },
        ],
      },
    ] as const;
    for (const answer of answers) {
      const bytes = encode(codec, answer);
      expect(decode(codec, bytes)).toEqual(answer);
      for (let length = 0; length < bytes.length; length++)
        expect(codeOf(() => decode(codec, bytes.subarray(0, length)))).not.toBe(NO_ERROR);
    }
  });

  test("[K34] requests and answers about entities have these bytes", () => {
    const request = { kind: "entities", regions: [{ region: [1, -2, 3, 4], held: 9 }] } as const;
    expect(toHex(encode(ownerRequestCodec, request))).toBe("03010203060809");
    const answer = { kind: "entities", answers: [{ kind: "here", stamp: 7, entities: [SHEEP] }] } as const;
    expect(toHex(encode(ownerAnswerCodec(VOLUME), answer))).toBe(
      `0401020701ac0202030000803f0405446f6c6c79${PLACE}0000007f010474616d65010900`,
    );
  });

  test("[K62] an answer has the velocity of an entity, and none that no entity can have", () => {
    const codec = ownerAnswerCodec(VOLUME);
    const moving = { ...SHEEP, velocity: [1.5, -2, 0, 0] } as const;
    const answer = { kind: "entities", answers: [{ kind: "here", stamp: 7, entities: [moving] }] } as const;
    const hex = `0401020701ac0202030000803f0405446f6c6c79${PLACE}0000007f010474616d65010901${PLACE}`;
    expect(toHex(encode(codec, answer))).toBe(hex);
    expect(decode(codec, fromHex(hex))).toEqual(answer);
    for (const wrong of ["000000000000f07f", "000000000000f87f", "000000000000f042"]) {
      const place = `${wrong}${PLACE.slice(16)}`;
      expect(codeOf(() => decode(codec, fromHex(hex.replace(PLACE, place))))).toBe("ORT_LIMIT");
      expect(codeOf(() => decode(codec, fromHex(hex.slice(0, -64) + place)))).toBe("ORT_LIMIT");
    }
  });

  test("[K19] an edit with id 0 and a refusal with an unknown code are rejected", () => {
    const request = {
      kind: "edits",
      edits: [{ clientId: 1n, editId: 0, isRepeat: false, edit: { kind: "voxels", placements: [] } }],
    } as const;
    expect(codeOf(() => decode(ownerRequestCodec, encode(ownerRequestCodec, request)))).toBe("ORT_MESSAGE");
    const answer = { kind: "edits", outcomes: [{ kind: "rejected", code: "ORT_NEVER" as never }] } as const;
    const codec = ownerAnswerCodec(VOLUME);
    expect(codeOf(() => decode(codec, encode(codec, answer)))).toBe("ORT_MESSAGE");
  });
});

test("[K64] a step record has the number, the ticks and the border edits of a step, in a version that older nodes refuse", () => {
  const ticks = [
    { position: [0, 1, -2, 0] as const, changes: [{ kind: "test:fall", index: 3, step: 12 }] },
    { position: [5, 1, 0, 0] as const, changes: [{ kind: "test:fall", index: 0, step: undefined }] },
  ];
  const edits = [{ voxel: [1, 2, 3, 0] as const, block: 7 }];
  const sent = [{ number: 4, region: [0, 0, 0, 0] as const, edits }];
  const [transfer, low] = [
    { term: 2, number: 5 },
    { term: 1, number: 7 },
  ];
  const taken = [{ from: "east", region: [1, 0, 0, 0] as const, transfer, low }];
  const record = { kind: "step", term: 3, step: 9, ticks, sent, taken } as const;
  const bytes = encodeShardRecord(record, VOLUME);
  expect(bytes[0]).toBe(5);
  const end = `01${"04"}00000000${"01"}${"00"}02040600${"01"}${"07"}${"01"}0465617374${"02000000"}${"0205"}${"0107"}`;
  expect(toHex(bytes.subarray(0, -4)).endsWith(end)).toBe(true);
  expect(decodeShardRecord(bytes, VOLUME)).toEqual(record);
  const zero = encodeShardRecord({ ...record, step: 0, ticks: [] }, VOLUME);
  expect(() => decodeShardRecord(zero, VOLUME)).toThrow("ORT_JOURNAL");
  for (const version of [2, 3, 4, 6]) {
    const other = Uint8Array.from(bytes);
    other[0] = version;
    new DataView(other.buffer).setUint32(other.length - 4, crc32c(other.subarray(0, -4)), true);
    expect(() => decodeShardRecord(other, VOLUME)).toThrow("ORT_VERSION");
  }
});
