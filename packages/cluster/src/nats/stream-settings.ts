import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from "@nats-io/jetstream";
import { isOrthantError, OrthantError } from "@orthant/core";
import {
  feedPrefix,
  journalPrefix,
  journalStream,
  TABLE_FEED_PREFIX,
  TABLE_PREFIX,
  TABLE_STREAM,
} from "./names.ts";
import { type NatsClient, REFUSAL, refusalOf } from "./nats-client.ts";
import { capacityOfServers, type ServerCapacity } from "./server-check.ts";

/** The stream settings that this code depends on. */
export type StreamSettings = Partial<StreamConfig> & { readonly name: string };

/** Largest size of a journal, and the number of replicas. */
export interface StreamSizes {
  readonly replicas: number;
  readonly journalBytesMax: number;
}

/** Size that NATS sets aside for a new journal: five seconds of edits of a busy shard. Rule K38. */
const JOURNAL_BYTES_MIN = 16 * 1024 * 1024;
/** Factor between two sizes of a journal. */
const JOURNAL_GROWTH = 4;

const ATTEMPTS = 5;
const RETRY_MS = 100;
/** Time after which NATS counts with the current room of its servers. */
const STALE_ROOM_MS = 20_000;
/** The shortest window NATS accepts; we never send a message twice. */
const DUPLICATE_WINDOW_NS = 100_000_000;

/** Settings of the table's stream: keeps the last value of every key and republishes each write. */
export function tableSettings({ replicas }: StreamSizes): StreamSettings {
  return {
    name: TABLE_STREAM,
    subjects: [`${TABLE_PREFIX}>`],
    ...kept(replicas),
    max_msgs_per_subject: 1,
    allow_rollup_hdrs: true,
    republish: { src: `${TABLE_PREFIX}>`, dest: `${TABLE_FEED_PREFIX}>` },
  };
}

/** Settings of a journal's stream: keeps records until trimmed, accepts batches, republishes region records. */
export function journalSettings(world: string, shard: string, sizes: StreamSizes): StreamSettings {
  return {
    name: journalStream(world, shard),
    subjects: [`${journalPrefix(world, shard)}>`],
    ...kept(sizes.replicas),
    max_msgs_per_subject: -1,
    max_bytes: journalSizeFor(0, sizes),
    allow_atomic: true,
    republish: {
      src: `${journalPrefix(world, shard)}*.*`,
      dest: `${feedPrefix(world, shard)}{{wildcard(1)}}.{{wildcard(2)}}`,
    },
  };
}

/** Returns the size of a journal that has to hold this many bytes, or the largest one. */
export function journalSizeFor(bytes: number, { journalBytesMax }: StreamSizes): number {
  let size = JOURNAL_BYTES_MIN;
  while (size < bytes) size *= JOURNAL_GROWTH;
  return Math.min(size, journalBytesMax);
}

/** Returns a stream's state; `undefined` if it does not exist. Throws if its settings differ. */
export async function findStream(
  client: NatsClient,
  settings: StreamSettings,
): Promise<StreamInfo | undefined> {
  const info = await client.manage(`asking about the stream ${settings.name}`, async ({ streams }) => {
    try {
      return await client.fromLeader(settings.name, streams.info(settings.name));
    } catch (error) {
      if (refusalOf(error) === REFUSAL.streamNotFound) return undefined;
      throw error;
    }
  });
  if (info !== undefined) requireSettings(settings, info.config);
  return info;
}

/**
 * Creates the stream if it does not exist, and checks the resulting settings, because old servers drop
 * unknown ones. When several nodes create it at once, NATS may report that it both exists and does not, or
 * not answer until it has a leader.
 */
export async function ensureStream(
  client: NatsClient,
  settings: StreamSettings,
  firstSequence = 1,
): Promise<void> {
  const staleUntil = performance.now() + STALE_ROOM_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      if ((await findStream(client, settings)) !== undefined) return;
      await requireRoom(client, settings);
      const made = await makeStream(client, { ...settings, first_seq: firstSequence });
      if (made !== undefined) return requireSettings(settings, made.config);
    } catch (error) {
      // NATS does not know yet about the room that the servers themselves have just reported.
      const isStale = refusalIn(error) === REFUSAL.noPeers && performance.now() < staleUntil;
      if (!isStale && (attempt >= ATTEMPTS || !isOrthantError(error, "ORT_BACKBONE_AWAY"))) throw error;
    }
    await delay(RETRY_MS * Math.min(attempt, ATTEMPTS));
  }
}

/** Returns the refusal of NATS that caused an error. */
function refusalIn(error: unknown): number | undefined {
  return error instanceof Error ? refusalOf(error.cause) : undefined;
}

