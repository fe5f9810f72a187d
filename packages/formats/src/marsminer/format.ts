import { OrthantError } from "@orthant/core";
import { verifySave } from "@orthant/save";
import { closing } from "../format/closing.ts";
import type { Format, FormatEnvironment, FormatRequest, FormatValues, WorldInfo } from "../format/format.ts";
import { formatAmount, formatBytes, formatTime } from "../format/text.ts";
import { convertMarsMiner, convertToMarsMinerSave } from "./convert.ts";
import { detectMarsMiner } from "./dialect.ts";
import { CUBE_SIZE_MAX, CUBE_SIZE_MIN, MARSMINER_DIALECTS } from "./layout.ts";
import { describeAddress } from "./pointer.ts";
import { applyMarsMinerRepair, describeMarsMinerRepair, planMarsMinerRepair } from "./repair.ts";
import { type MarsMinerSave, type MarsMinerSizes, type OpenMarsMinerOptions, openMarsMiner } from "./save.ts";
import { type MarsMinerState, msOfTicks } from "./state.ts";
import { verifyMarsMiner } from "./verify.ts";

/** Saves of the game MarsMiner. */
export const marsMinerFormat: Format = {
  name: "marsminer",
  title: "MarsMiner",
  options: [
    {
      name: "dialect",
      flags: "--dialect <name>",
      description: "of a MarsMiner world, instead of the one that fits",
      choices: MARSMINER_DIALECTS,
    },
    {
      name: "cubeSize",
      flags: "--cube-size <voxels>",
      description: "edge of an octree's cube in a MarsMiner world (default: 64)",
      check: parseCubeSize,
    },
    {
      name: "state",
      flags: "--state <address>",
      description: "an older state of a MarsMiner world, as info --count shows it",
      isForConversion: true,
    },
  ],
  targets: ["orthant"],

  async detect(disk, file) {
    const found = file === undefined ? await detectMarsMiner(disk) : undefined;
    return found && { format: "marsminer", ...found };
  },

  info: async ({ disk, values, count = false, environment }) =>
    closing(openMarsMiner(disk, fieldsOf(values)), async (save) =>
      infoOf(save, count ? await countContent(save, environment) : undefined),
    ),

  verify: ({ disk, values }) => verifyMarsMiner(disk, fieldsOf(values)),

  async planRepair({ disk, values }) {
    const plan = await planMarsMinerRepair(disk, fieldsOf(values));
    const { losses, dialect, chunks, findings, cubeSize } = plan;
    return {
      findings,
      facts: {
        dialect,
        chunks: chunks.length,
        losses: losses.map(({ what, place, message }) => ({ what, place: place ?? null, message })),
      },
      lines: describeMarsMinerRepair(plan),
      hasLosses: losses.length > 0,
      async apply(target) {
        await applyMarsMinerRepair(disk, plan, target);
        await (await openMarsMiner(target, { cubeSize })).close();
      },
    };
  },

  async convert({ disk, values }: FormatRequest) {
    const save = await openMarsMiner(disk, fieldsOf(values));
    const state = await chosenState(save, values["state"]).catch(async (error: unknown) => {
      await save.close();
      throw error;
    });
    return {
      from: save.dialect,
      to: "orthant",
      unit: "chunks",
      steps: state.chunks.length,
      run: (target, onStep) => convertMarsMiner(save, target, { acceptLosses: true, state, onStep }),
      verify: (made) => verifySave(made),
      close: () => save.close(),
    };
  },

  exporters: {
    marsminer(save, { values }) {
      const { cubeSize } = fieldsOf(values);
      const size = cubeSize === undefined ? {} : { cubeSize };
      return {
        from: "orthant",
        to: "marsminer",
        unit: "leaves",
        steps: save.index.totals.leaves,
        run: (target, onStep) =>
          convertToMarsMinerSave(save, target, { acceptLosses: true, onStep, ...size }),
        verify: (made) => verifyMarsMiner(made, size),
        close: () => save.close(),
      };
    },
  },
};

