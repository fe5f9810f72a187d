import { bytes, type Codec, list, OrthantError, option, string } from "@orthant/core";
import { type Vector, vectorCodec } from "./vector.ts";

/** The stored state of a player. Positions and orientations have 32-bit float precision. */
export interface StoredPlayer {
  readonly playerId: bigint;
  /** Key that proves the player's identity; empty without one. */
  readonly authKey: Uint8Array;
  readonly name: string | undefined;
  readonly position: Vector;
  readonly orientation: Vector;
  readonly tags: readonly string[];
  readonly inventory: Uint8Array;
  readonly metadata: readonly (readonly [key: string, value: Uint8Array])[];
  readonly lastSavedMs: number;
}

/** Maximum number of players in a world. */
export const PLAYERS_MAX = 10_000_000;
/** Maximum number of tags or metadata entries of one player or entity. */
const TAGS_MAX = 65_536;
/** Maximum bytes of a name, tag or key. */
export const TEXT_BYTES_MAX = 65_536;

const text = string(TEXT_BYTES_MAX);
const optionalText = option(text);
/** Codec of the tags of a player or entity. */
export const tagsCodec: Codec<readonly string[]> = list(text, TAGS_MAX);
const value = bytes();
const metadataCodec = list<readonly [string, Uint8Array]>(
  {
    write(out, [key, content]) {
      text.write(out, key);
      value.write(out, content);
    },
    read: (input) => [text.read(input), value.read(input)],
  },
  TAGS_MAX,
);

const storedPlayerCodec: Codec<StoredPlayer> = {
  write(out, player) {
    out.varU64(player.playerId);
    out.bytes(player.authKey);
    optionalText.write(out, player.name);
    vectorCodec.write(out, player.position);
    vectorCodec.write(out, player.orientation);
    tagsCodec.write(out, player.tags);
    out.bytes(player.inventory);
    metadataCodec.write(out, player.metadata);
    out.varUint(player.lastSavedMs);
  },

  read: (input) => ({
    playerId: input.varU64(),
    authKey: input.bytes(),
    name: optionalText.read(input),
    position: vectorCodec.read(input),
    orientation: vectorCodec.read(input),
    tags: tagsCodec.read(input),
    inventory: input.bytes(),
    metadata: metadataCodec.read(input),
    lastSavedMs: input.varUint(),
  }),
};

const records = list(storedPlayerCodec, PLAYERS_MAX);

/** Codec of the payload: players in order of unique ids. Rules S18 and S19. */
export const playersCodec: Codec<readonly StoredPlayer[]> = {
  write(out, players) {
    const twice = findDisorder(players);
    if (twice !== undefined) throw new OrthantError("ORT_ARGUMENT", `player ${twice} is out of order`);
    records.write(out, players);
  },

  read(input) {
    const players = records.read(input);
    const disorder = findDisorder(players);
    if (disorder !== undefined) throw input.fail("ORT_PLAYERS", `player ${disorder} is out of order`);
    return players;
  },
};

/** Returns the players in storage order. */
export function sortPlayers(players: readonly StoredPlayer[]): readonly StoredPlayer[] {
  return [...players].sort((a, b) => (a.playerId < b.playerId ? -1 : 1));
}

/** Adds or replaces the changed players and drops the removed ones. Returns the result in order of ids. */
export function mergePlayers(
  before: readonly StoredPlayer[],
  changed: readonly StoredPlayer[],
  removed: readonly bigint[] = [],
): readonly StoredPlayer[] {
  if (changed.length + removed.length === 0) return before;
  const byId = new Map(before.map((player) => [player.playerId, player]));
  for (const id of removed) byId.delete(id);
  for (const player of changed) byId.set(player.playerId, player);
  return sortPlayers([...byId.values()]);
}

function findDisorder(players: readonly StoredPlayer[]): bigint | undefined {
  return players.find(({ playerId }, index) => {
    const previous = players[index - 1];
    return previous !== undefined && previous.playerId >= playerId;
  })?.playerId;
}
