import { setTimeout as delay } from "node:timers/promises";
import { Child } from "./child.ts";
import { atLeast, atMost, besideOthers, type Figure, median, told } from "./figure.ts";
import { MissingError } from "./missing.ts";
import { ifInstalled } from "./peer-stores.ts";
import {
  type ChangedSettings,
  CLIENT_PROGRAM,
  type ClientOrder,
  type ClientReport,
  PATCH_MS,
  ROOM_PROGRAM,
} from "./rooms/orders.ts";
import {
  CROWD_PROGRAM,
  type CrowdOrder,
  type CrowdReport,
  SERVER_PROGRAM,
  type UsageOrder,
  type UsageReport,
} from "./server/orders.ts";
import { sized } from "./size.ts";

const CROWDS = sized([200, 500, 1_000], [10]);
const EDITS_PER_SECOND = 200;
const CHANGED_COUNT = sized(30_000, 500);
const ROUNDS = sized(3, 1);
/** Rounds of each side that are not counted: a server that has just started still compiles its code. */
const WARM_UP_ROUNDS = sized(3, 0);
const ROUND_MS = sized(4_000, 1_000);
const SETTLE_MS = sized(1_000, 300);
const JOINS = sized(15, 1);
const WARM_UP_JOINS = sized(3, 0);
const PEER = "Colyseus";
/** The largest shares of what Colyseus takes, by figure. */
const BUDGETS: Readonly<Record<string, number>> = {
  "first-join-bytes": 0.3,
  "first-join": 1.5,
  "first-join-cpu": 1.2,
  "edit-to-seen": 1,
  bytes: 0.37,
  memory: 1.2,
};
const DELIVERIES_LEAST = 1;

type Name = "Orthant" | typeof PEER;

/** A server and its clients. */
class Side {
  readonly name: Name;
  readonly #server: Child<UsageOrder, UsageReport>;
  readonly #crowd = new Child<CrowdOrder, CrowdReport>(CROWD_PROGRAM);
  readonly #client = new Child<ClientOrder, ClientReport>(CLIENT_PROGRAM);

  constructor(name: Name) {
    this.name = name;
    const settings: ChangedSettings = { changedCount: CHANGED_COUNT };
    this.#server = new Child(name === "Orthant" ? SERVER_PROGRAM : ROOM_PROGRAM, settings);
  }

  /** One client joins, alone, and leaves. */
  async joinOnce(): Promise<Join> {
    const { port, cpuUs } = await this.#server.ask({ kind: "usage" });
    const join = await this.#client.ask({ kind: "join", server: this.name, port });
    const after = await this.#server.ask({ kind: "usage" });
    const { missing } = await this.#client.ask({ kind: "leave", changedCount: CHANGED_COUNT });
    if (missing > 0) throw new Error(`a client of ${this.name} lacks ${missing} voxels`);
    return { ...join, cpuMs: (after.cpuUs - cpuUs) / 1_000 };
  }

  /** A crowd joins. Returns the bytes that the server holds for each of them. */
  async joinAll(count: number): Promise<number> {
    const { port, usedBytes } = await this.#server.ask({ kind: "collect" });
    await this.#crowd.ask(
      this.name === "Orthant"
        ? { kind: "join", urls: [`ws://127.0.0.1:${port}`], count }
        : { kind: "joinRoom", port, count },
    );
    await delay(SETTLE_MS);
    const joined = await this.#server.ask({ kind: "collect" });
    return (joined.usedBytes - usedBytes) / count;
  }

  /** The crowd edits for one round. */
  async measure(count: number): Promise<Round> {
    await this.#crowd.ask({ kind: "edit", editsPerSecond: EDITS_PER_SECOND });
    await delay(SETTLE_MS);
    const crowdBefore = await this.#crowd.ask({ kind: "reset" });
    const before = await this.#server.ask({ kind: "usage" });
    const startMs = performance.now();
    await delay(ROUND_MS);
    const crowd = await this.#crowd.ask({ kind: "report" });
    const ms = performance.now() - startMs;
    const after = await this.#server.ask({ kind: "usage" });
    await this.#crowd.ask({ kind: "stop" });
    const cpuUs = after.cpuUs - before.cpuUs;
    return {
      perCpuSecond: (crowd.editsSeen * 1e6) / cpuUs,
      cpuShare: cpuUs / 1_000 / ms,
      crowdShare: (crowd.cpuUs - crowdBefore.cpuUs) / 1_000 / ms,
      seenPercent: (crowd.editsSeen * 100) / (crowd.editsMade * count),
      p50: crowd.latencyMs.p50,
      p99: crowd.latencyMs.p99,
      bytesPerSecond: ((crowd.frameBytes / count) * 1_000) / ms,
      framesPerSecond: ((crowd.frames / count) * 1_000) / ms,
    };
  }

  /** All leave. Returns what went wrong. */
  async faults(): Promise<readonly string[]> {
    const { faults } = await this.#crowd.ask({ kind: "leave" });
    return faults.map((fault) => `${this.name}: ${fault}`);
  }

  end(): void {
    this.#client.end();
    this.#crowd.end();
    this.#server.end();
  }
}

