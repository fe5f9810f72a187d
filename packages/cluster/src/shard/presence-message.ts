import { type Codec, list } from "@orthant/core";
import { NAME_BYTES_MAX, type Pose, poseCodec } from "@orthant/protocol";

/** A player as a gateway tells of them. */
export interface ToldPlayer extends Pose {
  /** Names the visit at its gateway. */
  readonly visit: number;
  readonly playerId: bigint;
  readonly name: string;
}

/** What a gateway tells of its players in a cell. */
export interface PresenceMessage {
  /** Made at random when the gateway starts. */
  readonly gateway: bigint;
  /** Whether these are all players of the gateway in the cell; else those who came or moved. */
  readonly isWhole: boolean;
  /** In the order of their visits. */
  readonly players: readonly ToldPlayer[];
}

/** The most players of one gateway in one cell that others are told of. */
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

/** What gateways tell each other. Rules K28 to K31 in docs/formats/cluster.md. */
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
