import { type Codec, list } from "@orthant/core";
import { NAME_BYTES_MAX, type Pose, poseCodec } from "@orthant/protocol";

/** Where a player is, as a gateway tells the owner who remembers it. */
export interface KeptPlayer {
  readonly playerId: bigint;
  readonly name: string;
  readonly pose: Pose;
  /** How long ago the player went there. */
  readonly sinceMs: number;
}

/** What a gateway asks the owner of the first shard about players. */
export interface PlayersQuestion {
  readonly kind: "players";
  /** Those to remember; before any answer. */
  readonly kept: readonly KeptPlayer[];
  /** Those who come in, and may have been here before. */
  readonly asked: readonly bigint[];
}

/** Where the players are who were asked about; `undefined` for one who was never here. */
export interface PlayersAnswer {
  readonly kind: "players";
  readonly poses: readonly (Pose | undefined)[];
}

/** The most players in one question, of either kind. */
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

/** A question about players, behind its tag. Rules K32 and K33 in docs/formats/cluster.md. */
export const playersQuestionCodec: Codec<PlayersQuestion> = {
  write(out, { kept, asked }) {
    keptCodec.write(out, kept);
    askedCodec.write(out, asked);
  },
  read: (input) => ({ kind: "players", kept: keptCodec.read(input), asked: askedCodec.read(input) }),
};

/** An answer about players, behind its tag. */
export const playersAnswerCodec: Codec<PlayersAnswer> = {
  write: (out, { poses }) => posesCodec.write(out, poses),
  read: (input) => ({ kind: "players", poses: posesCodec.read(input) }),
};