interface Join extends ClientReport {
  readonly cpuMs: number;
}

interface Round {
  /** Edits delivered for a second of the server's processor time. */
  readonly perCpuSecond: number;
  readonly cpuShare: number;
  readonly crowdShare: number;
  readonly seenPercent: number;
  readonly p50: number;
  readonly p99: number;
  readonly bytesPerSecond: number;
  readonly framesPerSecond: number;
}

/**
 * Question: what does a shared world cost with Orthant, and what as the state of a Colyseus room?
 * A world in which 30,000 voxels have changed. All clients see the same 200 edits a second, and do not move. Both servers
 * send every 100 ms, on one processor each, through `ws`, and keep nothing on a disk. The clients of a crowd read every message
 * and keep no copy of the world; a first join is that of the real client and of the real SDK.
 */
export async function* roomsSuite(): AsyncGenerator<Figure> {
  const versions = ifInstalled("@colyseus/core", versionsOf);
  if (versions === undefined) throw new MissingError("no Colyseus here; run npm ci in benchmarks/peers");
  yield* joinFigures(versions);
  for (const count of CROWDS) yield* crowdFigures(count);
}

/** Returns the versions of the parts of Colyseus, which are exact in package.json. Throws if they are not installed. */
function versionsOf(load: NodeJS.Require): string {
  const { dependencies } = load("./package.json") as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const versions = ["core", "ws-transport", "schema", "sdk"].map((part) => {
    load.resolve(`@colyseus/${part}`);
    return `${part} ${dependencies[`@colyseus/${part}`]}`;
  });
  return `${PEER} is ${versions.join(", ")}`;
}

async function* joinFigures(versions: string): AsyncGenerator<Figure> {
  const sides = [new Side("Orthant"), new Side(PEER)];
  const joins = new Map<Name, Join[]>(sides.map(({ name }) => [name, []]));
  try {
    for (let index = -WARM_UP_JOINS; index < JOINS; index++) {
      for (const side of sides) {
        const join = await side.joinOnce();
        if (index >= 0) joins.get(side.name)?.push(join);
      }
    }
  } finally {
    for (const side of sides) side.end();
  }
  const contest = contestOf(joins, `${CHANGED_COUNT} changed voxels`);
  yield contest("rooms/first-join-bytes", "A first join, bytes", "bytes", ({ bytes }) => bytes, versions);
  yield contest(
    "rooms/first-join",
    "A first join, until the client has everything",
    "ms",
    ({ joinMs }) => joinMs,
    "from the call to a whole copy, by the real client and by the SDK",
  );
  yield contest(
    "rooms/first-join-cpu",
    "A first join, processor time of the server",
    "ms",
    ({ cpuMs }) => cpuMs,
    `medians of ${JOINS} joins; a voxel changes between two of them`,
  );
}

