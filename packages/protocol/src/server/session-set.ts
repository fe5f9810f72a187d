import { getOrAdd } from "@orthant/core/lattice";
import type { Account } from "./account.ts";
import { type PlayerBudget, PlayerBudgets } from "./budget/player-budget.ts";
import { type Disconnect, limitExceeded } from "./disconnect.ts";
import type { SyncLimits } from "./sync-limits.ts";

/** What a set knows of its sessions. */
interface Session {
  readonly network: string | undefined;
  /** `undefined` before the client has joined. */
  readonly budget: PlayerBudget | undefined;
  goodbye(disconnect: Disconnect): void;
}

/** The client of a joined session. */
interface Member {
  readonly clientId: bigint;
  readonly playerId: bigint;
  /** The budget that the session counts against; `undefined` if it exceeded the budget. */
  budget: PlayerBudget | undefined;
}

/** All sessions, with the joined ones by client (each client once) and by player (any number of clients). */
export class SessionSet<S extends Session> implements Iterable<S> {
  readonly #limits: SyncLimits;
  readonly #budgets: PlayerBudgets;
  readonly #sessions = new Set<S>();
  readonly #members = new Map<S, Member>();
  readonly #byClient = new Map<bigint, S>();
  readonly #byPlayer = new Map<bigint, Set<S>>();
  /** Sessions with work of their own in the next tick. All others only get what their audiences do. */
  readonly #awake = new Set<S>();
  /** Sessions whose players want other poses. */
  moving: S[] = [];
  /** Visits all sessions in turn. */
  #visits: Iterator<S> = this.#sessions.values();

  constructor(limits: SyncLimits) {
    this.#limits = limits;
    this.#budgets = new PlayerBudgets(limits);
  }

  /** Number of sessions, joined or not. */
  get size(): number {
    return this.#sessions.size;
  }

  [Symbol.iterator](): Iterator<S> {
    return this.#sessions.values();
  }

  /** Returns the joined sessions. */
  joined(): readonly S[] {
    return [...this.#members.keys()];
  }

  /** Returns the joined sessions of one player. */
  ofPlayer(playerId: bigint): readonly S[] {
    return [...(this.#byPlayer.get(playerId) ?? [])];
  }

  /** Adds a new connection. */
  add(session: S): void {
    this.#sessions.add(session);
    this.#awake.add(session);
  }

  /** Gives a session work of its own in each tick, until it sleeps. */
  wake(session: S): void {
    if (this.#sessions.has(session)) this.#awake.add(session);
  }

  /** Ends that. */
  sleep(session: S): void {
    this.#awake.delete(session);
  }

  /** Returns the next `share` of all sessions, so that each has its turn after `1 / share` calls. */
  visit(share: number): readonly S[] {
    const visited: S[] = [];
    const count = Math.ceil(Math.min(1, share) * this.size);
    for (let index = 0; index < count; index++) {
      let next = this.#visits.next();
      if (next.done === true) {
        this.#visits = this.#sessions.values();
        next = this.#visits.next();
      }
      if (next.done !== true) visited.push(next.value);
    }
    return visited;
  }

  /**
   * Binds a session to its client, and disconnects an earlier session of the same client. Returns the
   * budget that the session counts against, or why it must not join.
   */
  join(session: S, clientId: bigint, account: Account): PlayerBudget | Disconnect {
    const { playerId } = account;
    const other = this.#byClient.get(clientId);
    if (other !== undefined && this.#members.get(other)?.playerId !== playerId) {
      return { reason: "credentials", detail: "the client belongs to another player" };
    }
    other?.goodbye({ reason: "replaced", detail: "the client has connected again" });
    const member: Member = { clientId, playerId, budget: undefined };
    this.#members.set(session, member);
    this.#byClient.set(clientId, session);
    const sessions = this.#byPlayer.get(playerId) ?? new Set();
    this.#byPlayer.set(playerId, sessions.add(session));
    const budget = this.#budgets.of(account, session.network);
    const exceeded = this.#budgets.enter(budget);
    if (exceeded !== undefined) return limitExceeded(exceeded, this.#limits);
    member.budget = budget;
    return budget;
  }

  /** Removes a session. Returns its client's id if it had joined. */
  leave(session: S): bigint | undefined {
    this.#sessions.delete(session);
    this.#awake.delete(session);
    const member = this.#members.get(session);
    if (member === undefined) return undefined;
    const { clientId, playerId, budget } = member;
    budget?.leave();
    this.#members.delete(session);
    this.#byClient.delete(clientId);
    const sessions = this.#byPlayer.get(playerId);
    sessions?.delete(session);
    if (sessions?.size === 0) this.#byPlayer.delete(playerId);
    return clientId;
  }

  /**
   * Returns the sessions with work of their own, in the order of a tick: one of each player, then a second one of those who have
   * more, and so on. Each tick starts with another player, and with another session of that player.
   */
  inTurn(tickCount: number): readonly S[] {
    let players = rotated(turnsByPlayer(this.#awake), tickCount);
    const order: S[] = [];
    for (let round = 0; players.length > 0; round++) {
      for (const own of players) order.push(own[(round + tickCount) % own.length] as S);
      players = players.filter(({ length }) => length > round + 1);
    }
    return order;
  }

  /** Drops the budgets of players who left and whose budgets are full again. */
  clean(nowMs: number): void {
    this.#budgets.clean(nowMs);
  }
}

/** Groups sessions by player, or by network for anonymous players; those before the join are one group. */
export function turnsByPlayer<S extends Session>(sessions: Iterable<S>): S[][] {
  const byPlayer = new Map<PlayerBudget | undefined, S[]>();
  for (const session of sessions) {
    const player = session.budget?.shared;
    getOrAdd(byPlayer, player, () => []).push(session);
  }
  return [...byPlayer.values()];
}

function rotated<Item>(items: readonly Item[], steps: number): readonly Item[] {
  const first = steps % Math.max(1, items.length);
  return first === 0 ? items : [...items.slice(first), ...items.slice(0, first)];
}
