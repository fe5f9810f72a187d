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

/** The stream settings that this code depends on. */
export type StreamSettings = Partial<StreamConfig> & { readonly name: string };

/** Journal size and number of replicas. */
export interface StreamSizes {
  readonly replicas: number;
  readonly journalBytesMax: number;
}

const ATTEMPTS = 5;
const RETRY_MS = 100;
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
    max_bytes: sizes.journalBytesMax,
    allow_atomic: true,
    republish: {
      src: `${journalPrefix(world, shard)}*.*`,
      dest: `${feedPrefix(world, shard)}{{wildcard(1)}}.{{wildcard(2)}}`,
    },
  };
}

/** Returns a stream's state; `undefined` if it does not exist. Throws if its settings differ. */
export async function findStream(
  client: NatsClient,
  settings: StreamSettings,
): Promise<StreamInfo | undefined> {
  const info = await client.manage(`asking about the stream ${settings.name}`, async ({ streams }) => {
    try {
      return await streams.info(settings.name);
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
  for (let attempt = 1; ; attempt++) {
    try {
      if ((await findStream(client, settings)) !== undefined) return;
      const made = await makeStream(client, { ...settings, first_seq: firstSequence });
      if (made !== undefined) return requireSettings(settings, made.config);
    } catch (error) {
      if (attempt === ATTEMPTS || !isOrthantError(error, "ORT_ENGINE_AWAY")) throw error;
    }
    await delay(RETRY_MS * attempt);
  }
}

/** Returns `undefined` if another node was faster. */
function makeStream(client: NatsClient, settings: StreamSettings): Promise<StreamInfo | undefined> {
  return client.manage(`making the stream ${settings.name}`, async ({ streams }) => {
    try {
      return await streams.add(settings);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === REFUSAL.storageLimit) throw noRoom(settings, error);
      if (refusal === REFUSAL.streamExists) return undefined;
      throw error;
    }
  });
}

function noRoom({ name, max_bytes: bytes }: StreamSettings, cause: unknown): OrthantError {
  const problem = `NATS has no ${bytes} bytes to set aside for the stream ${name}`;
  const remedy =
    "Raise max_file_store in jetstream {}, to the largest size of a journal times the number of shards.";
  return new OrthantError("ORT_ENGINE_UNFIT", `${problem}. ${remedy}`, {}, { cause });
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
    .filter((key) => !isDeepStrictEqual(settings[key], stored[key]))
    .map(
      (key) =>
        `${key} is ${JSON.stringify(stored[key]) ?? "not set"} and has to be ${JSON.stringify(settings[key])}`,
    );
  if (wrong.length === 0) return;
  throw new OrthantError(
    "ORT_ENGINE_UNFIT",
    `the stream ${settings.name} of NATS has other settings: ${wrong.join("; ")}. ` +
      `Change it with "nats stream edit ${settings.name}", or give the node the options that fit.`,
  );
}
