import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeDisk } from "@orthant/disk/node";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { inTurn, ONE_ROUND, type Rounds } from "./compare.ts";
import {
  atLeast,
  atMost,
  besideOthers,
  type CallTime,
  type Figure,
  median,
  ofLimit,
  timeAsync,
  told,
} from "./figure.ts";
import { loadPeers } from "./peer-stores.ts";
import { sized } from "./size.ts";

const ROUNDS = sized(25, 1);
const WARM_UP_ROUNDS = sized(40, 0);
const SINGLE_EDITS = 200;
const SINGLE_BUDGET = 0.95;
const PEER_EDITS = 100;
const PEER_ROUNDS: Rounds = sized({ warmUp: 5, measured: 25 }, ONE_ROUND);
const WRITERS = 64;
const EDITS_PER_WRITER = 40;
/** Approximate journal bytes of a one-voxel edit, and the overhead of a group. */
const ENTRY_BYTES = 26;
const GROUP_BYTES = 20;
const GROUPED_PER_SECOND = 120_000;
const GROUPED_CPU_US_MAX = 6;
/** Edits of a script that waits only once. */
const SCRIPT_EDITS = 1_000;

/**
 * Question: what does an edit cost whose promise means that it is on the disk?
 * Budgets: one at a time, 0.95 of a loop that appends as many bytes and syncs; from 64 concurrent writers,
 * 120,000 a second with at most 6 us of processor each. A script that waits once, at its end, is not slower for each
 * edit than the best of other stores in which every put is durable.
 */
export async function* journalSuite(): AsyncGenerator<Figure> {
  yield* measure(async function* (world, folder) {
    yield* limitFigures(world, folder);
    yield* peerFigures(world, folder);
  });
}

/** The suite's figures next to the bare limit. */
export async function* journalLimits(): AsyncGenerator<Figure> {
  for await (const figure of measure(limitFigures)) if (figure.isOfLimit) yield figure;
}

type Measure = (world: WorldEngine, folder: string) => AsyncGenerator<Figure>;