async function* crowdFigures(count: number): AsyncGenerator<Figure> {
  const sides = [new Side("Orthant"), new Side(PEER)];
  const rounds = new Map<Name, Round[]>();
  const heldBytes = new Map<Name, { readonly bytes: number }[]>();
  const faults: string[] = [];
  try {
    for (const side of sides) heldBytes.set(side.name, [{ bytes: await side.joinAll(count) }]);
    for (let index = -WARM_UP_ROUNDS; index < ROUNDS; index++) {
      for (const side of sides) {
        const round = await side.measure(count);
        if (index >= 0) rounds.set(side.name, [...(rounds.get(side.name) ?? []), round]);
      }
    }
    for (const side of sides) faults.push(...(await side.faults()));
  } finally {
    for (const side of sides) side.end();
  }
  const group = `${count} clients`;
  const contest = contestOf(rounds, group);
  const both = bothOf(rounds);
  const rates = both(({ perCpuSecond }) => perCpuSecond);
  const deliveries = told(
    `rooms/${count}-deliveries`,
    rates.ours / rates.theirs,
    `of ${PEER}`,
    `edits delivered for a second of the server's processor: ${thousands(rates.ours)}, ${PEER} ${thousands(rates.theirs)}; ` +
      `${inBoth(both(({ cpuShare }) => cpuShare))} of a core; ` +
      `${inBoth(
        both(({ seenPercent }) => seenPercent),
        3,
      )} % of edits seen by all within the round`,
    {
      title: "Edits delivered for a second of the server's processor",
      unit: "edits",
      better: "more",
      group,
      bars: [
        { label: "Orthant", role: "ours", value: rates.ours },
        { label: PEER, role: "peer", value: rates.theirs },
      ],
    },
  );
  yield atLeast(deliveries, DELIVERIES_LEAST);
  const crowds = `the clients' process took ${inBoth(both(({ crowdShare }) => crowdShare))} of a core`;
  const tick = `both send every ${PATCH_MS} ms`;
  yield contest(
    `rooms/${count}-edit-to-seen`,
    "From an edit until others see it, p50",
    "ms",
    (r) => r.p50,
    tick,
  );
  yield contest(
    `rooms/${count}-edit-to-seen-p99`,
    "From an edit until others see it, p99",
    "ms",
    (r) => r.p99,
    crowds,
  );
  yield contest(
    `rooms/${count}-bytes`,
    "Bytes a second a client",
    "bytes",
    (r) => r.bytesPerSecond,
    `in ${inBoth(both(({ framesPerSecond }) => framesPerSecond))} messages`,
  );
  yield contestOf(heldBytes, group)(
    `rooms/${count}-memory`,
    "Memory of the server for each client",
    "KiB",
    ({ bytes }) => bytes / 1_024,
    "held after a garbage collection, without the system's socket buffers",
  );
  if (faults.length > 0)
    yield atMost(`rooms/${count}-faults`, faults.length, "faults", 0, faults.slice(0, 5).join("; "));
}

/** Returns a function that compares the medians of both sides. */
function contestOf<Sample>(
  samples: ReadonlyMap<Name, readonly Sample[]>,
  group: string,
): (name: string, title: string, unit: string, value: (sample: Sample) => number, remark: string) => Figure {
  const both = bothOf(samples);
  return (name, title, unit, value, remark) => {
    const { ours, theirs } = both(value);
    const budget = BUDGETS[name.replace(/^rooms\/(?:\d+-)?/, "")];
    const others = new Map([[PEER, theirs]]);
    return besideOthers({
      ...{ name, title, unit, group, ours, others, remark },
      ...(budget !== undefined && { budget }),
    });
  };
}

interface Both {
  readonly ours: number;
  readonly theirs: number;
}

function bothOf<Sample>(
  samples: ReadonlyMap<Name, readonly Sample[]>,
): (value: (sample: Sample) => number) => Both {
  const middle = (name: Name, value: (sample: Sample) => number): number =>
    median((samples.get(name) ?? []).map(value));
  return (value) => ({ ours: middle("Orthant", value), theirs: middle(PEER, value) });
}

function inBoth({ ours, theirs }: Both, digits = 2): string {
  return `${ours.toPrecision(digits)} and ${theirs.toPrecision(digits)}`;
}

function thousands(value: number): string {
  return `${(value / 1_000).toFixed(0)}k`;
}
