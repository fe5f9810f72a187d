import { BlockCatalog, chunkShape } from "@orthant/core";
import { GeneratorRef } from "@orthant/core/generate";
import { clockFrom, GeneratorMap } from "@orthant/core/tree";
import type { Pose } from "@orthant/protocol";
import {
  type ClientMessage,
  FEATURES,
  type NumberedEntity,
  PROTOCOL_VERSION,
  regionMask,
  type ServerMessage,
} from "@orthant/protocol/internal";
import { MOVE_SAMPLES, type Sample } from "./move-samples.ts";

/** The chunk volume in the samples. */
export const VOLUME = 4_096;

const pose: Pose = { position: [1.5, -0.25, 0, 10], orientation: [-1, 0, 0, 1] };
const POSE_HEX = "c001 1f 00 800a 81 00 00 7f";

const ada: NumberedEntity = {
  number: 6,
  isPlayer: true,
  id: 42n,
  entityClass: 0,
  kind: 0,
  scale: 1,
  block: 0,
  name: "Ada",
  ...pose,
};
/** The pose in the default precision of entities. */
const SEEN_POSE_HEX = "c001 1f 00 800a d8 00 00 28";
const ADA_HEX = `06 01 2a 00 00 0000803f 00 03416461 ${SEEN_POSE_HEX}`;

const mill: NumberedEntity = {
  number: 8,
  isPlayer: false,
  id: 3n,
  entityClass: 2,
  kind: 300,
  scale: 0.5,
  block: 9,
  name: "",
  position: [0, 0, 0, 0],
  orientation: [0, 0, 0, 1],
};
const MILL_HEX = "08 00 03 02 ac02 0000003f 09 00 00000000 00000028";

const STONES = new BlockCatalog([
  { id: 0, name: "air", colour: 0, solid: false },
  { id: 7, name: "stone", colour: 0x80_80_80, solid: true },
]);
const STONES_HEX = "16 01 02 00 03616972 000000 00 07 0573746f6e65 808080 01";
/** FNV-1a of the 22 bytes of the catalog. */
const STONE_HASH = 0x17e1_09b9_9386_8de5n;
const STONE_HASH_HEX = "e58d8693b909e117";

