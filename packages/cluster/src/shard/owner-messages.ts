import { ERROR_CODES, type ErrorCode, type Position } from "@orthant/core";
import {
  bool,
  type Codec,
  constant,
  list,
  option,
  record,
  string,
  variants,
  varU64,
  varUint,
} from "@orthant/core/bytes";
import { positionCodec } from "@orthant/core/lattice";
import type { ClockChange, EditOrigin } from "@orthant/core/tree";
import {
  ENTITIES_MAX,
  NAME_BYTES_MAX,
  type Pose,
  poseCodec,
  type RequestedEdit,
  type VisibleEntity,
  visibleEntityCodec,
} from "@orthant/protocol";
import { type JournalChunk, journalChunkCodec } from "@orthant/save/journal";
import { requestedEditCodec } from "./requested-edit-codec.ts";

/** An edit that a gateway requests. */
export interface ForwardedEdit extends EditOrigin {
  /** True if an owner may have received the edit before. */
  readonly isRepeat: boolean;
  readonly edit: RequestedEdit;
}

/** A region whose current content a gateway requests. */
export interface RegionRequest {
  readonly region: Position;
  /** Clock of the gateway's copy; 0 if it has none. */
  readonly held: number;
  /** Latest clock of the region that the gateway knows of. */
  readonly latest: number;
  /**
   * To continue an incomplete answer: its clock, and the number of chunks already received. Otherwise both
   * are 0.
   */
  readonly at: number;
  readonly from: number;
}

/** A player's pose, sent by a gateway to the owner who remembers it. */
export interface RememberedPose {
  readonly playerId: bigint;
  readonly name: string;
  readonly pose: Pose;
  /** Time since the gateway last heard from the player's client. */
  readonly sinceMs: number;
}

/** A gateway's request about players, to the owner of the first shard. */
export interface PlayersRequest {
  readonly kind: "players";
  /** Poses to store before the lookups. */
  readonly updates: readonly RememberedPose[];
  /** Joining players whose last poses the gateway needs. */
  readonly lookups: readonly bigint[];
}

/** Poses of the players looked up; `undefined` for a new player. */
export interface PlayersAnswer {
  readonly kind: "players";
  readonly poses: readonly (Pose | undefined)[];
}

/** A region whose entities a gateway requests. */
export interface EntitiesOfRegion {
  readonly region: Position;
  /** The stamp of the region's sector for which the gateway has its entities; 0 if it has none. */
  readonly held: number;
}

/** The entities of a region. */
export type RegionEntities =
  | { readonly kind: "elsewhere" }
  /** No room in this answer: ask again. */
  | { readonly kind: "later" }
  /** The gateway has them. */
  | { readonly kind: "same" }
  /** The entities at a stamp of the region's sector. */
  | { readonly kind: "here"; readonly stamp: number; readonly entities: readonly VisibleEntity[] };

/** An owner's answer, with one item per region. */
export interface EntitiesAnswer {
  readonly kind: "entities";
  readonly answers: readonly RegionEntities[];
}

/** A gateway's request to an owner. */
export type OwnerRequest =
  | { readonly kind: "edits"; readonly edits: readonly ForwardedEdit[] }
  | { readonly kind: "regions"; readonly regions: readonly RegionRequest[] }
  | PlayersRequest
  | { readonly kind: "entities"; readonly regions: readonly EntitiesOfRegion[] };

/** Outcome of an edit. */
export type ShardEditResult =
  | { readonly kind: "applied"; readonly clocks: readonly ClockChange[] }
  | { readonly kind: "duplicate" }
  /** The edit has voxels of another shard: read the map again. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "rejected"; readonly code: ErrorCode };

/** Answer about one region. */
export type RegionAnswer =
  /** The gateway's copy is current. */
  | { readonly kind: "same" }
  | { readonly kind: "elsewhere" }
  /** No room in this answer: ask again. */
  | { readonly kind: "later" }
  | {
      readonly kind: "chunks";
      readonly clock: number;
      readonly chunks: readonly JournalChunk[];
      readonly more: boolean;
    };

/** An owner's answer: one item per item of the request, or `away` if it is not the owner now. */
export type OwnerAnswer =
  | { readonly kind: "edits"; readonly outcomes: readonly ShardEditResult[] }
  | { readonly kind: "regions"; readonly answers: readonly RegionAnswer[] }
  | { readonly kind: "away" }
  | PlayersAnswer
  | EntitiesAnswer;

/** Maximum number of edits in one request. */
export const EDITS_MAX = 1_024;
/** Maximum number of players in one request, of either kind. */
export const REQUEST_PLAYERS_MAX = 1_024;
/** Maximum number of regions in one request for entities. */
export const ENTITY_REGIONS_MAX = 1_024;
/** Maximum number of regions in one request. */
const REGIONS_MAX = 4_096;
const CLOCKS_MAX = 65_536;
const CHUNKS_MAX = 256;

