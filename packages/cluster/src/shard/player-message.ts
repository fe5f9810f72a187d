import { type Codec, list } from "@orthant/core";
import { NAME_BYTES_MAX, type Pose, poseCodec } from "@orthant/protocol";

/** A player's pose, sent by a gateway to the owner who remembers it. */
export interface KeptPlayer {
  readonly playerId: bigint;
  readonly name: string;
  readonly pose: Pose;
  /** Time since the player arrived there. */
  readonly sinceMs: number;
}

/** A gateway's question about players to the owner of the first shard. */
export interface PlayersRequest {
  readonly kind: "players";
  /** Players to remember, before the answer is made. */
  readonly kept: readonly KeptPlayer[];
  /** Joining players who may have been here before. */
  readonly asked: readonly bigint[];
}

/** Poses of the players asked about; `undefined` for a new player. */
export interface PlayersAnswer {
  readonly kind: "players";
  readonly poses: readonly (Pose | undefined)[];
}

/** Maximum number of players in one question, of either kind. */
export const PLAYERS_ASKED_MAX = 1_024;

const keptCodec = list<KeptPlayer>(
  {
    write(out, { playerId, name, pose, sinceMs }) {
      out.varU64(playerId);
      out.string(name, NAME_BYTES_MAX);
      poseCodec.write(out, pose);
      out.varUint(sinceMs);
    },
    read: (input) => ({
      playerId: input.varU64(),
      name: input.string(NAME_BYTES_MAX),
      pose: poseCodec.read(input),
      sinceMs: input.varUint(),
    }),
  },
  PLAYERS_ASKED_MAX,
);

const askedCodec = list<bigint>(
  { write: (out, playerId) => out.varU64(playerId), read: (input) => input.varU64() },
  PLAYERS_ASKED_MAX,
);

const posesCodec = list<Pose | undefined>(
  {
    write(out, pose) {
      out.bool(pose !== undefined);
      if (pose !== undefined) poseCodec.write(out, pose);
    },
    read: (input) => (input.bool() ? poseCodec.read(input) : undefined),
  },
  PLAYERS_ASKED_MAX,
);

/** Encodes a question about players, after its tag. Rules K32 and K33 in docs/formats/cluster.md. */
export const playersRequestCodec: Codec<PlayersRequest> = {
  write(out, { kept, asked }) {
    keptCodec.write(out, kept);
    askedCodec.write(out, asked);
  },
  read: (input) => ({ kind: "players", kept: keptCodec.read(input), asked: askedCodec.read(input) }),
};

/** Encodes an answer about players, after its tag. */
export const playersAnswerCodec: Codec<PlayersAnswer> = {
  write: (out, { poses }) => posesCodec.write(out, poses),
  read: (input) => ({ kind: "players", poses: posesCodec.read(input) }),
};
