import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Child } from "./child.ts";
import { besideOthers, type CallTime, type Figure, median, readable, told } from "./figure.ts";
import { bytesIn } from "./folder-bytes.ts";
import { findLuanti, LuantiServer, type LuantiTime, luantiVersion } from "./luanti/luanti-server.ts";
import { type BlockName, boxOf, FILLED, type Scatter, scatteredOre } from "./luanti/rock.ts";
import {
  WORLD_PROGRAM,
  type WorldOrder,
  type WorldReport,
  type WorldSettings,
} from "./luanti/world-orders.ts";
import { required } from "./missing.ts";
import { sized } from "./size.ts";

const WARM_UP_ROUNDS = sized(1, 0);
const ROUNDS = sized(5, 1);
const VOXELS = sized(100_000, 1_000);
const CUBES = sized(3, 1);
const FILLED_VOXELS = 1_000_000;
/** Of what Luanti takes. */
const BUDGETS: { readonly [work: string]: number | undefined; readonly save: number } = {
  "set-snapshot": 2,
  "set-now-snapshot": 0.7,
  "set-journal": 6,
  "bulk-snapshot": 1,
  save: 1,
};
/** Shorter than Luanti's default, because every round waits for three saves. */
const SAVE_INTERVAL_S = 2;
/** Longer than the suite: all mapblocks stay in memory, as our chunks do. */
const UNLOAD_AFTER_S = 3_600;
const KILLS = sized(5, 1);
const KILLED_VOXELS = sized(1_000, 100);
const KILL_AFTER_MS = 1_000;
/** Luanti's default. The kills are at moments that are spread over it. */
const LUANTI_SAVE_INTERVAL_MS = 5_300;

/**
 * Question: what do mass changes of voxels, saves and a `kill -9` cost beside Luanti, whose server is written in C++?
 * The same voxels, in a world of stone that both generate and have in memory. Luanti's times are those of a mod, which
 * calls what mods call; ours are those of a program that calls `World`. Needs Luanti's server.
 */
