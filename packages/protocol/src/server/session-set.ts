import type { Fault } from "./connection/fault.ts";
import type { Arrival } from "./connection/handshake.ts";
import type { ServerSession } from "./server-session.ts";
import type { Visit } from "./visit.ts";

/** The owner of a session. */
interface Entry {
  readonly clientId: bigint;
  readonly playerId: bigint;
}

/** The joined sessions: each client once, and any number of clients per player. */
export class SessionSet {
  readonly #entries = new Map<ServerSession, Entry>();
  readonly #byClient = new Map<bigint, ServerSession>();
  readonly #byPlayer = new Map<bigint, Set<ServerSession>>();

  /** Returns the visits of all players. */
  visits(): readonly Visit[] {
    return visitsOf(this.#entries.keys());
  }

  /** Returns the visits of one player. */
  visitsOf(playerId: bigint): readonly Visit[] {
    return visitsOf(this.sessionsOf(playerId));
  }

  /** Returns the sessions of one player. */
  sessionsOf(playerId: bigint): readonly ServerSession[] {
    return [...(this.#byPlayer.get(playerId) ?? [])];
  }

  /** Adds a session and disconnects an earlier one of its client. Returns why it must not join, if so. */
  add(session: ServerSession, { hello, account }: Arrival): Fault | undefined {
    const { clientId } = hello;
    const { playerId } = account;
    const other = this.#byClient.get(clientId);
    if (other !== undefined && this.#entries.get(other)?.playerId !== playerId) {
      return { reason: "credentials", detail: "the client is somebody else's" };
    }
    other?.goodbye({ reason: "replaced", detail: "the client has connected again" });
    this.#entries.set(session, { clientId, playerId });
    this.#byClient.set(clientId, session);
    const sessions = this.#byPlayer.get(playerId) ?? new Set();
    this.#byPlayer.set(playerId, sessions.add(session));
    return undefined;
  }

  /** Removes a session. Returns its client's id if it was present. */
  remove(session: ServerSession): bigint | undefined {
    const entry = this.#entries.get(session);
    if (entry === undefined) return undefined;
    this.#entries.delete(session);
    this.#byClient.delete(entry.clientId);
    const sessions = this.#byPlayer.get(entry.playerId);
    sessions?.delete(session);
    if (sessions?.size === 0) this.#byPlayer.delete(entry.playerId);
    return entry.clientId;
  }
}

function visitsOf(sessions: Iterable<ServerSession>): readonly Visit[] {
  return Array.from(sessions).flatMap(({ visit }) => visit ?? []);
}
