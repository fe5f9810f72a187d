import { setTimeout as delay } from "node:timers/promises";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { NatsCluster, obtainNatsServer, TEST_CREDENTIALS } from "@orthant/testkit/nats";
import { BenchmarkCluster } from "./cluster/nats-cluster-run.ts";
import { playerFigures } from "./cluster/players.ts";
import { atLeast, type Figure, median, quantile, told } from "./figure.ts";
import { required } from "./missing.ts";
import { sized } from "./size.ts";

const ROUNDS = sized(7, 1);
const ROUND_MS = sized(1_500, 300);
const SETTLE_MS = 500;
const PAYLOAD_BYTES = 256;
const IN_FLIGHT = 256;
const STREAM = "BARE";
const SUBJECT = "bare.r";
/**
 * Share of the rate of bare messages, with as many in flight. Owners store dozens of edits in one batch,
 * while a bare message goes alone: so this may exceed 1, and measures what a player gets, not what NATS
 * costs.
 */
const EDIT_BUDGET = 0.25;

/**
 * Question: what does an edit cost that two of three servers have on their disks, and how fast is it visible
 * elsewhere?
 * Baselines, alternating: bare messages to a stream with the same settings as ours, one at a time and 256 in
 * flight; a world of one process with its journal on this disk. Then with players on two gateways, next to as
 * many clients of NATS itself.
 */
export async function* clusterSuite(): AsyncGenerator<Figure> {
  required(obtainNatsServer);
  const nats = await NatsCluster.start(3);
  const { user, password: pass } = TEST_CREDENTIALS;
  const connection = await connect({ servers: [...nats.urls], user, pass });
  const cluster = await BenchmarkCluster.open(nats);
  try {
    const { streams } = await jetstreamManager(connection);
    await streams.add({ name: STREAM, subjects: [SUBJECT], num_replicas: 3, max_msgs: 10_000 });
    yield* editFigures(connection, cluster);
    yield* playerFigures(connection, nats, cluster);
  } finally {
    await cluster.close();
    await connection.close();
    await nats.dispose();
  }
}

async function* editFigures(connection: NatsConnection, cluster: BenchmarkCluster): AsyncGenerator<Figure> {
  const measured: Record<string, Load[]> = {
    bareOne: [],
    oursOne: [],
    bareMany: [],
    oursMany: [],
    alone: [],
  };
  const seen: Record<string, number[]> = { oursOne: [], oursMany: [] };
  const publish = (): Promise<unknown> =>
    connection.request(SUBJECT, new Uint8Array(PAYLOAD_BYTES), { timeout: 10_000 });
  const works: readonly [name: string, workers: number, work: (worker: number) => Promise<unknown>][] = [
    ["bareOne", 1, publish],
    ["oursOne", 1, (worker) => cluster.edit(worker)],
    ["bareMany", IN_FLIGHT, publish],
    ["oursMany", IN_FLIGHT, (worker) => cluster.edit(worker)],
    ["alone", IN_FLIGHT, (worker) => cluster.editAlone(worker)],
  ];
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, workers, work] of works) {
      const result = await load(workers, work);
      const waits = cluster.takeSeenMs();
      // The first round warms up.
      if (round < 0) continue;
      measured[name]?.push(result);
      seen[name]?.push(...waits);
    }
  }
  const { bareOne = [], oursOne = [], bareMany = [], oursMany = [], alone = [] } = measured;
  const rate = (name: string, loads: readonly Load[], remark: string): Figure =>
    told(`cluster/${name}`, perSecond(loads), "a second", `${describe(loads)}; ${remark}`);
  yield rate("bare-single", bareOne, "one at a time");
  yield rate("bare-pipelined", bareMany, `${PAYLOAD_BYTES} bytes, ${IN_FLIGHT} in flight, each alone`);
  yield rate("one-process", alone, `${IN_FLIGHT} in flight, into a journal on this disk`);
  const single = ratio(oursOne, bareOne);
  yield told("cluster/edit-single", single, "of bare messages", describe(oursOne));
  const edits = `${describe(oursMany)}; ${IN_FLIGHT} in flight, stored together`;
  const many = told("cluster/edits", ratio(oursMany, bareMany), "of bare messages", edits);
  yield atLeast(many, EDIT_BUDGET);
  yield seenFigure("seen-single", seen["oursOne"] ?? []);
  yield seenFigure("seen", seen["oursMany"] ?? []);
}

/** Every edit must be visible elsewhere: a missing one is a fault, not a slow one. */
function seenFigure(name: string, waits: readonly number[]): Figure {
  const shown = waits.filter(Number.isFinite);
  const count = `${shown.length} of ${waits.length} edits`;
  const remark = `through another gateway; p99 ${quantile(shown, 0.99).toFixed(1)} ms; ${count}`;
  const figure = told(`cluster/${name}`, quantile(shown, 0.5), "ms at p50", remark);
  return { ...figure, missed: shown.length < waits.length };
}

interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly wallMs: number;
  readonly cpuShare: number;
}

/** Keeps `workers` operations in flight for one round. */
async function load(workers: number, work: (worker: number) => Promise<unknown>): Promise<Load> {
  const waits: number[] = [];
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const run = async (worker: number): Promise<void> => {
    while (performance.now() - startMs < ROUND_MS) {
      const beganMs = performance.now();
      await work(worker);
      waits.push(performance.now() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => run(worker)));
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  // Work left over from this round must not count in the next.
  await delay(SETTLE_MS);
  return {
    ...{ perSecond: (waits.length * 1_000) / wallMs, wallMs },
    ...{ p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) },
    cpuShare: (user + system) / 1_000 / wallMs,
  };
}

function describe(loads: readonly Load[]): string {
  const middle = (pick: (load: Load) => number): number => median(loads.map(pick));
  return (
    `${Math.round(perSecond(loads))} a second, p50 ${middle(({ p50 }) => p50).toFixed(1)} ms, ` +
    `p99 ${middle(({ p99 }) => p99).toFixed(1)} ms, cpu ${middle(({ cpuShare }) => cpuShare).toFixed(2)} of wall`
  );
}

function perSecond(loads: readonly Load[]): number {
  return median(loads.map((load) => load.perSecond));
}

function ratio(ours: readonly Load[], bare: readonly Load[]): number {
  return median(ours.map(({ perSecond }, index) => perSecond / (bare[index]?.perSecond ?? Number.NaN)));
}
