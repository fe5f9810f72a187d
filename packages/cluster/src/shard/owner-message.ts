import {
  type ClockStep,
  type Codec,
  ERROR_CODES,
  type ErrorCode,
  list,
  type Place,
  placeCodec,
  type VoxelPlacement,
} from "@orthant/core";
import { type JournalChunk, journalChunkCodec } from "@orthant/save";
import {
  type InhabitantsAnswer,
  type InhabitantsQuestion,
  inhabitantsAnswerCodec,
  inhabitantsQuestionCodec,
} from "./inhabitant-message.ts";
import {
  type PlayersAnswer,
  type PlayersQuestion,
  playersAnswerCodec,
  playersQuestionCodec,
} from "./player-message.ts";

/** An edit that a gateway requests. */
export interface EditIntent {
  readonly clientId: bigint;
  readonly editId: number;
  readonly placements: readonly VoxelPlacement[];
}

/** A region whose current content a gateway requests. */
export interface RegionWish {
  readonly region: Place;
  /** Clock of the gateway's copy; 0 if it has none. */
  readonly held: number;
  /** Latest clock of the region that the gateway knows of. */
  readonly heard: number;
  /**
   * To continue an incomplete answer: its clock, and the number of chunks already received. Otherwise both
   * are 0.
   */
  readonly at: number;
  readonly from: number;
}

/** A gateway's question to an owner. */
export type OwnerQuestion =
  | { readonly kind: "edits"; readonly edits: readonly EditIntent[] }
  | { readonly kind: "regions"; readonly wishes: readonly RegionWish[] }
  | PlayersQuestion
  | InhabitantsQuestion;

/** Outcome of an edit. */
export type IntentOutcome =
  | { readonly kind: "made"; readonly steps: readonly ClockStep[] }
  | { readonly kind: "repeated" }
  /** The edit has voxels of another shard: read the map again. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "refused"; readonly code: ErrorCode };

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
  | { readonly kind: "edits"; readonly outcomes: readonly IntentOutcome[] }
  | { readonly kind: "regions"; readonly answers: readonly RegionAnswer[] }
  | { readonly kind: "away" }
  | PlayersAnswer
  | InhabitantsAnswer;

/** Maximum number of edits in one question. */
export const INTENTS_MAX = 1_024;
/** Maximum number of regions in one question. */
const WISHES_MAX = 4_096;
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

const intentsCodec = list<EditIntent>(
  {
    write(out, { clientId, editId, placements }) {
      out.u64(clientId);
      out.varUint(editId);
      placementsCodec.write(out, placements);
    },
    read(input) {
      const intent = {
        clientId: input.u64(),
        editId: input.varUint(),
        placements: placementsCodec.read(input),
      };
      if (intent.editId === 0) throw input.fail("ORT_MESSAGE", "an edit with the id 0");
      return intent;
    },
  },
  INTENTS_MAX,
);
const placementsCodec = list(placementCodec, PLACEMENTS_MAX);

const wishesCodec = list<RegionWish>(
  {
    write(out, { region, held, heard, at, from }) {
      placeCodec.write(out, region);
      out.varUint(held);
      out.varUint(heard);
      out.varUint(at);
      out.varUint(from);
    },
    read: (input) => ({
      region: placeCodec.read(input),
      held: input.varUint(),
      heard: input.varUint(),
      at: input.varUint(),
      from: input.varUint(),
    }),
  },
  WISHES_MAX,
);

const stepsCodec = list<ClockStep>(
  {
    write(out, { region, before, after }) {
      placeCodec.write(out, region);
      out.varUint(before);
      out.varUint(after);
    },
    read: (input) => ({ region: placeCodec.read(input), before: input.varUint(), after: input.varUint() }),
  },
  STEPS_MAX,
);

const OUTCOMES: readonly IntentOutcome["kind"][] = ["made", "repeated", "elsewhere", "refused"];
const outcomesCodec = list<IntentOutcome>(
  {
    write(out, outcome) {
      out.tag(OUTCOMES.indexOf(outcome.kind), OUTCOMES.length);
      if (outcome.kind === "made") stepsCodec.write(out, outcome.steps);
      if (outcome.kind === "refused") out.string(outcome.code);
    },
    read(input) {
      const kind = OUTCOMES[input.tag(OUTCOMES.length)] ?? "repeated";
      if (kind === "made") return { kind, steps: stepsCodec.read(input) };
      if (kind !== "refused") return { kind };
      const text = input.string(64);
      const code = CODES.find((known) => known === text);
      if (code === undefined) throw input.fail("ORT_MESSAGE", `a refusal with the code ${text}`);
      return { kind, code };
    },
  },
  INTENTS_MAX,
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
    WISHES_MAX,
  );
}

const QUESTIONS: readonly OwnerQuestion["kind"][] = ["edits", "regions", "players", "inhabitants"];

/** Encodes questions from gateways to owners. Rules K19 and K20 in docs/formats/cluster.md. */
export const ownerQuestionCodec: Codec<OwnerQuestion> = {
  write(out, question) {
    out.tag(QUESTIONS.indexOf(question.kind), QUESTIONS.length);
    if (question.kind === "edits") intentsCodec.write(out, question.edits);
    else if (question.kind === "regions") wishesCodec.write(out, question.wishes);
    else if (question.kind === "players") playersQuestionCodec.write(out, question);
    else inhabitantsQuestionCodec.write(out, question);
  },
  read(input) {
    const kind = QUESTIONS[input.tag(QUESTIONS.length)];
    if (kind === "edits") return { kind, edits: intentsCodec.read(input) };
    if (kind === "regions") return { kind, wishes: wishesCodec.read(input) };
    return kind === "players" ? playersQuestionCodec.read(input) : inhabitantsQuestionCodec.read(input);
  },
};

const ANSWER_KINDS: readonly OwnerAnswer["kind"][] = ["edits", "regions", "away", "players", "inhabitants"];

/** Returns the codec of owners' answers, for a world whose chunks have `volume` voxels. */
export function ownerAnswerCodec(volume: number): Codec<OwnerAnswer> {
  const regionsCodec = regionAnswersCodec(volume);
  return {
    write(out, answer) {
      out.tag(ANSWER_KINDS.indexOf(answer.kind), ANSWER_KINDS.length);
      if (answer.kind === "edits") outcomesCodec.write(out, answer.outcomes);
      if (answer.kind === "regions") regionsCodec.write(out, answer.answers);
      if (answer.kind === "players") playersAnswerCodec.write(out, answer);
      if (answer.kind === "inhabitants") inhabitantsAnswerCodec.write(out, answer);
    },
    read(input) {
      const kind = ANSWER_KINDS[input.tag(ANSWER_KINDS.length)] ?? "away";
      if (kind === "edits") return { kind, outcomes: outcomesCodec.read(input) };
      if (kind === "players") return playersAnswerCodec.read(input);
      if (kind === "inhabitants") return inhabitantsAnswerCodec.read(input);
      return kind === "regions" ? { kind, answers: regionsCodec.read(input) } : { kind };
    },
  };
}