function fieldsOf(values: FormatValues): OpenMarsMinerOptions {
  const dialect = MARSMINER_DIALECTS.find((name) => name === values["dialect"]);
  const cubeSize = values["cubeSize"] === undefined ? undefined : parseCubeSize(values["cubeSize"]);
  return { ...(dialect && { dialect }), ...(cubeSize !== undefined && { cubeSize }) };
}

function parseCubeSize(text: string): number {
  const size = /^[-+]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(size >= CUBE_SIZE_MIN && size <= CUBE_SIZE_MAX))
    throw new OrthantError(
      "ORT_ARGUMENT",
      `"${text}" is not a whole number from ${CUBE_SIZE_MIN} to ${CUBE_SIZE_MAX}`,
    );
  if (Number.isInteger(Math.log2(size))) return size;
  throw new OrthantError("ORT_ARGUMENT", `"${text}" is not a power of two, which the edge of a cube is`);
}

async function chosenState(save: MarsMinerSave, address: string | undefined): Promise<MarsMinerState> {
  if (address === undefined) {
    if (save.state !== undefined) return save.state;
    throw new OrthantError(
      "ORT_NOT_FOUND",
      "nothing was ever saved in this world, so there is nothing to convert",
    );
  }
  const states = await save.findStates();
  const found = states.find((state) => describeAddress(state.address) === address);
  if (found !== undefined) return found;
  throw new OrthantError(
    "ORT_ARGUMENT",
    `no state is at "${address}"; orthant info --count lists those that are intact`,
  );
}

async function infoOf(save: MarsMinerSave, counts: Counts | undefined): Promise<WorldInfo> {
  const { state, dialect, fittingDialects, cubeSize } = save;
  const sizes = await save.sizes();
  const savedMs = state === undefined ? null : msOfTicks(state.ticks);
  const chunks = state?.chunks.length ?? 0;
  const places = placesOf(save);
  return {
    dialect,
    facts: {
      fittingDialects,
      cubeSize,
      name: state?.name ?? null,
      savedMs,
      ticks: state?.ticks ?? null,
      chunks,
      places: places ?? null,
      sizes,
      counts: counts ?? null,
    },
    rows: [
      [
        "fits",
        fittingDialects.length > 1 ? `${fittingDialects.join(" and ")}: nothing tells them apart` : undefined,
      ],
      ["name", state?.name],
      ["saved", savedMs === null ? "never" : formatTime(savedMs)],
      ["chunks", String(chunks)],
      ["places", places && describePlaces(places)],
      ["cubes of", `${cubeSize} x ${cubeSize} x ${cubeSize} voxels`],
      ["on disk", describeSizes(sizes)],
      ["octrees", counts && `${counts.octrees}, ${formatAmount(counts.nodes, "node")}`],
      ...(counts?.states ?? []).map(({ address, name, savedMs: at, chunks: many }) => {
        const what = name === null ? "without a name" : JSON.stringify(name);
        return ["state", `${address}: ${what}, ${formatTime(at)}, ${formatAmount(many, "chunk")}`] as const;
      }),
    ],
  };
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

async function countContent(save: MarsMinerSave, environment: FormatEnvironment): Promise<Counts> {
  const progress = environment.progress("counting", "chunks", save.state?.chunks.length);
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
    address: describeAddress(address),
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

function describePlaces({ min, max }: Places): string {
  return `x from ${min.x} to ${max.x}, z from ${min.z} to ${max.z}`;
}

function describeSizes({ blobBytes, stringsBytes, pointersBytes }: MarsMinerSizes): string {
  const blobs = blobBytes.reduce((sum, bytes) => sum + bytes, 0);
  return `${formatBytes(blobs + stringsBytes + pointersBytes)}, ${formatAmount(blobBytes.length, "blob")}`;
}
