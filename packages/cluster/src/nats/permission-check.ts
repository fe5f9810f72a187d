import { setImmediate as nextTurn } from "node:timers/promises";
import { errors, headers, type NatsConnection } from "@nats-io/transport-node";
import { OrthantError } from "@orthant/core";
import { type NatsRole, NO_NAME, subjectsOf } from "./roles.ts";

/**
 * Tries every subject that a role uses. Throws `ORT_ENGINE_PERMISSION` with those that NATS does not permit. What it
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
    "ORT_ENGINE_PERMISSION",
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
