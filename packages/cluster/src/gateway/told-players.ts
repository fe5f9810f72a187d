import {
  type ChunkShape,
  type Clock,
  encode,
  type Place,
  PlaceMap,
  placesEqual,
  type Timer,
} from "@orthant/core";
import type { Engine } from "../engine/engine.ts";
import { cellOfPosition } from "../shard/cells.ts";
import { nameOfPlace, presenceTopic } from "../shard/names.ts";
import { PLAYERS_TOLD_MAX, presenceCodec, type ToldPlayer } from "../shard/presence-message.ts";

/** Dependencies of the told players. */
export interface ToldPlayersOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly world: string;
  readonly shape: ChunkShape;
  /** The gateway's unique mark. */
  readonly gateway: bigint;
}

interface Cell {
  readonly place: Place;
  readonly players: Map<number, ToldPlayer>;
  /** Players who arrived or moved since the last message. */
  readonly changed: Set<number>;
  /** True if a player left since the last message. */
  isLeft: boolean;
}

/** Minimum interval between messages about changes. Rule K29. */
const TELL_MS = 100;

/** Tells other gateways about the players of this one, cell by cell. */
export class ToldPlayers {
  readonly #options: ToldPlayersOptions;
  readonly #cells = new PlaceMap<Cell>();
  readonly #cellOfVisit = new Map<number, Cell>();
  #timer: Timer | undefined;
  #toldMs = -Infinity;
  #isClosed = false;

  constructor(options: ToldPlayersOptions) {
    this.#options = options;
  }

  /** Reports a player who joined or moved. */
  present(player: ToldPlayer): void {
    if (this.#isClosed) return;
    const place = cellOfPosition(this.#options.shape, player.position);
    const before = this.#cellOfVisit.get(player.visit);
    if (before !== undefined && !placesEqual(before.place, place)) this.gone(player.visit);
    const cell = this.#cellAt(place);
    // No client could be shown more players in one place.
    if (!cell.players.has(player.visit) && cell.players.size >= PLAYERS_TOLD_MAX) return;
    cell.players.set(player.visit, player);
    cell.changed.add(player.visit);
    this.#cellOfVisit.set(player.visit, cell);
    this.#tellSoon();
  }

  /** Reports a player who left. */
  gone(visit: number): void {
    const cell = this.#cellOfVisit.get(visit);
    if (cell === undefined) return;
    this.#cellOfVisit.delete(visit);
    cell.players.delete(visit);
    cell.changed.delete(visit);
    cell.isLeft = true;
    this.#tellSoon();
  }

  /** Sends all players, for gateways that have just begun to listen or missed a message. */
  tellAll(): void {
    for (const cell of [...this.#cells.values()]) this.#tellWhole(cell);
  }

  /** Reports all players as gone and accepts no more. */
  close(): void {
    this.#isClosed = true;
    for (const visit of [...this.#cellOfVisit.keys()]) this.gone(visit);
    this.#timer?.cancel();
    this.#tellChanges();
  }

  #cellAt(place: Place): Cell {
    const known = this.#cells.get(...place);
    if (known !== undefined) return known;
    const cell: Cell = { place, players: new Map(), changed: new Set(), isLeft: false };
    this.#cells.set(...place, cell);
    return cell;
  }

  #tellSoon(): void {
    if (this.#timer !== undefined) return;
    const { clock } = this.#options;
    const sinceMs = Math.abs(clock.nowMs() - this.#toldMs);
    this.#timer = clock.after(Math.max(0, TELL_MS - sinceMs), () => {
      this.#timer = undefined;
      this.#toldMs = clock.nowMs();
      this.#tellChanges();
    });
  }

  /** Reports players in their new cell first, so that an observer of both cells never loses sight of them. */
  #tellChanges(): void {
    const cells = [...this.#cells.values()];
    for (const { place, players, changed } of cells) {
      if (changed.size === 0) continue;
      this.#tell(place, false, Array.from(changed, (visit) => players.get(visit)).filter(isThere));
      changed.clear();
    }
    for (const cell of cells) if (cell.isLeft) this.#tellWhole(cell);
  }

  #tellWhole(cell: Cell): void {
    this.#tell(cell.place, true, [...cell.players.values()]);
    cell.isLeft = false;
    if (cell.players.size === 0) this.#cells.delete(...cell.place);
  }

  #tell(cell: Place, isWhole: boolean, unsorted: readonly ToldPlayer[]): void {
    const { engine, world, gateway } = this.#options;
    const players = [...unsorted].sort((a, b) => a.visit - b.visit);
    engine.tell(
      presenceTopic(world, nameOfPlace(cell)),
      encode(presenceCodec, { gateway, isWhole, players }),
    );
  }
}

function isThere(player: ToldPlayer | undefined): player is ToldPlayer {
  return player !== undefined;
}
