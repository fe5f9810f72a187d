import { OrthantError, PATCH_BYTES_MAX } from "@orthant/core";
import { isNobody } from "./failure.ts";
import type { NatsLink } from "./nats-link.ts";

/** Servers answer here what they are set to. It is a door out of the system account that the configuration opens. */
const SERVER_SETTINGS_SUBJECT = "orthant.jsz";

/** Atomic batches came with this version; older servers take them for single messages. */
const OLDEST_VERSION: readonly [major: number, minor: number] = [2, 12];
/** A patch, and what is said about it. */
const PAYLOAD_BYTES_MIN = PATCH_BYTES_MAX + 65_536;
interface ServerSettings {
  readonly server: { readonly name: string; readonly ver: string };
  readonly data?: {
    readonly config?: { readonly sync_always?: boolean };
    readonly meta_cluster?: { readonly cluster_size?: number };
  };
}

/** Refuses to work with servers that would lose what they acknowledged, and says what to change. */
export async function checkServers(link: NatsLink, replicas: number): Promise<void> {
  const { version = "unknown", max_payload: payload = 0 } = link.connection.info ?? {};
  mustBeNewEnough("the server", version);
  if (payload < PAYLOAD_BYTES_MIN) {
    unfit(
      `the server takes messages of ${payload} bytes, ${PAYLOAD_BYTES_MIN} are needed`,
      `max_payload: 2MB`,
    );
  }
  const servers = (await askSettings(link)).filter(({ data }) => data?.config !== undefined);
  const quorum = Math.floor(replicas / 2) + 1;
  if (servers.length < quorum) {
    throw new OrthantError(
      "ORT_ENGINE_AWAY",
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

/** The answers of all servers that belong together, or of those that answer in time. */
async function askSettings(link: NatsLink): Promise<readonly ServerSettings[]> {
  const answers: ServerSettings[] = [];
  try {
    const question = JSON.stringify({ config: true });
    const messages = await link.connection.requestMany(SERVER_SETTINGS_SUBJECT, question, {
      strategy: "timer",
      maxWait: link.timeoutMilliseconds,
    });
    for await (const message of messages) {
      answers.push(message.json<ServerSettings>());
      const sizes = answers.map(({ data }) => data?.meta_cluster?.cluster_size ?? 1);
      if (answers.length >= Math.max(...sizes)) break;
    }
  } catch (error) {
    if (!isNobody(error)) throw error;
  }
  if (answers.length > 0) return answers;
  return unfit(
    `no server says how it is set: nobody answers at ${SERVER_SETTINGS_SUBJECT}`,
    `in the system account exports: [{ service: "$SYS.REQ.SERVER.PING.JSZ", response_type: stream }], and in Orthant's ` +
      `imports: [{ service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ" }, to: "${SERVER_SETTINGS_SUBJECT}" }]`,
  );
}

function mustBeNewEnough(server: string, version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_VERSION;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new OrthantError(
    "ORT_ENGINE_UNFIT",
    `${server} is NATS ${version}, and ${OLDEST_VERSION.join(".")} is the oldest that a cluster can run on: upgrade it`,
  );
}

function unfit(problem: string, setting: string): never {
  throw new OrthantError("ORT_ENGINE_UNFIT", `${problem}. Write into its configuration: ${setting}`);
}
