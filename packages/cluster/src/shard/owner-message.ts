import {
  type ClockStep,
  type Codec,
  ERROR_CODES,
  type ErrorCode,
  list,
  type Position,
  positionCodec,
  type VoxelPlacement,
} from "@orthant/core";
import { type JournalChunk, journalChunkCodec } from "@orthant/save";
import {
  type EntitiesAnswer,
  type EntitiesRequest,
  entitiesAnswerCodec,
  entitiesRequestCodec,
} from "./inhabitant-message.ts";
import {
  type PlayersAnswer,
  type PlayersRequest,
  playersAnswerCodec,
  playersRequestCodec,
} from "./player-message.ts";

/** An edit that a gateway requests. */
export interface EditRequest {
  readonly clientId: bigint;
  readonly editId: number;
  readonly placements: readonly VoxelPlacement[];
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

/** A gateway's question to an owner. */
export type OwnerRequest =
  | { readonly kind: "edits"; readonly edits: readonly EditRequest[] }
  | { readonly kind: "regions"; readonly regions: readonly RegionRequest[] }
  | PlayersRequest
  | EntitiesRequest;

/** Outcome of an edit. */
export type ShardEditResult =
  | { readonly kind: "applied"; readonly steps: readonly ClockStep[] }
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

/** An owner's answer: one item per item asked for, or `away` if it is not the owner now. */
export type OwnerAnswer =
  | { readonly kind: "edits"; readonly outcomes: readonly ShardEditResult[] }
  | { readonly kind: "regions"; readonly answers: readonly RegionAnswer[] }
  | { readonly kind: "away" }
  | PlayersAnswer
  | EntitiesAnswer;

/** Maximum number of edits in one question. */
export const EDITS_MAX = 1_024;
/** Maximum number of regions in one question. */
const REGIONS_MAX = 4_096;
const PLACEMENTS_MAX = 65_536;
const STEPS_MAX = 65_536;
const CHUNKS_MAX = 256;
const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

const placementCodec: Codec<VoxelPlacement> = {
  write(out, { voxel, material }) {
    for (const coordinate of voxel) out.varInt(coordinate);
    out.varU16(material);
  },
  read: (input) => ({
    voxel: [input.varInt(), input.varInt(), input.varInt(), input.varInt()],
    material: input.varU16(),
  }),
};

const editRequestsCodec = list<EditRequest>(
  {
    write(out, { clientId, editId, placements }) {
      out.u64(clientId);
      out.varUint(editId);
      placementsCodec.write(out, placements);
    },
    read(input) {
      const request = {
        clientId: input.u64(),
        editId: input.varUint(),
        placements: placementsCodec.read(input),
      };
      if (request.editId === 0) throw input.fail("ORT_MESSAGE", "an edit with the id 0");
      return request;
    },
  },
  EDITS_MAX,
);
const placementsCodec = list(placementCodec, PLACEMENTS_MAX);

const regionRequestsCodec = list<RegionRequest>(
  {
    write(out, { region, held, latest, at, from }) {
      positionCodec.write(out, region);
      out.varUint(held);
      out.varUint(latest);
      out.varUint(at);
      out.varUint(from);
    },
    read: (input) => ({
      region: positionCodec.read(input),
      held: input.varUint(),
      latest: input.varUint(),
      at: input.varUint(),
      from: input.varUint(),
    }),
  },
  REGIONS_MAX,
);

const stepsCodec = list<ClockStep>(
  {
    write(out, { region, before, after }) {
      positionCodec.write(out, region);
      out.varUint(before);
      out.varUint(after);
    },
    read: (input) => ({ region: positionCodec.read(input), before: input.varUint(), after: input.varUint() }),
  },
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

const REQUESTS: readonly OwnerRequest["kind"][] = ["edits", "regions", "players", "entities"];

/** Encodes questions from gateways to owners. Rules K19 and K20 in docs/formats/cluster.md. */
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
