import type { Disk } from "@orthant/disk";
import {
  type DetectedMarsMiner,
  describeMarsMinerAddress,
  type MarsMinerSave,
  type MarsMinerSizes,
  msOfTicks,
  type OpenMarsMinerOptions,
  openMarsMiner,
} from "@orthant/formats";
import type { Context } from "../context.ts";
import { describeFormat } from "../found-world.ts";
import { factLines, formatAmount, formatBytes, formatTime } from "../report.ts";
import { EXIT, type ExitCode } from "../usage.ts";

/** The world to describe, and how. */
export interface InfoRequest {
  readonly folder: string;
  readonly disk: Disk;
  readonly format: DetectedMarsMiner;
  readonly options: OpenMarsMinerOptions;
  readonly count: boolean;
}

/** `orthant info` of a MarsMiner world. */
export async function tellMarsMiner(request: InfoRequest, context: Context): Promise<ExitCode> {
  const save = await openMarsMiner(request.disk, request.options);
  try {
    const { state, dialect, fittingDialects, cubeSize } = save;
    const sizes = await save.sizes();
    const counts = request.count ? await countContent(save, context) : undefined;
    const format = { ...request.format, dialect };
    const savedMs = state === undefined ? null : msOfTicks(state.ticks);
    const chunks = state?.chunks.length ?? 0;
    context.printJson({
      ...{ world: request.folder, ...format, fittingDialects, cubeSize },
      ...{ name: state?.name ?? null, savedMs, ticks: state?.ticks ?? null, chunks },
      ...{ places: placesOf(save) ?? null, sizes, counts: counts ?? null },
    });
    context.printAll(
      factLines([
        ["format", describeFormat(format)],
        [
          "fits",
          fittingDialects.length > 1
            ? `${fittingDialects.join(" and ")}: nothing tells them apart`
            : undefined,
        ],
        ["name", state?.name],
        ["saved", savedMs === null ? "never" : formatTime(savedMs)],
        ["chunks", String(chunks)],
        ["places", describePlaces(save)],
        ["cubes of", `${cubeSize} x ${cubeSize} x ${cubeSize} voxels`],
        ["on disk", describeSizes(sizes)],
        ["octrees", counts && `${counts.octrees}, ${formatAmount(counts.nodes, "node")}`],
        ...(counts?.states ?? []).map(({ address, name, savedMs: at, chunks: many }) => {
          const what = name === null ? "without a name" : JSON.stringify(name);
          return ["state", `${address}: ${what}, ${formatTime(at)}, ${formatAmount(many, "chunk")}`] as const;
        }),
      ]),
    );
    return EXIT.ok;
  } finally {
    await save.close();
  }
}

interface Counts {
  readonly octrees: number;
  readonly nodes: number;
  /** The intact states, newest first, including the current one. */
  readonly states: readonly {
    readonly address: string;
    readonly name: string | null;
    readonly savedMs: number;
    readonly chunks: number;
  }[];
}

async function countContent(save: MarsMinerSave, context: Context): Promise<Counts> {
  const progress = context.progress("counting", "chunks", save.state?.chunks.length);
  let octrees = 0;
  let nodes = 0;
  try {
    for (const entry of save.state?.chunks ?? []) {
      const chunk = await save.readChunk(entry);
      octrees += chunk.octrees.length;
      for (const { values } of chunk.octrees) nodes += values.length;
      progress.advance(1);
    }
  } finally {
    progress.end();
  }
  const states = (await save.findStates()).map(({ address, name, ticks, chunks }) => ({
    address: describeMarsMinerAddress(address),
    name: name ?? null,
    savedMs: msOfTicks(ticks),
    chunks: chunks.length,
  }));
  return { octrees, nodes, states };
}

interface Places {
  readonly min: { x: number; z: number };
  readonly max: { x: number; z: number };
}

/** Returns the least and the greatest x and z; `undefined` without a chunk. */
function placesOf({ state }: MarsMinerSave): Places | undefined {
  const [first, ...others] = state?.chunks ?? [];
  if (first === undefined) return undefined;
  const places = { min: { x: first.x, z: first.z }, max: { x: first.x, z: first.z } };
  for (const { x, z } of others) {
    places.min = { x: Math.min(places.min.x, x), z: Math.min(places.min.z, z) };
    places.max = { x: Math.max(places.max.x, x), z: Math.max(places.max.z, z) };
  }
  return places;
}

function describePlaces(save: MarsMinerSave): string | undefined {
  const places = placesOf(save);
  if (places === undefined) return undefined;
  const { min, max } = places;
  return `x from ${min.x} to ${max.x}, z from ${min.z} to ${max.z}`;
}

function describeSizes({ blobBytes, stringsBytes, pointersBytes }: MarsMinerSizes): string {
  const blobs = blobBytes.reduce((sum, bytes) => sum + bytes, 0);
  return `${formatBytes(blobs + stringsBytes + pointersBytes)}, ${formatAmount(blobBytes.length, "blob")}`;
}
