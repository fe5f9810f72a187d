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

/** What told players are given. */
export interface ToldPlayersOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly world: string;
  readonly shape: ChunkShape;
  /** The gateway's own mark, which no other one has. */
  readonly gateway: bigint;
}

interface Cell {
  readonly place: Place;
  readonly players: Map<number, ToldPlayer>;
  /** Those who came or moved since it was told. */
  readonly changed: Set<number>;
  /** Whether somebody left since it was told. */
  isLeft: boolean;
}

/** What changes is told so often and no more. Rule K29. */
const TELL_MS = 100;

/** Tells other gateways of the players of this one, cell by cell. */
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

  /** A player came or moved. */
  present(player: ToldPlayer): void {
    if (this.#isClosed) return;
    const place = cellOfPosition(this.#options.shape, player.position);
    const before = this.#cellOfVisit.get(player.visit);
    if (before !== undefined && !placesEqual(before.place, place)) this.gone(player.visit);
    const cell = this.#cellAt(place);
    // In a crowd of that size nobody could be shown more.
    if (!cell.players.has(player.visit) && cell.players.size >= PLAYERS_TOLD_MAX) return;
    cell.players.set(player.visit, player);
    cell.changed.add(player.visit);
    this.#cellOfVisit.set(player.visit, cell);
    this.#tellSoon();
  }

  /** A player went. */
  gone(visit: number): void {
    const cell = this.#cellOfVisit.get(visit);
    if (cell === undefined) return;
    this.#cellOfVisit.delete(visit);
    cell.players.delete(visit);
    cell.changed.delete(visit);
    cell.isLeft = true;
    this.#tellSoon();
  }

  /** Tells of all players: whoever listens since a moment ago, or missed something, knows them then. */
  tellAll(): void {
    for (const cell of [...this.#cells.values()]) this.#tellWhole(cell);
  }

  /** Everybody is gone, and nobody comes any more. */
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

  /** Who went from one cell to another is told of in the new one first: nobody who sees both loses sight of them. */
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
