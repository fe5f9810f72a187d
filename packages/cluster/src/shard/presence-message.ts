import { type Codec, list } from "@orthant/core";
import { NAME_BYTES_MAX, type Pose, poseCodec } from "@orthant/protocol";

/** A player as reported by a gateway. */
export interface PresentPlayer extends Pose {
  /** Identifies the visit at its gateway. */
  readonly session: number;
  readonly playerId: bigint;
  readonly name: string;
}

/** A gateway's report about its players in a sector. */
export interface PresenceMessage {
  /** Random number chosen when the gateway starts. */
  readonly gateway: bigint;
  /**
   * True if these are all of the gateway's players in the sector; otherwise only those who arrived or moved.
   */
  readonly isWhole: boolean;
  /** In order of visits. */
  readonly players: readonly PresentPlayer[];
}

/** Maximum number of players of one gateway in one sector that it reports. */
export const PLAYERS_SENT_MAX = 4_096;

const VERSION = 1;

const playersCodec = list<PresentPlayer>(
  {
    write(out, player) {
      out.varUint(player.session);
      out.varU64(player.playerId);
      out.string(player.name, NAME_BYTES_MAX);
      poseCodec.write(out, player);
    },
    read: (input) => ({
      session: input.varUint(),
      playerId: input.varU64(),
      name: input.string(NAME_BYTES_MAX),
      ...poseCodec.read(input),
    }),
  },
  PLAYERS_SENT_MAX,
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
    for (const { session } of message.players) {
      if (session <= last) throw input.fail("ORT_MESSAGE", `visit ${session} behind ${last}`);
      last = session;
    }
    return message;
  },
};
