import { type Codec, list } from "@orthant/core";
import { NAME_BYTES_MAX, type Pose, poseCodec } from "@orthant/protocol";

/** A player as reported by a gateway. */
export interface ToldPlayer extends Pose {
  /** Identifies the visit at its gateway. */
  readonly visit: number;
  readonly playerId: bigint;
  readonly name: string;
}

/** A gateway's report about its players in a cell. */
export interface PresenceMessage {
  /** Random number chosen when the gateway starts. */
  readonly gateway: bigint;
  /**
   * True if these are all of the gateway's players in the cell; otherwise only those who arrived or moved.
   */
  readonly isWhole: boolean;
  /** In order of visits. */
  readonly players: readonly ToldPlayer[];
}

/** Maximum number of players of one gateway in one cell that it reports. */
export const PLAYERS_TOLD_MAX = 4_096;

const VERSION = 1;

const playersCodec = list<ToldPlayer>(
  {
    write(out, player) {
      out.varUint(player.visit);
      out.varU64(player.playerId);
      out.string(player.name, NAME_BYTES_MAX);
      poseCodec.write(out, player);
    },
    read: (input) => ({
      visit: input.varUint(),
      playerId: input.varU64(),
      name: input.string(NAME_BYTES_MAX),
      ...poseCodec.read(input),
    }),
  },
  PLAYERS_TOLD_MAX,
);

/** Encodes messages between gateways. Rules K28 to K31 in docs/formats/cluster.md. */
export const presenceCodec: Codec<PresenceMessage> = {
  write(out, { gateway, isWhole, players }) {
    out.u8(VERSION);
    out.u64(gateway);
    out.bool(isWhole);
    playersCodec.write(out, players);
  },
  read(input) {
    const version = input.u8();
    if (version !== VERSION) throw input.fail("ORT_VERSION", `version ${version}, known is ${VERSION}`);
    const message = { gateway: input.u64(), isWhole: input.bool(), players: playersCodec.read(input) };
    let last = -1;
    for (const { visit } of message.players) {
      if (visit <= last) throw input.fail("ORT_MESSAGE", `visit ${visit} behind ${last}`);
      last = visit;
    }
    return message;
  },
};
