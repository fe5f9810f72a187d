import type { ClientSession } from "./client-session.ts";
import type { Fault } from "./connection/fault.ts";
import type { Arrival } from "./connection/handshake.ts";
import type { Visit } from "./visit.ts";

/** Whose session it is. */
interface Entry {
  readonly clientId: bigint;
  readonly playerId: bigint;
}

/** Who is in: each client once, and players with as many clients as they like. */
export class Roster {
  readonly #entries = new Map<ClientSession, Entry>();
  readonly #byClient = new Map<bigint, ClientSession>();
  readonly #byPlayer = new Map<bigint, Set<ClientSession>>();

  /** Everybody who is in. */
  visits(): readonly Visit[] {
    return visitsOf(this.#entries.keys());
  }

  /** The visits of one player. */
  visitsOf(playerId: bigint): readonly Visit[] {
    return visitsOf(this.sessionsOf(playerId));
  }

  /** The sessions of one player. */
  sessionsOf(playerId: bigint): readonly ClientSession[] {
    return [...(this.#byPlayer.get(playerId) ?? [])];
  }

  /** Puts a client on the list, and sends away who was on it with the same id; why it must not be, if so. */
  add(session: ClientSession, { hello, account }: Arrival): Fault | undefined {
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

  /** Takes a session off the list; gives its client's id, if it was on it. */
  remove(session: ClientSession): bigint | undefined {
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

function visitsOf(sessions: Iterable<ClientSession>): readonly Visit[] {
  return Array.from(sessions).flatMap(({ visit }) => visit ?? []);
}
