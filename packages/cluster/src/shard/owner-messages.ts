import { ERROR_CODES, type ErrorCode, type Position } from "@orthant/core";
import { type Codec, constant, list, option, record, string, varU64, varUint } from "@orthant/core/bytes";
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

/** A gateway's request for the entities of regions. */
export interface EntitiesRequest {
  readonly kind: "entities";
  readonly regions: readonly EntitiesOfRegion[];
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
  | EntitiesRequest;

/** Outcome of an edit. */
export type ShardEditResult =
  | { readonly kind: "applied"; readonly steps: readonly ClockChange[] }
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
const STEPS_MAX = 65_536;
const CHUNKS_MAX = 256;
const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

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

const stepsCodec = list<ClockChange>(
  record({ region: positionCodec, before: varUint, after: varUint }),
  STEPS_MAX,
);

const OUTCOMES: readonly ShardEditResult["kind"][] = ["applied", "duplicate", "elsewhere", "rejected"];
const outcomesCodec = list<ShardEditResult>(
  {
    write(out, outcome) {
      out.tag(OUTCOMES.indexOf(outcome.kind), OUTCOMES.length);
      if (outcome.kind === "applied") stepsCodec.write(out, outcome.steps);
      if (outcome.kind === "rejected") out.string(outcome.code);
    },
    read(input) {
      const kind = OUTCOMES[input.tag(OUTCOMES.length)] ?? "duplicate";
      if (kind === "applied") return { kind, steps: stepsCodec.read(input) };
      if (kind !== "rejected") return { kind };
      const text = input.string(64);
      const code = CODES.find((known) => known === text);
      if (code === undefined) throw input.fail("ORT_MESSAGE", `a refusal with the code ${text}`);
      return { kind, code };
    },
  },
  EDITS_MAX,
);

const ANSWERS: readonly RegionAnswer["kind"][] = ["same", "elsewhere", "later", "chunks"];

function regionAnswersCodec(volume: number): Codec<readonly RegionAnswer[]> {
  const chunksCodec = list(journalChunkCodec(volume), CHUNKS_MAX);
  return list<RegionAnswer>(
    {
      write(out, answer) {
        out.tag(ANSWERS.indexOf(answer.kind), ANSWERS.length);
        if (answer.kind !== "chunks") return;
        out.varUint(answer.clock);
        chunksCodec.write(out, answer.chunks);
        out.bool(answer.more);
      },
      read(input) {
        const kind = ANSWERS[input.tag(ANSWERS.length)] ?? "later";
        if (kind !== "chunks") return { kind };
        return { kind, clock: input.varUint(), chunks: chunksCodec.read(input), more: input.bool() };
      },
    },
    REGIONS_MAX,
  );
}

const updatesCodec = list<RememberedPose>(
  record({ playerId: varU64, name: string(NAME_BYTES_MAX), pose: poseCodec, sinceMs: varUint }),
  REQUEST_PLAYERS_MAX,
);

const lookupsCodec = list(varU64, REQUEST_PLAYERS_MAX);
const posesCodec = list(option(poseCodec), REQUEST_PLAYERS_MAX);

/** Encodes a request about players, after its tag. Rules K32 and K33 in docs/formats/cluster.md. */
const playersRequestCodec = record<PlayersRequest>({
  kind: constant("players"),
  updates: updatesCodec,
  lookups: lookupsCodec,
});

/** Encodes an answer about players, after its tag. */
const playersAnswerCodec = record<PlayersAnswer>({ kind: constant("players"), poses: posesCodec });

const ENTITY_ANSWERS: readonly RegionEntities["kind"][] = ["elsewhere", "later", "here", "same"];
const entityRegionsCodec = list<EntitiesOfRegion>(
  record({ region: positionCodec, held: varUint }),
  ENTITY_REGIONS_MAX,
);
const entitiesCodec = list(visibleEntityCodec, ENTITIES_MAX);

const entityAnswersCodec = list<RegionEntities>(
  {
    write(out, answer) {
      out.tag(ENTITY_ANSWERS.indexOf(answer.kind), ENTITY_ANSWERS.length);
      if (answer.kind !== "here") return;
      out.varUint(answer.stamp);
      entitiesCodec.write(out, answer.entities);
    },
    read(input) {
      const kind = ENTITY_ANSWERS[input.tag(ENTITY_ANSWERS.length)] ?? "later";
      if (kind !== "here") return { kind };
      return { kind, stamp: input.varUint(), entities: entitiesCodec.read(input) };
    },
  },
  ENTITY_REGIONS_MAX,
);

/** Encodes a request for entities, after its tag. Rule K34 in docs/formats/cluster.md. */
const entitiesRequestCodec = record<EntitiesRequest>({
  kind: constant("entities"),
  regions: entityRegionsCodec,
});

/** Encodes an answer about entities, after its tag. */
const entitiesAnswerCodec = record<EntitiesAnswer>({
  kind: constant("entities"),
  answers: entityAnswersCodec,
});

const REQUESTS: readonly OwnerRequest["kind"][] = ["edits", "regions", "players", "entities"];

/** Encodes requests from gateways to owners. Rules K19 and K20 in docs/formats/cluster.md. */
export const ownerRequestCodec: Codec<OwnerRequest> = {
  write(out, request) {
    out.tag(REQUESTS.indexOf(request.kind), REQUESTS.length);
    if (request.kind === "edits") editRequestsCodec.write(out, request.edits);
    else if (request.kind === "regions") regionRequestsCodec.write(out, request.regions);
    else if (request.kind === "players") playersRequestCodec.write(out, request);
    else entitiesRequestCodec.write(out, request);
  },
  read(input) {
    const kind = REQUESTS[input.tag(REQUESTS.length)];
    if (kind === "edits") return { kind, edits: editRequestsCodec.read(input) };
    if (kind === "regions") return { kind, regions: regionRequestsCodec.read(input) };
    return kind === "players" ? playersRequestCodec.read(input) : entitiesRequestCodec.read(input);
  },
};

const ANSWER_KINDS: readonly OwnerAnswer["kind"][] = ["edits", "regions", "away", "players", "entities"];

/** Returns the codec of owners' answers, for a world whose chunks have `volume` voxels. */
export function ownerAnswerCodec(volume: number): Codec<OwnerAnswer> {
  const regionsCodec = regionAnswersCodec(volume);
  return {
    write(out, answer) {
      out.tag(ANSWER_KINDS.indexOf(answer.kind), ANSWER_KINDS.length);
      if (answer.kind === "edits") outcomesCodec.write(out, answer.outcomes);
      if (answer.kind === "regions") regionsCodec.write(out, answer.answers);
      if (answer.kind === "players") playersAnswerCodec.write(out, answer);
      if (answer.kind === "entities") entitiesAnswerCodec.write(out, answer);
    },
    read(input) {
      const kind = ANSWER_KINDS[input.tag(ANSWER_KINDS.length)] ?? "away";
      if (kind === "edits") return { kind, outcomes: outcomesCodec.read(input) };
      if (kind === "players") return playersAnswerCodec.read(input);
      if (kind === "entities") return entitiesAnswerCodec.read(input);
      return kind === "regions" ? { kind, answers: regionsCodec.read(input) } : { kind };
    },
  };
}
