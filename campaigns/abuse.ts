import { attackByAccount, attackByAccountMs } from "./abuse/account/attack-by-account.ts";
import { attackServer } from "./abuse/attack-server.ts";
import { usedBytes } from "./abuse/collect-garbage.ts";
import { attackMemory } from "./abuse/memory/attack-memory.ts";
import { TargetSyncServer } from "./abuse/target-sync-server.ts";
import { type Campaign, type CampaignOptions, FAILURES_MAX, goesOn } from "./campaign.ts";

const CASES = 1_000_000;
/** This many of them go over sockets. */
const SOCKET_CASES = 10_000;
/** The same in a run with a time limit. */
const SOCKET_CASES_SHORT = 500;
const SOCKET_CASES_SMALLEST = 50;
/** Approximate time of the socket attacks in such a run. */
const SOCKET_ATTACKS_MS = 60_000;
/** The length of a round of an attack by one account. Shorter rounds have too few honest edits for a percentile. */
const ROUND_SECONDS = 6;
const ROUND_SECONDS_MIN = 3;
/** The smallest run does not judge a percentile. */
const ROUND_SECONDS_SMALLEST = 1;
/** The length of each of two attacks that fill memory. */
const MEMORY_SECONDS = 40;
/** Waves before the first memory measurement: lasting memory is allocated by then. */
const WARM_WAVES = 200;
/** Memory that a server in this process may keep for clients that have left. */
const KEPT_BYTES_MAX = 64 * 2 ** 20;
/** Longest tick that is not counted as blocked by a client. */
const TICK_MS_MAX = 5_000;

/** Attacks a server with hostile clients. */
export const abuseCampaign: Campaign = {
  name: "abuse",
  summary: "hostile clients and damaged messages: no other client is harmed, and every refusal is counted",
  goal: CASES,
  unit: "frames",
  runsAlone: true,
  leastMinutes: 8,
  async run(options) {
    // Stack traces of a million refusals would take most of the time, and are not needed here.
    Error.stackTraceLimit = 0;
    const failures: string[] = [];
    const onRejection = (error: unknown): number => failures.push(`unhandled rejection: ${String(error)}`);
    process.on("unhandledRejection", onRejection);
    const { isSmallest = false } = options;
    const roundSeconds = roundSecondsFor(options);
    const restMs = SOCKET_ATTACKS_MS + attackByAccountMs(roundSeconds) + 2_000 * MEMORY_SECONDS;
    const endsAtMs = options.endsAtMs && options.endsAtMs - restMs;
    const inProcess = await attackSyncServer({ ...options, endsAtMs }, CASES - SOCKET_CASES, failures);
    const shortFrames = isSmallest ? SOCKET_CASES_SMALLEST : SOCKET_CASES_SHORT;
    const frames = options.endsAtMs === undefined ? SOCKET_CASES : shortFrames;
    const overSockets = await attackServer(options.seed, frames, isSmallest);
    failures.push(...overSockets.failures);
    const accounts = await attackByAccount(roundSeconds, isSmallest);
    failures.push(...accounts.failures);
    failures.push(...(await attackMemory(MEMORY_SECONDS, isSmallest)));
    process.off("unhandledRejection", onRejection);
    return { cases: overSockets.frames + inProcess + accounts.attacks, failures };
  },
};

/** Rounds of full length, or as long as a time limit allows. */
function roundSecondsFor({ endsAtMs, isSmallest = false }: CampaignOptions): number {
  if (isSmallest) return ROUND_SECONDS_SMALLEST;
  if (endsAtMs === undefined) return ROUND_SECONDS;
  const leftMs = endsAtMs - performance.now() - SOCKET_ATTACKS_MS;
  const isEnough = leftMs >= attackByAccountMs(ROUND_SECONDS);
  return isEnough ? ROUND_SECONDS : ROUND_SECONDS_MIN;
}

/** Sends damaged messages directly to a server. */
async function attackSyncServer(
  options: CampaignOptions,
  casesWanted: number,
  failures: string[],
): Promise<number> {
  const { seed } = options;
  const server = await TargetSyncServer.create(seed);
  let cases = 0;
  let warmBytes: number | undefined;
  for (
    let wave = 0;
    goesOn(cases, { ...options, casesMax: casesWanted }) && failures.length < FAILURES_MAX;
    wave++
  ) {
    const { sent, faults } = await server.wave(casesWanted - cases);
    cases += sent;
    failures.push(...faults.map((fault) => `${fault}; seed ${seed}`));
    options.progress(cases);
    if (wave === WARM_WAVES) warmBytes = usedBytes();
  }
  failures.push(...(await server.calm()));
  const keptBytes = warmBytes === undefined ? 0 : usedBytes() - warmBytes;
  if (keptBytes > KEPT_BYTES_MAX) failures.push(`${keptBytes} bytes are kept for clients that have left`);
  if (server.slowestTickMs > TICK_MS_MAX) failures.push(`a tick took ${Math.round(server.slowestTickMs)} ms`);
  const goodbyes = [...server.goodbyes].map(([why, count]) => `${why} ${count}`).join(", ");
  const { asked, made } = server.honestEdits;
  console.log(`abuse: in this process: ${goodbyes}`);
  console.log(
    `abuse: in this process: ${made} of ${asked} honest edits applied, longest tick ` +
      `${Math.round(server.slowestTickMs)} ms, ${Math.round(keptBytes / 1024)} KiB kept`,
  );
  return cases;
}