async function* measure(figures: Measure): AsyncGenerator<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  try {
    const disk = await NodeDisk.create(join(folder, "world"));
    const world = await createWorldEngine(disk, {}, { autosave: false, durability: "journal" });
    yield* figures(world, folder);
    await world.close();
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function* limitFigures(world: WorldEngine, folder: string): AsyncGenerator<Figure> {
  // The figure with many edits first: a program that has just started is slower than a warm one.
  yield* await groupedFigures(world, join(folder, "grouped"));
  yield await singleFigure(world, join(folder, "single"));
}

/** Two blocks that swap from round to round, as where people dig and build. */
function blockAt(edit: number, round: number): number {
  return 1 + Math.abs((edit + round) % 2);
}

async function singleFigure(world: WorldEngine, path: string): Promise<Figure> {
  const { ratio, oursNs, bareNs, oursCpuNs, bareCpuNs } = await compare(
    async (round) => {
      for (let edit = 0; edit < SINGLE_EDITS; edit++) await world.set([edit, 0, 0, 0], blockAt(edit, round));
    },
    () => appendLoop(path, SINGLE_EDITS, GROUP_BYTES + ENTRY_BYTES),
  );
  const remark =
    `${perSecond(oursNs, SINGLE_EDITS)} a second, bare ${perSecond(bareNs, SINGLE_EDITS)}; ` +
    `${microseconds(oursCpuNs, SINGLE_EDITS)} of processor each, bare ${microseconds(bareCpuNs, SINGLE_EDITS)}`;
  return ofLimit("journal/single", ratio, "a bare append and sync loop", SINGLE_BUDGET, remark);
}

async function groupedFigures(world: WorldEngine, path: string): Promise<readonly Figure[]> {
  const edits = WRITERS * EDITS_PER_WRITER;
  const { ratio, oursNs, bareNs, oursCpuNs, bareCpuNs } = await compare(
    async (round) => {
      const write = async (writer: number): Promise<void> => {
        for (let edit = 0; edit < EDITS_PER_WRITER; edit++) {
          await world.set([edit, writer, 0, 0], blockAt(edit, round));
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    },
    () => appendLoop(path, EDITS_PER_WRITER, GROUP_BYTES + ENTRY_BYTES * WRITERS),
  );
  const rate = told(
    "journal/grouped-rate",
    (edits * 1e9) / oursNs,
    `edits a second from ${WRITERS} writers`,
    `bare ${perSecond(bareNs, edits)}`,
  );
  return [
    ofLimit("journal/grouped", ratio, "bare groups", undefined, `${WRITERS} edits share a sync`),
    atLeast(rate, GROUPED_PER_SECOND),
    atMost(
      "journal/grouped-cpu",
      oursCpuNs / edits / 1_000,
      "us of processor an edit",
      GROUPED_CPU_US_MAX,
      `bare ${microseconds(bareCpuNs, edits)}`,
    ),
  ];
}

/** Other stores that make the bytes of one voxel durable, one at a time. */
async function* peerFigures(world: WorldEngine, folder: string): AsyncGenerator<Figure> {
  const stores = loadPeers().flatMap(({ name, openDurable }) => {
    return openDurable === undefined ? [] : [[name, openDurable(folder)] as const];
  });
  const edit = async (round: number): Promise<void> => {
    for (let count = 0; count < PEER_EDITS; count++) await world.set([count, 0, 0, 1], blockAt(count, round));
  };
  const others = stores.map(([name, store]) => {
    const put = async (round: number): Promise<void> => {
      // A new value each round: SQLite writes and syncs nothing for an unchanged one.
      const value = new Uint8Array(ENTRY_BYTES).fill(round);
      for (let count = 0; count < PEER_EDITS; count++) await store.put(`${count},0,0,1`, value);
    };
    return [name, put] as const;
  });
  const script = async (round: number): Promise<void> => {
    for (let count = 0; count < SCRIPT_EDITS; count++) {
      const placements = [{ voxel: [count % 64, count >> 6, 0, 2] as const, block: blockAt(count, round) }];
      await world.edit(placements, { wait: "applied" });
    }
    await world.whenDurable();
  };
  const appendAll = (): Promise<void> =>
    appendLoop(join(folder, "bare"), PEER_EDITS, GROUP_BYTES + ENTRY_BYTES);
  const bare = "bare append and sync";
  const scripted = "Orthant's script";
  const contenders = new Map([...others, [bare, appendAll] as const, [scripted, script] as const]);
  const times = await inTurn(edit, contenders, PEER_ROUNDS);
  for (const [, store] of stores) await store.close();
  const each = new Map(Array.from(times.others, ([name, ms]) => [name, (ms * 1e3) / PEER_EDITS]));
  const limit = [bare, each.get(bare) ?? Number.NaN] as const;
  each.delete(bare);
  each.delete(scripted);
  const contest = { title: "One voxel made durable", unit: "us", others: each, limit };
  yield besideOthers({
    ...contest,
    name: "journal/single-beside-others",
    group: "one at a time",
    ours: (times.ours * 1e3) / PEER_EDITS,
    remark: "each of them waited for",
  });
  yield besideOthers({
    ...contest,
    name: "journal/script-beside-others",
    group: "a script that waits once",
    ours: ((times.others.get(scripted) ?? Number.NaN) * 1e3) / SCRIPT_EDITS,
    budget: 1,
    remark: `${SCRIPT_EDITS} edits with { wait: "applied" }, then one whenDurable(); the others wait for each`,
  });
}

interface Comparison {
  readonly ratio: number;
  readonly oursNs: number;
  readonly bareNs: number;
  readonly oursCpuNs: number;
  readonly bareCpuNs: number;
}

/** Alternates both, so that other disk activity affects both. */
async function compare(
  edit: (round: number) => Promise<void>,
  append: () => Promise<void>,
): Promise<Comparison> {
  const ours: CallTime[] = [];
  const bare: CallTime[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const first = await timeAsync(append);
    const mine = await timeAsync(() => edit(round));
    const second = await timeAsync(append);
    if (round < 0) continue;
    ours.push(mine);
    bare.push({ wallNs: (first.wallNs + second.wallNs) / 2, cpuNs: (first.cpuNs + second.cpuNs) / 2 });
  }
  return {
    ratio: median(ours.map(({ wallNs }, round) => (bare[round]?.wallNs ?? 0) / wallNs)),
    oursNs: median(ours.map(({ wallNs }) => wallNs)),
    bareNs: median(bare.map(({ wallNs }) => wallNs)),
    oursCpuNs: median(ours.map(({ cpuNs }) => cpuNs)),
    bareCpuNs: median(bare.map(({ cpuNs }) => cpuNs)),
  };
}

/** The minimum that a journal must do: append bytes to a file and sync, `times` times. */
async function appendLoop(path: string, times: number, bytes: number): Promise<void> {
  const file = await open(path, "a");
  const block = new Uint8Array(bytes).fill(7);
  for (let time = 0; time < times; time++) {
    await file.write(block);
    await file.datasync();
  }
  await file.close();
}

function perSecond(ns: number, count: number): string {
  return ((count * 1e9) / ns).toFixed(0);
}

function microseconds(ns: number, count: number): string {
  return `${(ns / count / 1_000).toFixed(1)} us`;
}
