import { OrthantError } from "@orthant/core";
import { RECORD_BYTES_MAX } from "../shard/shard-record.ts";
import { SERVER_SETTINGS_SUBJECT } from "./names.ts";
import { isNoResponder, type NatsClient } from "./nats-client.ts";

/** The first version with atomic batches; older servers treat a batch as single messages. */
const OLDEST_VERSION: readonly [major: number, minor: number] = [2, 12];
/** Size of a record of a journal plus its metadata. */
const PAYLOAD_BYTES_MIN = RECORD_BYTES_MAX + 65_536;
/** Time to wait for the servers that report their room. */
const ROOM_MS_MAX = 1_000;

/** What a server reports about itself. */
interface ServerSettings {
  readonly server: { readonly name: string; readonly ver: string };
  readonly data?: {
    readonly config?: { readonly sync_always?: boolean; readonly max_storage?: number };
    /** Bytes that streams hold on the server's disk, and bytes that are set aside for them. */
    readonly storage?: number;
    readonly reserved_storage?: number;
    readonly meta_cluster?: { readonly cluster_size?: number };
  };
}

/** Throws if the servers could lose what they acknowledged; the message says what to change. */
export async function checkServers(client: NatsClient, replicas: number): Promise<void> {
  const { version = "unknown", max_payload: payload = 0 } = client.connection.info ?? {};
  mustBeNewEnough("the server", version);
  if (payload < PAYLOAD_BYTES_MIN) {
    unfit(
      `the server takes messages of ${payload} bytes, ${PAYLOAD_BYTES_MIN} are needed`,
      `max_payload: 2MB`,
    );
  }
  const servers = (await askSettings(client)).filter(({ data }) => data?.config !== undefined);
  const quorum = Math.floor(replicas / 2) + 1;
  if (servers.length < quorum) {
    throw new OrthantError(
      "ORT_BACKBONE_AWAY",
      `${servers.length} NATS servers with JetStream answer, ${quorum} are needed for ${replicas} replicas`,
    );
  }
  for (const { server, data } of servers) {
    mustBeNewEnough(`the server ${server.name}`, server.ver);
    if (data?.config?.sync_always !== true) {
      unfit(
        `the server ${server.name} acknowledges what it has not synced to its disk`,
        "jetstream { sync_interval: always }",
      );
    }
  }
}

/** The room that a server has for streams. */
export interface ServerCapacity {
  readonly server: string;
  /** Its `max_file_store`, and how much of that no stream has set aside or uses. */
  readonly bytesMax: number;
  readonly freeBytes: number;
}

/** Returns the room of all servers that answer within a second. */
export async function capacityOfServers(client: NatsClient): Promise<readonly ServerCapacity[]> {
  const servers = await askSettings(client, ROOM_MS_MAX);
  return servers.flatMap(({ server, data }) => {
    const bytesMax = data?.config?.max_storage;
    if (data === undefined || bytesMax === undefined) return [];
    const used = Math.max(data.reserved_storage ?? 0, data.storage ?? 0);
    return [{ server: server.name, bytesMax, freeBytes: Math.max(0, bytesMax - used) }];
  });
}

/** Returns the answers of all servers in the cluster, or of those that answer in time. */
async function askSettings(
  client: NatsClient,
  maxWait: number = client.timeoutMilliseconds,
): Promise<readonly ServerSettings[]> {
  const answers: ServerSettings[] = [];
  try {
    const request = JSON.stringify({ config: true });
    const messages = await client.connection.requestMany(SERVER_SETTINGS_SUBJECT, request, {
      strategy: "timer",
      maxWait,
    });
    for await (const message of messages) {
      answers.push(message.json<ServerSettings>());
      const sizes = answers.map(({ data }) => data?.meta_cluster?.cluster_size ?? 1);
      if (answers.length >= Math.max(...sizes)) break;
    }
  } catch (error) {
    if (!isNoResponder(error)) throw error;
  }
  if (answers.length > 0) return answers;
  return unfit(
    `no server reports its settings at ${SERVER_SETTINGS_SUBJECT}`,
    `in the system account exports: [{ service: "$SYS.REQ.SERVER.PING.JSZ", response_type: stream }], and in Orthant's ` +
      `imports: [{ service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ" }, to: "${SERVER_SETTINGS_SUBJECT}" }]`,
  );
}

function mustBeNewEnough(server: string, version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_VERSION;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new OrthantError(
    "ORT_BACKBONE_UNFIT",
    `${server} is NATS ${version}, and ${OLDEST_VERSION.join(".")} is the oldest that a cluster can run on: upgrade it`,
  );
}

function unfit(problem: string, setting: string): never {
  throw new OrthantError("ORT_BACKBONE_UNFIT", `${problem}. Write into its configuration: ${setting}`);
}