/** Codec of the code of an error. */
export const errorCodeCodec: Codec<ErrorCode> = {
  write: (out, code) => out.string(code),
  read(input) {
    const text = input.string(64);
    if (Object.hasOwn(ERROR_CODES, text)) return text as ErrorCode;
    throw input.fail("ORT_MESSAGE", `an unknown code of errors, ${JSON.stringify(text)}`);
  },
};

const playerIdCodec = option(varU64);
const editRequestsCodec = list<ForwardedEdit>(
  {
    write(out, { clientId, editId, playerId, isRepeat, edit }) {
      out.u64(clientId);
      out.varUint(editId);
      playerIdCodec.write(out, playerId);
      out.bool(isRepeat);
      requestedEditCodec.write(out, edit);
    },
    read(input) {
      const clientId = input.u64();
      const editId = input.varUint();
      if (editId === 0) throw input.fail("ORT_MESSAGE", "an edit with the id 0");
      const playerId = playerIdCodec.read(input);
      const isRepeat = input.bool();
      const edit = requestedEditCodec.read(input);
      return { clientId, editId, ...(playerId !== undefined && { playerId }), isRepeat, edit };
    },
  },
  EDITS_MAX,
);
const regionRequestsCodec = list<RegionRequest>(
  record({ region: positionCodec, held: varUint, latest: varUint, at: varUint, from: varUint }),
  REGIONS_MAX,
);

const clocksCodec = list<ClockChange>(
  record({ region: positionCodec, before: varUint, after: varUint }),
  CLOCKS_MAX,
);

const SAME = record({ kind: constant("same") });
const ELSEWHERE = record({ kind: constant("elsewhere") });
const LATER = record({ kind: constant("later") });

const outcomesCodec = list(
  variants<ShardEditResult>({
    applied: record({ kind: constant("applied"), clocks: clocksCodec }),
    duplicate: record({ kind: constant("duplicate") }),
    elsewhere: ELSEWHERE,
    rejected: record({ kind: constant("rejected"), code: errorCodeCodec }),
  }),
  EDITS_MAX,
);

function regionAnswersCodec(volume: number): Codec<readonly RegionAnswer[]> {
  const chunks = record({
    kind: constant("chunks"),
    clock: varUint,
    chunks: list(journalChunkCodec(volume), CHUNKS_MAX),
    more: bool,
  });
  return list(
    variants<RegionAnswer>({ same: SAME, elsewhere: ELSEWHERE, later: LATER, chunks }),
    REGIONS_MAX,
  );
}

const updatesCodec = list<RememberedPose>(
  record({ playerId: varU64, name: string(NAME_BYTES_MAX), pose: poseCodec, sinceMs: varUint }),
  REQUEST_PLAYERS_MAX,
);

const lookupsCodec = list(varU64, REQUEST_PLAYERS_MAX);
const posesCodec = list(option(poseCodec), REQUEST_PLAYERS_MAX);

const entityRegionsCodec = list<EntitiesOfRegion>(
  record({ region: positionCodec, held: varUint }),
  ENTITY_REGIONS_MAX,
);
const here = record({
  kind: constant("here"),
  stamp: varUint,
  entities: list(visibleEntityCodec, ENTITIES_MAX),
});
const entityAnswersCodec = list(
  variants<RegionEntities>({ elsewhere: ELSEWHERE, later: LATER, here, same: SAME }),
  ENTITY_REGIONS_MAX,
);

/** Encodes requests from gateways to owners. Rules K19, K20 and K32 to K34 in docs/formats/cluster.md. */
export const ownerRequestCodec: Codec<OwnerRequest> = variants<OwnerRequest>({
  edits: record({ kind: constant("edits"), edits: editRequestsCodec }),
  regions: record({ kind: constant("regions"), regions: regionRequestsCodec }),
  players: record({ kind: constant("players"), updates: updatesCodec, lookups: lookupsCodec }),
  entities: record({ kind: constant("entities"), regions: entityRegionsCodec }),
});

/** Returns the codec of owners' answers, for a world whose chunks have `volume` voxels. */
export function ownerAnswerCodec(volume: number): Codec<OwnerAnswer> {
  return variants<OwnerAnswer>({
    edits: record({ kind: constant("edits"), outcomes: outcomesCodec }),
    regions: record({ kind: constant("regions"), answers: regionAnswersCodec(volume) }),
    away: record({ kind: constant("away") }),
    players: record({ kind: constant("players"), poses: posesCodec }),
    entities: record({ kind: constant("entities"), answers: entityAnswersCodec }),
  });
}
