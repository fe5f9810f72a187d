import { encode } from "@orthant/core/bytes";
import type { Disk } from "@orthant/disk";
import {
  createMarsMiner,
  type MarsMinerSave,
  type MarsMinerWriter,
  octreeOfBoxes,
  openMarsMiner,
} from "@orthant/formats";
import {
  type MarsMinerChunkContent,
  type MarsMinerState,
  octreeCodec,
  resumeMarsMiner,
  uniformOctree,
} from "@orthant/formats/internal";

/** Blobs small enough that a state spans several of them. */
const OPTIONS = { blobFullBytes: 160 };
const FIRST_TICKS = 634_652_586_000_000_000n;

/** One commit of a history. With `abandon`, the writer is reopened before it. */
interface Step {
  readonly name: string | undefined;
  readonly put: readonly (readonly [x: number, z: number, number: number])[];
  readonly remove?: readonly (readonly [x: number, z: number])[];
  /** Chunks that the previous session puts and never commits. */
  readonly abandon?: readonly (readonly [x: number, z: number, number: number])[];
}

/** Near and far chunks, replaced, removed, never committed; old and new names; several blobs and sessions. */
export const LONG_HISTORY: readonly Step[] = [
  { name: "first", put: [[0, 0, 1]] },
  { name: "second", put: [[64, 0, 2]] },
  { name: "second", put: [] },
  { name: undefined, put: [[0, 0, 3]], abandon: [[0, 0, 9]] },
  {
    name: "fifth",
    put: [
      [-64, 64, 4],
      [128, 0, 5],
    ],
  },
  { name: "sixth", put: [], remove: [[64, 0]] },
  { name: "first", put: [[0, 0, 6]], abandon: [] },
  { name: "", put: [[2_147_483_584, -2_147_483_648, 7]] },
  {
    name: "ninth, with a name that is longer than the others",
    put: [
      [0, 64, 8],
      [0, 128, 9],
      [0, 192, 10],
    ],
  },
  {
    name: "tenth",
    put: [[64, 0, 11]],
    abandon: [
      [64, 0, 12],
      [64, 64, 13],
    ],
  },
  {
    name: "eleventh",
    put: [],
    remove: [
      [0, 64],
      [0, 128],
    ],
  },
  { name: "twelfth", put: [[0, 0, 14]] },
];

/** A shorter version for runs over many mutants. */
export const SHORT_HISTORY: readonly Step[] = [
  { name: "one", put: [[0, 0, 1]] },
  {
    name: "two",
    put: [
      [64, 0, 2],
      [0, 0, 3],
    ],
    abandon: [[0, 0, 8]],
  },
  { name: "three", put: [[128, 0, 4]] },
];

/** Result of a history: the content of the save after each acknowledgement, and the number of blobs. */
export interface History {
  readonly digests: readonly string[];
  readonly blobs: number;
}

/** Digest of a save without any committed state. */
export const NEVER_SAVED = "never saved";

/** Plays a history on an empty disk. Calls `acknowledge` after the creation and after each commit. */
export async function playHistory(
  disk: Disk,
  steps: readonly Step[],
  acknowledge: () => void,
): Promise<History> {
  const chunks = new Map<string, MarsMinerChunkContent>();
  const digests: string[] = [NEVER_SAVED];
  let writer: MarsMinerWriter = await createMarsMiner(disk, OPTIONS);
  acknowledge();
  for (const [index, { name, put, remove = [], abandon }] of steps.entries()) {
    if (abandon !== undefined) {
      for (const place of abandon) await writer.putChunk(sampleChunk(...place));
      await writer.close();
      writer = await resumeMarsMiner(disk, OPTIONS);
    }
    for (const place of put) {
      const chunk = sampleChunk(...place);
      chunks.set(`${chunk.x},${chunk.z}`, chunk);
      await writer.putChunk(chunk);
    }
    for (const [x, z] of remove) {
      chunks.delete(`${x},${z}`);
      writer.removeChunk(x, z);
    }
    const ticks = FIRST_TICKS + BigInt(index);
    await writer.commit({ ticks, name });
    digests.push(digestText(ticks, name, [...chunks.values()]));
    acknowledge();
  }
  await writer.close();
  const save = await openMarsMiner(disk);
  const blobs = (await save.sizes()).blobBytes.length;
  await save.close();
  return { digests, blobs };
}

/** Resumes the save on a disk and commits one chunk at an unused position. */
export async function commitOnce(disk: Disk): Promise<void> {
  const writer = await resumeMarsMiner(disk, OPTIONS);
  try {
    await writer.putChunk(sampleChunk(640, 640, 99));
    await writer.commit({ ticks: FIRST_TICKS + 1_000n, name: "after" });
  } finally {
    await writer.close();
  }
}

/** Returns a text of everything in a state, equal for equal content. Reads every block. */
export async function digestOf(
  save: MarsMinerSave,
  state: MarsMinerState | undefined = save.state,
): Promise<string> {
  if (state === undefined) return NEVER_SAVED;
  const chunks: MarsMinerChunkContent[] = [];
  for (const entry of state.chunks) {
    const { blockTypes, octrees } = await save.readChunk(entry);
    chunks.push({ x: entry.x, z: entry.z, blockTypes: blockTypes.map(({ name = "?" }) => name), octrees });
  }
  return digestText(state.ticks, state.name, chunks);
}

/** Returns a text that identifies a state within its history. */
export function headOf({ ticks, name, chunks }: MarsMinerState): string {
  return `${ticks} ${JSON.stringify(name)}, ${chunks.length} chunks`;
}

/** Returns the same text for the digest of a state. */
export function headOfDigest(digest: string): string {
  const [head = "", ...chunks] = digest.split("\n");
  return `${head}, ${chunks.length} chunks`;
}

function sampleChunk(x: number, z: number, number: number): MarsMinerChunkContent {
  const box = { min: [0, 0, 0, 0], max: [32, 32, 32, 1] } as const;
  const cut = octreeOfBoxes([{ box, value: number % 3 }], 64, (number + 1) % 3);
  const blockTypes = number % 2 === 0 ? ["Core_Empty", "Rock", "Sand"] : ["Sand", "Ice", "Core_Empty"];
  return { x, z, blockTypes, octrees: number % 4 === 0 ? [] : [cut, uniformOctree(number % 3)] };
}

function digestText(
  ticks: bigint,
  name: string | undefined,
  chunks: readonly MarsMinerChunkContent[],
): string {
  const lines = chunks.map(({ x, z, blockTypes, octrees }) => {
    const bytes = octrees.map((octree) => Buffer.from(encode(octreeCodec, octree)).toString("hex"));
    return `chunk ${x}, ${z}: ${blockTypes.join()} ${bytes.join()}`;
  });
  return [`${ticks} ${JSON.stringify(name)}`, ...lines.sort()].join("\n");
}
