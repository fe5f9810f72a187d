import { setImmediate as nextTurn } from "node:timers/promises";
import { errors, headers, type NatsConnection } from "@nats-io/transport-node";
import { OrthantError } from "@orthant/core";
import { nodeAddress, ownerAddress, presenceTopic, transferAddress } from "../shard/names.ts";
import {
  addressSubject,
  feedPrefix,
  inboxPrefix,
  journalSubject,
  LEADER_ELECTED,
  SERVER_SETTINGS_SUBJECT,
  TABLE_FEED_PREFIX,
  TABLE_STREAM,
  tableSubject,
  topicSubject,
} from "./names.ts";

/**
 * What a process does in a cluster, which decides what it has to be permitted. An `operator` is `orthant cluster`; a
 * process that owns shards and accepts players has two connections.
 */
export type NatsRole = "owner" | "gateway" | "operator";

/** A subject that a role publishes or subscribes to, and the family for the permissions of its user. */
export interface SubjectUse {
  readonly action: "publish" | "subscribe";
  readonly family: string;
  /** A subject of the family that no process uses, so that trying it has no effect. */
  readonly probe: string;
}

/** No world, shard, node, sector, key or stream has this name. */
const NO_NAME = "-";
/** Subjects of the answers to operators and, through the accounts of NATS, to gateways. */
const ANSWERS = ["_R_", inboxPrefix("operator")];
const TABLE_REQUESTS = ["STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET"];
const STREAM_REQUESTS = ["INFO", "CREATE", "UPDATE", "PURGE", "DELETE"].map((what) => `STREAM.${what}`);

/** Returns all subjects that a role uses, with `api` as the prefix of its requests to JetStream. */
export function subjectsOf(role: NatsRole, api: string, user: string | undefined): readonly SubjectUse[] {
  const subscribed = [
    use("subscribe", `${TABLE_FEED_PREFIX}${NO_NAME}`, 1),
    use("subscribe", `${inboxPrefix(user)}.${NO_NAME}`, inboxPrefix(user).split(".").length),
    { action: "subscribe", family: `${LEADER_ELECTED}*`, probe: LEADER_ELECTED + NO_NAME } as const,
  ];
  const settings = exactly(SERVER_SETTINGS_SUBJECT);
  const requestsToOwners = addressSubject(ownerAddress(NO_NAME, NO_NAME, 1));
  const transfers = addressSubject(transferAddress(NO_NAME, NO_NAME, 1));
  const commands = addressSubject(nodeAddress(NO_NAME, NO_NAME));
  const presence = topicSubject(presenceTopic(NO_NAME, NO_NAME));
  if (role === "gateway") {
    return [
      use("publish", requestsToOwners, 2),
      use("publish", presence, 2),
      ...TABLE_REQUESTS.map((request) => exactly(`${api}.${request}.${TABLE_STREAM}`)),
      settings,
      ...subscribed,
      use("subscribe", `${feedPrefix(NO_NAME, NO_NAME)}${NO_NAME}.${NO_NAME}`, 1),
      use("subscribe", presence, 2),
    ];
  }
  const stored = [
    use("publish", tableSubject(NO_NAME), 2),
    ...STREAM_REQUESTS.map((request) => use("publish", `${api}.${request}.${NO_NAME}`, 2)),
    ...TABLE_REQUESTS.map((request) => use("publish", `${api}.${request}.${NO_NAME}`, 2)),
    settings,
    ...subscribed,
  ];
  if (role === "operator") return [use("publish", commands, 2), ...stored];
  return [
    use("publish", journalSubject(NO_NAME, NO_NAME, { kind: "control" }), 1),
    // Owners answer each other, too.
    ...[...ANSWERS, inboxPrefix(user)].map((prefix) =>
      use("publish", `${prefix}.${NO_NAME}`, prefix.split(".").length),
    ),
    ...stored,
    use("publish", transfers, 2),
    use("subscribe", requestsToOwners, 2),
    use("subscribe", transfers, 2),
    use("subscribe", commands, 2),
  ];
}

/** Returns the use of a subject, whose family has its first `tokens` parts in common. */
function use(action: SubjectUse["action"], probe: string, tokens: number): SubjectUse {
  return { action, family: `${probe.split(".").slice(0, tokens).join(".")}.>`, probe };
}

/** Returns the use of one subject that has no effect by itself. */
function exactly(subject: string): SubjectUse {
  return { action: "publish", family: subject, probe: subject };
}

/**
 * Tries every subject that a role uses. Throws `ORT_BACKBONE_PERMISSION` with those that NATS does not permit. What it
 * publishes has no effect: no stream has these subjects, or the stream rejects the message for its headers.
 */
export async function requirePermissions(
  connection: NatsConnection,
  role: NatsRole,
  api: string,
  user: string | undefined,
): Promise<void> {
  const uses = subjectsOf(role, api, user);
  const refused = new Set<string>();
  const watching = watchRefusals(connection, refused);
  const unexpected = headers();
  unexpected.set("Nats-Expected-Stream", NO_NAME);
  const subscriptions = uses
    .filter(({ action }) => action === "subscribe")
    .map(({ probe }) => connection.subscribe(probe, { callback: () => undefined }));
  for (const { action, probe } of uses)
    if (action === "publish") connection.publish(probe, "", { headers: unexpected });
  // The server sends its refusals before it answers this.
  await connection.flush();
  await nextTurn();
  for (const subscription of subscriptions) subscription.unsubscribe();
  watching.end();
  const missing = uses.filter(({ action, probe }) => refused.has(`${action} ${probe}`));
  if (missing.length === 0) return;
  const wanted = [...new Set(missing.map(({ action, family }) => `${action} "${family}"`))].join(", ");
  const who = user === undefined ? "the user" : `user ${user}`;
  throw new OrthantError(
    "ORT_BACKBONE_PERMISSION",
    `NATS does not permit ${who} what a process in the role ${role} has to do: ${wanted}. ` +
      `Add this to the permissions of the user in the configuration of NATS, or use the credentials of the role`,
  );
}

/** Collects the refusals of NATS until `end` is called. */
function watchRefusals(connection: NatsConnection, refused: Set<string>): { end(): void } {
  const statuses = connection.status();
  const watch = async (): Promise<void> => {
    for await (const status of statuses) {
      if (status.type !== "error" || !(status.error instanceof errors.PermissionViolationError)) continue;
      const { operation, subject } = status.error;
      refused.add(`${operation === "subscription" ? "subscribe" : "publish"} ${subject}`);
    }
  };
  void watch();
  return { end: () => (statuses as { stop?(): void }).stop?.() };
}