/** All client messages and their bytes. */
export const CLIENT_SAMPLES: readonly Sample<ClientMessage>[] = [
  {
    rule: "N15",
    name: "a hello of a returning player",
    message: {
      kind: "hello",
      version: PROTOCOL_VERSION,
      generators: [0x1122_3344_5566_7788n, 0x2233_4455_6677_8899n],
      featureBits: FEATURES.editLists,
      clientId: 0x0102_0304_0506_0708n,
      token: Uint8Array.of(0xde, 0xad),
      name: "Ada",
      kept: { worldId: 9n, epoch: { number: 3, id: 10n } },
      openEditId: 300,
      blocksHash: 0x99n,
    },
    hex: `00 4f525448 03 02 8877665544332211 9988776655443322 01 0807060504030201 02dead 03416461
      01 0900000000000000 03 0a00000000000000 ac02 9900000000000000`,
  },
  {
    rule: "N15",
    name: "a hello of a new player",
    message: {
      kind: "hello",
      version: PROTOCOL_VERSION,
      generators: [],
      featureBits: 0n,
      clientId: 1n,
      token: new Uint8Array(0),
      name: "",
      kept: undefined,
      openEditId: 1,
      blocksHash: 0n,
    },
    hex: "00 4f525448 03 00 00 0100000000000000 00 00 00 01 0000000000000000",
  },
  {
    rule: "N16",
    name: "an interest with what was kept",
    message: {
      kind: "interest",
      interestId: 1,
      center: [10, -20, 300, 0],
      motion: [1, 0, -1, 0],
      boxes: [{ min: [-6, 0, 0, 0], max: [7, 1, 1, 1] }],
      held: [
        { region: [-1, 0, 0, 0], clock: clockFrom(3, 5) },
        { region: [0, 0, 0, 0], clock: clockFrom(1, 2) },
      ],
      heldBlank: [
        regionMask([
          [1, 0, 0, 1],
          [1, 0, 0, -1],
        ]),
      ],
    },
    hex: `01 01 14 27 d804 00 02 00 01 00
      01 0b000000 0c000000
      03 02 01000000 0a 02000000 05 02
      01 02000001 01010103 01 05`,
  },
  {
    rule: "N18",
    name: "an edit of two voxels",
    message: {
      kind: "voxels",
      editId: 7,
      placements: [
        { voxel: [100, -1, 0, 0], block: 9 },
        { voxel: [101, -1, 0, 0], block: 300 },
      ],
    },
    hex: "02 07 02 c801 01 00 00 09 02 00 00 00 ac02",
  },
  {
    rule: "N48",
    name: "an edit of blocks and data",
    message: {
      kind: "voxels",
      editId: 7,
      placements: [
        { voxel: [100, -1, 0, 0], block: 9, data: Uint8Array.of(0xaa, 0xbb) },
        { voxel: [101, -1, 0, 0], data: new Uint8Array() },
        { voxel: [101, -1, 0, 0], block: 1, data: null },
        { voxel: [101, -1, 0, 0], data: null },
        { voxel: [101, -1, 0, 0], block: 300 },
      ],
    },
    hex: `02 07 00 05 c801 01 00 00 05 09 02aabb 02 00 00 00 04 00 00 00 00 00 03 01
      00 00 00 00 02 00 00 00 00 01 ac02`,
  },
  {
    rule: "N55",
    name: "a move",
    message: { kind: "move", timeMs: 300, ...pose },
    hex: `03 ac02 ${POSE_HEX}`,
  },
  {
    rule: "N19",
    name: "a resync",
    message: { kind: "resync", expected: 8, regions: [{ region: [0, 0, 0, 0], clock: clockFrom(3, 5) }] },
    hex: "04 08 03 01 00000000 0a",
  },
  { rule: "N4", name: "lost entities", message: { kind: "entitiesLost" }, hex: "05" },
  {
    rule: "N41",
    name: "a confirmed pose",
    message: { kind: "placedSeen", number: 300 },
    hex: "09 ac02",
  },
  {
    rule: "N44",
    name: "the blocks that a client has",
    message: { kind: "blocksSeen", blocksHash: 0x0102n },
    hex: "0a 0201000000000000",
  },
  {
    rule: "N63",
    name: "a request to undo an operation",
    message: {
      kind: "operation",
      requestId: 7,
      openRequestId: 5,
      isRepeat: true,
      request: { kind: "undo", entryId: 300 },
    },
    hex: "0b 07 02 01 03 ac02",
  },
  {
    rule: "N65",
    name: "an operation that pastes a turned clipboard",
    message: {
      kind: "operation",
      requestId: 7,
      openRequestId: 7,
      isRepeat: false,
      request: {
        kind: "apply",
        text: "paste clipboard(0) 1,2,3",
        clipboards: [{ clipboardId: 2, steps: [{ rotate: "xz", turns: 1 }, { mirror: "x" }] }],
        isDry: false,
        isConfirmed: true,
      },
    },
    hex: "0b 07 00 00 00 18 706173746520636c6970626f61726428302920312c322c33 01 02 02 03 12 00 01",
  },
  {
    rule: "N65",
    name: "a selection to copy",
    message: {
      kind: "operation",
      requestId: 1,
      openRequestId: 1,
      isRepeat: false,
      request: { kind: "copy", selection: "box(0,0,0,9,9,9)" },
    },
    hex: "0b 01 00 00 01 10 626f7828302c302c302c392c392c3929",
  },
  {
    rule: "N63",
    name: "a request to be cancelled",
    message: { kind: "cancelOperation", requestId: 7 },
    hex: "0c 07",
  },
  {
    rule: "N20",
    name: "a message of the game",
    message: { kind: "game", payload: Uint8Array.of(1, 2, 3) },
    hex: "06 03 010203",
  },
  {
    rule: "N36",
    name: "a box to fill",
    message: { kind: "fill", editId: 7, box: { min: [100, -1, 0, 0], max: [300, 1, 1, 1] }, block: 300 },
    hex: "07 07 c801 01 00 00 c801 02 01 01 ac02",
  },
  {
    rule: "N36",
    name: "a box to copy",
    message: { kind: "copy", editId: 8, box: { min: [0, 0, 0, 0], max: [16, 1, 1, 1] }, to: [-100, 3, 0, 0] },
    hex: "08 08 00 00 00 00 10 01 01 01 c701 06 00 00",
  },
];