/** Returns `undefined` if another node was faster. */
function makeStream(client: NatsClient, settings: StreamSettings): Promise<StreamInfo | undefined> {
  return client.manage(`making the stream ${settings.name}`, async ({ streams }) => {
    try {
      return await streams.add(settings);
    } catch (error) {
      if (isNoRoom(error)) throw noRoom(settings, error);
      if (refusalOf(error) === REFUSAL.streamExists) return undefined;
      throw error;
    }
  });
}

/**
 * Changes the size of a stream. Returns its size afterwards, which is the old one if NATS has no room for more.
 */
export async function resizeStream(
  client: NatsClient,
  { name, config, cluster }: { name: string } & Pick<StreamInfo, "config" | "cluster">,
  bytes: number,
): Promise<number> {
  const holders = [cluster?.leader, ...(cluster?.replicas ?? []).map((replica) => replica.name)];
  const added = bytes - config.max_bytes;
  if (added > 0) {
    const isHolder = ({ server }: ServerCapacity): boolean =>
      cluster === undefined || holders.includes(server);
    const room = await capacityOfServers(client);
    if (room.filter(isHolder).some(({ freeBytes }) => freeBytes < added)) return config.max_bytes;
  }
  return client.manage(`changing the size of the stream ${name}`, async ({ streams }) => {
    try {
      return (await streams.update(name, { ...config, max_bytes: bytes })).config.max_bytes;
    } catch (error) {
      if (isNoRoom(error)) return config.max_bytes;
      throw error;
    }
  });
}

/**
 * Throws `ORT_BACKBONE_FULL` unless enough servers have room for a stream. NATS itself counts with figures that are some
 * seconds old, and so sets aside more than it has when several streams are made in a short time.
 */
async function requireRoom(client: NatsClient, settings: StreamSettings): Promise<void> {
  const { max_bytes: bytes = 0, num_replicas: replicas = 1 } = settings;
  if (bytes <= 0) return;
  const servers = await capacityOfServers(client);
  const fitting = servers.filter(({ freeBytes }) => freeBytes >= bytes);
  if (fitting.length < Math.min(replicas, servers.length)) throw noRoom(settings, undefined, servers);
}

/** Returns true if NATS refuses because it has no room. It calls a lack of servers and a lack of room alike. */
function isNoRoom(error: unknown): boolean {
  const refusal = refusalOf(error);
  if (refusal === REFUSAL.noPeers) return error instanceof Error && error.message.includes("insufficient");
  return refusal !== undefined && NO_ROOM.includes(refusal);
}

const NO_ROOM: readonly number[] = [
  REFUSAL.accountLimit,
  REFUSAL.noResources,
  REFUSAL.streamsLimit,
  REFUSAL.storageLimit,
];

function noRoom(
  { name, max_bytes: bytes }: StreamSettings,
  cause: unknown,
  servers: readonly ServerCapacity[] = [],
): OrthantError {
  const problem = `NATS has no ${bytes} bytes to set aside for the stream ${name}`;
  const room = servers
    .map(({ server, freeBytes, bytesMax }) => `${server} has ${freeBytes} of ${bytesMax} bytes left`)
    .join(", ");
  const remedy =
    "Raise max_file_store in jetstream {} of each server, or remove journals of worlds that are gone.";
  const detail = `${problem}${room === "" ? "" : `: ${room}`}. ${remedy}`;
  return new OrthantError("ORT_BACKBONE_FULL", detail, {}, { cause });
}

function kept(replicas: number): Partial<StreamConfig> {
  return {
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    num_replicas: replicas,
    max_age: 0,
    max_msgs: -1,
    deny_delete: true,
    deny_purge: false,
    allow_direct: true,
    duplicate_window: DUPLICATE_WINDOW_NS,
  };
}

function requireSettings(settings: StreamSettings, stored: StreamConfig): void {
  const wrong = (Object.keys(settings) as (keyof StreamConfig)[])
    // A journal's size follows its need, but it has one.
    .filter((key) => !(key === "max_bytes" && stored.max_bytes > 0))
    // NATS denies every change of a sealed stream. An owner replaces it.
    .filter((key) => !(key === "deny_purge" && stored.sealed))
    .filter((key) => !isDeepStrictEqual(settings[key], stored[key]))
    .map(
      (key) =>
        `${key} is ${JSON.stringify(stored[key]) ?? "not set"} and has to be ${JSON.stringify(settings[key])}`,
    );
  if (wrong.length === 0) return;
  throw new OrthantError(
    "ORT_BACKBONE_UNFIT",
    `the stream ${settings.name} of NATS has other settings: ${wrong.join("; ")}. ` +
      `Change it with "nats stream edit ${settings.name}", or give the node the options that fit.`,
  );
}
