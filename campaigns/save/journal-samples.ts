import { type BlockType, DEFAULT_BLOCKS } from "@orthant/core";
import type { BlockCatalogChange } from "@orthant/core/chunk";
import type { JournalEntry } from "@orthant/save/journal";
import { modelChunk, modelEntity, modelPlayer } from "./model-world.ts";
import { storeJournalEntries } from "./store-decoders.ts";

function redefined(at: number, fields: Partial<BlockType>): BlockCatalogChange["redefined"][number] {
  const { properties: _, ...type } = DEFAULT_BLOCKS.types[at] as BlockType;
  return { ...type, ...fields };
}

/** Entries of every kind, for the decoder of the journal. */
export const journalEntries: readonly JournalEntry[] = [
  {
    kind: "step",
    step: 300,
    chunks: [{ position: [0, -1, 0, 0], edits: [{ index: 1, block: 300 }] }],
    clocks: [{ region: [0, -1, 0, 0], clock: 2 ** 40 + 6 }],
    ticks: [
      {
        position: [0, -1, 0, 0],
        changes: [
          { kind: "fall", index: 0, step: undefined },
          { kind: "fall", index: 3, step: 301 },
          { kind: "flow", index: 3, step: 900 },
        ],
      },
    ],
    entities: [
      { kind: "entity", entity: modelEntity(1n, [1, 2, 3, 4]), storedAt: [0, 0, 0, 0] },
      { kind: "entityGone", entityId: 3n, storedAt: undefined },
    ],
  },
  {
    kind: "edit",
    origin: { clientId: 7n, lastEditId: 300 },
    chunks: [
      { position: [0, -1, 0, 0], edits: [{ index: 1, block: 300 }] },
      { position: [9, 0, 0, 0], chunk: modelChunk(3) },
      {
        position: [9, 1, 0, 0],
        edits: [{ index: 1, block: 7 }],
        data: [
          { index: 1, data: Uint8Array.of(1, 2, 3) },
          { index: 2, data: undefined },
        ],
      },
      { position: [9, 2, 0, 0], edits: [], data: [{ index: 0, data: new Uint8Array(0) }] },
      { position: [9, 3, 0, 0], chunk: modelChunk(3).editData([{ index: 1, data: Uint8Array.of(9) }]) },
    ],
    clocks: [{ region: [-1, -1, -1, -1], clock: 2 ** 40 + 5 }],
  },
  { kind: "entity", entity: modelEntity(1n, [1, 2, 3, 4]), storedAt: [0, 0, 0, -9] },
  { kind: "entityGone", entityId: 300n, storedAt: undefined },
  { kind: "player", player: modelPlayer(9n, 6) },
  {
    kind: "transaction",
    origin: { clientId: 7n, lastEditId: 300, playerId: 9n },
    chunks: [{ position: [0, -1, 0, 0], edits: [], data: [{ index: 1, data: Uint8Array.of(1) }] }],
    clocks: [{ region: [0, -1, 0, 0], clock: 2 ** 40 + 7 }],
    players: [modelPlayer(9n, 6), modelPlayer(10n, 2)],
    store: [
      { key: "chest", value: Uint8Array.of(1, 2) },
      { key: "stall", value: undefined },
    ],
  },
  { kind: "description", name: "fuzz", spawn: [0.5, -1, 0, 0] },
  {
    kind: "blocks",
    change: {
      changed: [{ id: 1, name: "rock", retired: true }],
      redefined: [],
      added: DEFAULT_BLOCKS.types.slice(14),
    },
  },
  {
    kind: "blocks",
    change: {
      changed: [{ id: 3, name: "lawn", retired: false }],
      redefined: [
        redefined(1, { light: 3, tags: ["a", "b"] }),
        redefined(2, { opacity: 0, retired: true, shape: [{ when: {}, boxes: [] }] }),
      ],
      added: DEFAULT_BLOCKS.types.slice(14),
    },
  },
  ...storeJournalEntries,
];