/** All server messages and their bytes. */
export const SERVER_SAMPLES: readonly Sample<ServerMessage>[] = [
  {
    rule: "N21",
    name: "a welcome",
    message: {
      kind: "welcome",
      version: PROTOCOL_VERSION,
      featureBits: FEATURES.editLists,
      worldId: 9n,
      epoch: { number: 3, id: 10n },
      worldName: "Sea",
      shape: chunkShape([8, 8, 8, 8]),
      generators: GeneratorMap.from(new GeneratorRef("flat", Uint8Array.of(11), 1_337n, 0xfeedn), [
        {
          box: { min: [-1, 0, 0, 0], max: [1, 1, 2, 1] },
          generator: new GeneratorRef("flat", Uint8Array.of(12), 1_337n, 0xfeedn),
        },
      ]),
      blocksHash: STONE_HASH,
      catalog: STONES,
      spawn: [0.5, 2, 0, 0],
      playerId: 42n,
      role: "builder",
      resumed: true,
      tickMs: 50,
      limits: {
        bytesPerSecond: 1,
        editsPerSecond: 30,
        editsBurst: 60,
        editVoxelsMax: 4_096,
        editBoxVoxelsMax: 1_048_576,
        editChunksMax: 512,
        editChunksPerSecond: 0.5,
        copyVoxelsMax: 0,
        editDataBytesMax: 65_536,
        editDataBytesPerSecond: 4_096,
        gameMessagesPerSecond: 0.128,
      },
      precision: { positionSteps: 64, orientationSteps: 40 },
      position: [1, 0, 0, 0],
      orientation: [0, 0, 0, 1],
    },
    hex: `00 03 01 0900000000000000 03 0a00000000000000 03536561 08080808
      02 04666c6174 010b b90a edfd03 04666c6174 010c b90a edfd03 01 01 01000000 01000100
      ${STONE_HASH_HEX} 01 ${STONES_HEX}
      40 8002 00 00 2a00000000000000 01 01 32 e807 b0ea01 e0d403 8080fa01 808080f403 80a01f f403 00 8080a01f 8080fa01 8001
      40 28 8001 00 00 00 0000007f`,
  },
  {
    rule: "N22",
    name: "a goodbye for a moment",
    message: { kind: "goodbye", reason: "shutdown", detail: "bye", retryAfterMs: 1_500 },
    hex: "01 09 03627965 01 dc0b",
  },
  {
    rule: "N22",
    name: "a goodbye for good",
    message: { kind: "goodbye", reason: "kicked", detail: "", retryAfterMs: undefined },
    hex: "01 06 00 00",
  },
  {
    rule: "N23",
    name: "a heartbeat",
    message: { kind: "heartbeat", interestId: 2, complete: true, sent: 300 },
    hex: "02 02 01 ac02",
  },
  {
    rule: "N24",
    name: "a patch of one voxel",
    message: {
      kind: "patch",
      patch: {
        patchSeq: 7,
        changes: [
          {
            region: [0, 0, 0, 0],
            base: clockFrom(3, 5),
            next: clockFrom(3, 6),
            piece: 0,
            leaves: [],
            edits: [{ chunk: [1, 0, 0, 0], edits: [{ index: 300, block: 9 }] }],
            data: [],
          },
        ],
      },
    },
    hex: "03 07 03 00 01 00000000 00 0a 0c 00 01 40 01 ac02 09",
  },
  {
    rule: "N25",
    name: "two regions as generated",
    message: {
      kind: "blank",
      streamNumber: 8,
      content: "generated",
      mask: regionMask([
        [0, 0, 0, 0],
        [1, 0, 0, 0],
      ]),
    },
    hex: "04 08 01 00000000 02010101 00",
  },
  {
    rule: "N25",
    name: "a region to forget",
    message: { kind: "forget", streamNumber: 9, mask: regionMask([[-1, 0, 0, 0]]) },
    hex: "05 09 01000000 01010101 00",
  },
  { rule: "N26", name: "a reset", message: { kind: "reset", streamNumber: 10 }, hex: "06 0a" },
  {
    rule: "N27",
    name: "three results",
    message: {
      kind: "editResults",
      results: [
        { editId: 7, status: "applied" },
        { editId: 8, status: "rejected", reason: "vetoed", detail: "no" },
        { editId: 10, status: "duplicate" },
      ],
    },
    hex: "07 03 07 00 01 03 05 026e6f 02 02",
  },
  {
    rule: "N28",
    name: "entities that come into sight and leave it",
    message: { kind: "entities", left: [5, 300], entered: [ada] },
    hex: `08 02 05 ac02 01 ${ADA_HEX}`,
  },
  ...MOVE_SAMPLES,
  {
    rule: "N28",
    name: "all entities in sight",
    message: { kind: "allEntities", entities: [ada, mill] },
    hex: `09 02 ${ADA_HEX} ${MILL_HEX}`,
  },
  {
    rule: "N46",
    name: "the details of an entity",
    message: {
      kind: "entityDetails",
      details: [{ number: 300, tags: ["old", "é"], data: new Uint8Array([1, 0, 255]) }],
    },
    hex: "0d 01 ac02 02 036f6c64 02c3a9 03 0100ff",
  },
  {
    rule: "N41",
    name: "a pose that the server sets",
    message: { kind: "placed", number: 300, ...pose, moveMs: 5, reason: "home" },
    hex: `0b ac02 ${POSE_HEX} 05 04 686f6d65`,
  },
  { rule: "N56", name: "the time of a tick", message: { kind: "clock", timeMs: 43_981 }, hex: "10 cdab" },
  {
    rule: "N44",
    name: "all blocks",
    message: { kind: "blocks", blocksHash: STONE_HASH, content: { catalog: STONES } },
    hex: `0c ${STONE_HASH_HEX} 00 ${STONES_HEX}`,
  },
  {
    rule: "N44",
    name: "a change of blocks",
    message: {
      kind: "blocks",
      blocksHash: 5n,
      content: {
        base: 3n,
        change: { changed: [{ id: 7, name: "rock", retired: true }], redefined: [], added: [] },
      },
    },
    hex: "0c 0500000000000000 01 0300000000000000 0b 01 07 04726f636b 01 00 00 00",
  },
  {
    rule: "N59",
    name: "a redefinition of blocks",
    message: {
      kind: "blocks",
      blocksHash: 5n,
      content: {
        base: 3n,
        change: {
          changed: [],
          redefined: [
            {
              ...{ id: 7, name: "rock", colour: 0x80_80_80, solid: true, transparent: false },
              ...{ light: 3, opacity: 5, tags: [], retired: false, shape: [] },
            },
          ],
          added: [],
        },
      },
    },
    hex: "0c 0500000000000000 02 0300000000000000 13 00 00 00 01 07 04726f636b 49 808080 03 05 00 00 00",
  },
  {
    rule: "N63",
    name: "the progress of an operation",
    message: { kind: "operationProgress", requestId: 7, done: 300, total: 400 },
    hex: "11 07 ac02 9003",
  },
  {
    rule: "N66",
    name: "what an operation changed",
    message: {
      kind: "operationAnswer",
      requestId: 7,
      outcome: {
        kind: "done",
        status: "applied",
        count: 300,
        kept: 1,
        box: { min: [100, -1, 0, 0], max: [300, 1, 1, 1] },
        entryId: 3,
        work: 0,
        exceeded: [],
      },
    },
    hex: "12 07 00 00 ac02 01 01 c801010000 c801020101 03 00 00",
  },
  {
    rule: "N66",
    name: "the refusal of an operation",
    message: {
      kind: "operationAnswer",
      requestId: 7,
      outcome: {
        kind: "refused",
        reason: "limit",
        detail: "no",
        exceeded: [{ limit: "voxelsMax", value: 300, max: 100 }],
      },
    },
    hex: "12 07 04 01 026e6f 01 00 ac02 64",
  },
  {
    rule: "N65",
    name: "a new clipboard",
    message: {
      kind: "operationAnswer",
      requestId: 7,
      outcome: { kind: "copied", clipboardId: 2, extents: [4, 3, 5, 1] },
    },
    hex: "12 07 01 02 04030501",
  },
  {
    rule: "N66",
    name: "what can be undone",
    message: {
      kind: "operationAnswer",
      requestId: 7,
      outcome: {
        kind: "listed",
        operations: [
          {
            entryId: 3,
            text: "set stone",
            count: 300,
            box: { min: [100, -1, 0, 0], max: [300, 1, 1, 1] },
            timeMs: 5,
            undone: 1,
          },
        ],
      },
    },
    hex: "12 07 03 01 03 09 7365742073746f6e65 ac02 c801010000 c801020101 05 01",
  },
  {
    rule: "N62",
    name: "that a player may do no operations",
    message: { kind: "operationTerms", limits: undefined },
    hex: "13 00",
  },
  {
    rule: "N62",
    name: "the limits of a player's operations",
    message: {
      kind: "operationTerms",
      limits: {
        ...{ voxelsMax: 1, workMax: 2, voxelWorkMax: 3, listedVoxelsMax: 4, voxelsPerMinute: 5 },
        ...{ runningMax: 6, openMax: 7, clipboardsMax: 8, clipboardBytesMax: 9 },
        ...{ undoStepsMax: 10, undoBytesMax: 11, undoAgeMs: 300, confirmVoxels: 12 },
      },
    },
    hex: "13 01 01 02 03 04 05 06 07 08 09 0a 0b ac02 0c",
  },
  { rule: "N67", name: "a hold", message: { kind: "hold", streamNumber: 300 }, hex: "14 ac02" },
  { rule: "N67", name: "a release", message: { kind: "release", streamNumber: 7 }, hex: "15 07" },
  {
    rule: "N20",
    name: "a message of the game",
    message: { kind: "game", payload: new Uint8Array(0) },
    hex: "0a 00",
  },
];