export async function* luantiSuite(): AsyncGenerator<Figure> {
  const program = required(findLuanti);
  const version = luantiVersion(program);
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  try {
    const measured = await measure(program, folder);
    yield* changeFigures(version, measured);
    yield* saveFigures(version, measured);
    yield* killFigures(version, program, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

type Work = "set" | "set-now" | "bulk" | "bulk-list" | "fill" | "save";
type Durability = WorldSettings["durability"];
/** Luanti, and our world with a journal and without. */
type Contender = "luanti" | Durability;
const OURS = ["snapshot", "journal"] as const;
/** How charts call our worlds. */
const PROMISES: Readonly<Record<Durability, string>> = { snapshot: "no journal", journal: "journal" };
type Note = (work: Work, time: CallTime) => void;

/** The times of all rounds, and the bytes on the disk after the first changes. */
interface Measured {
  readonly times: Readonly<Record<Contender, Readonly<Record<Work, CallTime[]>>>>;
  readonly bytes: Readonly<Record<Contender, number>>;
}

async function measure(program: string, folder: string): Promise<Measured> {
  const times = { luanti: noTimes(), journal: noTimes(), snapshot: noTimes() };
  const luanti = await LuantiServer.start(program, join(folder, "luanti"), {
    server_map_save_interval: SAVE_INTERVAL_S,
    server_unload_unused_data_timeout: UNLOAD_AFTER_S,
  });
  const journal = new OurWorld({ folder: join(folder, "journal"), durability: "journal" });
  const snapshot = new OurWorld({ folder: join(folder, "snapshot"), durability: "snapshot" });
  try {
    await luanti.ask({ kind: "emerge" }, boxOf({ cubes: CUBES }));
    await luanti.nextSave();
    let bytes: Measured["bytes"] | undefined;
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      const noteOf =
        (contender: Contender): Note =>
        (work, time) => {
          if (round >= 0) times[contender][work].push(time);
        };
      const voxels = { cubes: CUBES, count: VOXELS, seed: ROUNDS + round };
      const filling: BlockName = round % 2 === 0 ? "marble" : "granite";
      const taken = {
        luanti: await luantiRound(luanti, voxels, filling, noteOf("luanti")),
        journal: await journal.round(voxels, filling, noteOf("journal")),
        snapshot: await snapshot.round(voxels, filling, noteOf("snapshot")),
      };
      bytes ??= taken;
    }
    if (bytes === undefined) throw new Error("there was no round");
    return { times, bytes };
  } finally {
    await luanti.kill();
    await journal.kill();
    await snapshot.kill();
  }
}

function noTimes(): Record<Work, CallTime[]> {
  return { set: [], "set-now": [], bulk: [], "bulk-list": [], fill: [], save: [] };
}

/** Does everything in Luanti once. Returns the bytes of its map after the first save. */
async function luantiRound(
  luanti: LuantiServer,
  voxels: Scatter,
  filling: BlockName,
  note: Note,
): Promise<number> {
  const file = await luanti.give(scatteredOre(voxels));
  // Right after a save, so that the next one is that of the changes.
  const idleShare = await luanti.idleShare();
  note("set", callTime(await luanti.ask({ kind: "set", file })));
  const { wallMs, cpuMs } = await luanti.nextSave(idleShare);
  note("save", { wallNs: wallMs * 1e6, cpuNs: cpuMs * 1e6 });
  const { size } = await stat(luanti.mapFile);
  requireAll("Luanti", await luanti.ask({ kind: "count", file }), voxels);
  note("bulk", callTime(await luanti.ask({ kind: "bulk", file, block: "gold" })));
  note("fill", callTime(await luanti.ask({ kind: "fill", block: filling }, FILLED)));
  await luanti.nextSave();
  return size;
}

/** A process with a world of ours, on a real disk. */
class OurWorld {
  readonly #folder: string;
  readonly #child: Child<WorldOrder, WorldReport>;

  constructor(settings: WorldSettings) {
    this.#folder = settings.folder;
    this.#child = new Child(WORLD_PROGRAM, settings);
  }

  /** Does everything once. Returns the bytes of the folder after the first save. */
  async round(voxels: Scatter, filling: BlockName, note: Note): Promise<number> {
    await this.#child.ask({ kind: "choose", voxels });
    note("set", await this.#child.ask({ kind: "set" }));
    note("save", await this.#child.ask({ kind: "save" }));
    const bytes = await bytesIn(this.#folder);
    requireAll("Orthant", await this.#child.ask({ kind: "count" }), voxels);
    note("bulk", await this.#child.ask({ kind: "bulk", block: "gold" }));
    note("set-now", await this.#child.ask({ kind: "set now" }));
    // Both bulk edits come after a save, with no chunk edited in place.
    await this.#child.ask({ kind: "save" });
    note("bulk-list", await this.#child.ask({ kind: "bulk list", block: "gold" }));
    // A fill must not pay for a state with what was edited in place before.
    await this.#child.ask({ kind: "save" });
    note("fill", await this.#child.ask({ kind: "fill", block: filling }));
    await this.#child.ask({ kind: "save" });
    return bytes;
  }

  /** Sets voxels, and waits for all promises. */
  async set(voxels: Scatter): Promise<void> {
    await this.#child.ask({ kind: "choose", voxels });
    await this.#child.ask({ kind: "set" });
  }

  /** Returns how many of the voxels have their block. */
  async count(voxels: Scatter): Promise<number> {
    await this.#child.ask({ kind: "choose", voxels });
    return (await this.#child.ask({ kind: "count" })).found;
  }

  kill(): Promise<void> {
    return this.#child.end();
  }
}

function* changeFigures(version: string, { times }: Measured): Generator<Figure> {
  const works = [
    ["set", "set", VOXELS, `${grouped(VOXELS)} voxels, one call each`],
    ["set-now", "set", VOXELS, `${grouped(VOXELS)} voxels, one call each without a promise`],
    ["bulk", "bulk", VOXELS, `${grouped(VOXELS)} voxels, one call`],
    ["bulk-list", "bulk", VOXELS, `${grouped(VOXELS)} voxels, one call with a list`],
    ["fill", "fill", FILLED_VOXELS, `a box of ${grouped(FILLED_VOXELS)} voxels`],
  ] as const;
  for (const [work, theirs, voxels, group] of works) {
    for (const ours of OURS) {
      const taken = [times[ours][work], times.luanti[theirs]] as const;
      const rates = taken.map((of) => grouped(Math.round((voxels * 1e3) / wallMs(of))));
      yield contest(`luanti/${work}-${ours}`, "Voxels changed", `${group}, ${PROMISES[ours]}`, version, {
        ours: taken[0],
        luanti: taken[1],
        budget: BUDGETS[`${work}-${ours}`],
        remark: `${rates[0]} voxels a second, ${version} ${rates[1]}`,
      });
    }
  }
}

function* saveFigures(version: string, { times, bytes }: Measured): Generator<Figure> {
  yield contest("luanti/save", "A save", `${grouped(VOXELS)} changed voxels`, version, {
    ours: times.journal.save,
    luanti: times.luanti.save,
    budget: BUDGETS.save,
    remark: `until ${grouped(VOXELS)} changes all over 3,375 chunks are synced`,
  });
  yield besideOthers({
    name: "luanti/bytes",
    title: "Bytes on the disk",
    unit: "kB",
    group: `${grouped(VOXELS)} changed voxels`,
    ours: bytes.journal / 1_000,
    others: new Map([[version, bytes.luanti / 1_000]]),
    remark: "all files of our world, the map's database of Luanti",
  });
}

/** Returns a figure with the medians of both, and their processor time beside it. */
function contest(
  name: string,
  title: string,
  group: string,
  version: string,
  times: {
    readonly ours: readonly CallTime[];
    readonly luanti: readonly CallTime[];
    readonly budget: number | undefined;
    readonly remark: string;
  },
): Figure {
  const cpu = [times.ours, times.luanti].map((all) => readable(median(all.map(({ cpuNs }) => cpuNs)) / 1e6));
  return besideOthers({
    name,
    title,
    unit: "ms",
    group,
    ours: wallMs(times.ours),
    others: new Map([[version, wallMs(times.luanti)]]),
    ...(times.budget !== undefined && { budget: times.budget }),
    remark: `processor ${cpu[0]} ms, ${version} ${cpu[1]} ms; ${times.remark}`,
  });
}

function wallMs(times: readonly CallTime[]): number {
  return median(times.map(({ wallNs }) => wallNs)) / 1e6;
}

/** Kills all a second after they acknowledged changes. Yields the number of changes that are missing afterwards. */
async function* killFigures(version: string, program: string, folder: string): AsyncGenerator<Figure> {
  const lost = { luanti: 0, snapshot: 0, journal: 0 };
  for (let kill = 0; kill < KILLS; kill++) {
    const voxels = { cubes: 1, count: KILLED_VOXELS, seed: kill };
    const waitMs = (kill * LUANTI_SAVE_INTERVAL_MS) / KILLS;
    const place = (contender: Contender): string => join(folder, `killed-${contender}-${kill}`);
    lost.luanti += await lostByLuanti(program, place("luanti"), voxels, waitMs);
    for (const durability of OURS)
      lost[durability] += await lostByUs({ folder: place(durability), durability }, voxels);
  }
  const all = grouped(KILLS * KILLED_VOXELS);
  for (const durability of OURS) {
    const figure = told(
      `luanti/kill-${durability}`,
      lost[durability],
      `of ${all} changes lost`,
      `${version} ${grouped(lost.luanti)}; ${KILLS} times kill -9, ${KILL_AFTER_MS} ms after ` +
        `${grouped(KILLED_VOXELS)} acknowledged changes, with default save intervals`,
      {
        title: "Changes that kill -9 loses",
        unit: `of ${all} changes`,
        better: "less",
        group: PROMISES[durability],
        bars: [
          { label: "Orthant", role: "ours", value: lost[durability] },
          { label: version, role: "peer", value: lost.luanti },
        ],
      },
    );
    yield { ...figure, shown: grouped(lost[durability]) };
  }
}

async function lostByLuanti(
  program: string,
  folder: string,
  voxels: Scatter,
  waitMs: number,
): Promise<number> {
  const placements = scatteredOre(voxels);
  const killed = await LuantiServer.start(program, folder);
  try {
    const file = await killed.give(placements);
    await killed.ask({ kind: "emerge" }, boxOf(voxels));
    await delay(waitMs);
    await killed.ask({ kind: "set", file });
    await delay(KILL_AFTER_MS);
    requireAll("Luanti", await killed.ask({ kind: "count", file }), voxels);
  } finally {
    await killed.kill();
  }
  const restarted = await LuantiServer.start(program, folder);
  try {
    const file = await restarted.give(placements);
    await restarted.ask({ kind: "emerge" }, boxOf(voxels));
    return voxels.count - (await restarted.ask({ kind: "count", file })).found;
  } finally {
    await restarted.kill();
  }
}

async function lostByUs(settings: WorldSettings, voxels: Scatter): Promise<number> {
  const killed = new OurWorld(settings);
  try {
    await killed.set(voxels);
    await delay(KILL_AFTER_MS);
  } finally {
    await killed.kill();
  }
  const restarted = new OurWorld(settings);
  try {
    return voxels.count - (await restarted.count(voxels));
  } finally {
    await restarted.kill();
  }
}

/** Makes sure that both did the same work. */
function requireAll(name: string, { found }: { readonly found: number }, { count }: Scatter): void {
  if (found !== count) throw new Error(`${name} made ${found} of ${count} changes`);
}

function callTime({ wallUs, cpuUs }: LuantiTime): CallTime {
  return { wallNs: wallUs * 1e3, cpuNs: cpuUs * 1e3 };
}

function grouped(count: number): string {
  return count.toLocaleString("en");
}
