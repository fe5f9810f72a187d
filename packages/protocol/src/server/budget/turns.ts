import type { ServerSession } from "../server-session.ts";
import type { PlayerBudget } from "./player-budget.ts";

/** Groups sessions by player, or by network for anonymous players; those before the welcome are one group. */
export function turnsByPlayer(sessions: Iterable<ServerSession>): ServerSession[][] {
  const byPlayer = new Map<PlayerBudget | undefined, ServerSession[]>();
  for (const session of sessions) {
    const player = session.visit?.budget.shared;
    const known = byPlayer.get(player);
    if (known === undefined) byPlayer.set(player, [session]);
    else known.push(session);
  }
  return [...byPlayer.values()];
}

/**
 * Returns all sessions in the order of a tick: one of each player, then a second one of those who have more,
 * and so on. Each tick starts with another player, and with another session of that player.
 */
export function inTurn(sessions: Iterable<ServerSession>, tickCount: number): readonly ServerSession[] {
  let players = rotated(turnsByPlayer(sessions), tickCount).map((own) => rotated(own, tickCount));
  const order: ServerSession[] = [];
  for (let round = 0; players.length > 0; round++) {
    for (const own of players) order.push(own[round] as ServerSession);
    players = players.filter(({ length }) => length > round + 1);
  }
  return order;
}

function rotated<Item>(items: readonly Item[], steps: number): readonly Item[] {
  const first = steps % Math.max(1, items.length);
  return first === 0 ? items : [...items.slice(first), ...items.slice(0, first)];
}
