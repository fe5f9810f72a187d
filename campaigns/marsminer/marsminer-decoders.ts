import { type Codec, decode, encode, encodeUtf8 } from "@orthant/core/bytes";
import { octreeOfBoxes, openMarsMiner, verifyMarsMiner } from "@orthant/formats";
import {
  MARSMINER_DIALECTS,
  type MarsMinerDialect,
  marsMinerBlockKinds,
  marsMinerHeader,
  octreeCodec,
  planMarsMinerRepair,
} from "@orthant/formats/internal";
import { lenient, strict, type Target, WHOLE_WORLD } from "../fuzz/decoders.ts";
import { diskOfFiles, packFiles } from "../fuzz/fuzz-batch.ts";

const TICKS = 634_652_586_000_000_000n;
const CUBE_SIZE = 4;
const OCTREE = octreeOfBoxes([{ box: { min: [0, 0, 0, 0], max: [3, 2, 2, 1] }, value: 300 }], CUBE_SIZE, 1);
/** The files of a save, in their order in a fuzzed input. */
const FILES = ["blob0", "blob1", "strings", "pointers"] as const;

/** Targets that open a save, read it and search it for states, with a sample of each dialect. */
export const marsMinerReaderTargets: readonly Target[] = MARSMINER_DIALECTS.map((dialect) =>
  lenient(`MarsMiner save, ${dialect}`, readSave, [sampleSave(dialect)], WHOLE_WORLD),
);

async function readSave(input: Uint8Array): Promise<void> {
  const save = await openMarsMiner(diskOfFiles(FILES, input), { cubeSize: CUBE_SIZE });
  try {
    await save.findStates();
    for (const entry of save.state?.chunks ?? []) await save.readChunk(entry);
  } finally {
    await save.close();
  }
}

/** All decoders of MarsMiner saves, readers of whole saves, and verify and repair, which must never throw. */
export const marsMinerTargets: readonly Target[] = [
  ...MARSMINER_DIALECTS.flatMap(blockTargets),
  lenient("MarsMiner octree", (input) => decode(octreeCodec, input), [encode(octreeCodec, OCTREE)]),
  ...marsMinerReaderTargets,
  lenient(
    "MarsMiner care",
    async (input) => {
      const disk = diskOfFiles(FILES, input);
      const findings = await verifyMarsMiner(disk, { cubeSize: CUBE_SIZE });
      if (findings.some(({ severity }) => severity === "damage")) {
        await planMarsMinerRepair(disk, { cubeSize: CUBE_SIZE });
      }
    },
    MARSMINER_DIALECTS.map(sampleSave),
    WHOLE_WORLD,
  ),
];

/** Returns a save of a dialect as one input: two chunks that share a table of block types, and two blobs. */
function sampleSave(dialect: MarsMinerDialect): Uint8Array {
  const kinds = marsMinerBlockKinds(dialect);
  const isGlobal = dialect === "global-pointers";
  const strings = encodeUtf8("\0\0\0\0\x02\0\0\0\x04Rock\x04Sand");
  const hasStrings = dialect === "draft" || dialect === "subtypes";
  let blob = encode(marsMinerHeader(dialect), { version: 0, state: { kind: "null" } });
  const add = <Value>(kind: Codec<Value>, value: Value): Pointer => {
    const address = blob.length;
    blob = Uint8Array.from([...blob, ...encode(kind, value)]);
    return isGlobal ? { kind: "global", blob: 0, address } : { kind: "local", address };
  };
  const nameAt = (address: number, text: string): Pointer =>
    hasStrings ? { kind: "local", address } : add(kinds.string, encodeUtf8(text));
  const names = [nameAt(8, "Rock"), nameAt(13, "Sand")];
  const types = names.map((name, subtype) => ({ name, subtype: dialect === "draft" ? undefined : subtype }));
  const blockTypes = add(kinds.blockTypes, types);
  const octrees = [add(kinds.octree, OCTREE), add(kinds.octree, OCTREE)];
  const chunk = add(kinds.chunk, { blockTypes, octrees });
  const chunkTable = add(kinds.chunkTable, [
    { x: 0, z: -4, chunk },
    { x: 4, z: 4, chunk: add(kinds.chunk, { blockTypes, octrees: [] }) },
  ]);
  const state = add(kinds.stateIndex, { ticks: TICKS, name: names[0] as Pointer, chunkTable });
  blob.set(encode(marsMinerHeader(dialect), { version: 0, state }));
  const files = new Map<(typeof FILES)[number], Uint8Array | undefined>([
    ["blob0", blob],
    ["blob1", new Uint8Array(8)],
    ["strings", hasStrings ? strings : undefined],
    ["pointers", isGlobal ? undefined : Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0])],
  ]);
  return packFiles(FILES, files);
}

type Pointer = ReturnType<ReturnType<typeof marsMinerHeader>["read"]>["state"];

/** Blocks have one encoding each. The octree is a separate target: the original may have used several. */
function blockTargets(dialect: MarsMinerDialect): readonly Target[] {
  const { stateIndex, chunkTable, chunk, blockTypes, string } = marsMinerBlockKinds(dialect);
  const address = 300;
  const pointer: Pointer =
    dialect === "global-pointers" ? { kind: "global", blob: 1, address } : { kind: "local", address };
  const none: Pointer = { kind: "null" };
  const subtype = dialect === "draft" ? undefined : -7;
  const name = (what: string): string => `MarsMiner ${what}, ${dialect}`;
  return [
    strict(name("index"), stateIndex, [{ ticks: TICKS, name: pointer, chunkTable: none }]),
    strict(name("chunk table"), chunkTable, [[{ x: -1, z: 2_147_483_647, chunk: pointer }], []]),
    strict(name("chunk"), chunk, [{ blockTypes: pointer, octrees: [pointer, none, pointer] }]),
    strict(name("block types"), blockTypes, [[{ name: pointer, subtype }], []]),
    strict(name("string"), string, [encodeUtf8("MarsMiner_Sand"), undefined]),
  ];
}
