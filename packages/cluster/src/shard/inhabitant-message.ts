import { type Codec, list, type Place, placeCodec } from "@orthant/core";
import { BEINGS_MAX, type Inhabitant, inhabitantCodec } from "@orthant/protocol";

/** A gateway's question to an owner about entities. */
export interface InhabitantsQuestion {
  readonly kind: "inhabitants";
  readonly regions: readonly Place[];
}

/** The entities of a region. */
export type RegionInhabitants =
  | { readonly kind: "elsewhere" }
  /** No room in this answer: ask again. */
  | { readonly kind: "later" }
  | { readonly kind: "here"; readonly inhabitants: readonly Inhabitant[] };

/** An owner's answer, with one item per region. */
export interface InhabitantsAnswer {
  readonly kind: "inhabitants";
  readonly answers: readonly RegionInhabitants[];
}

/** Maximum number of regions in one question. */
export const INHABITED_REGIONS_MAX = 1_024;

const KINDS: readonly RegionInhabitants["kind"][] = ["elsewhere", "later", "here"];
const regionsCodec = list(placeCodec, INHABITED_REGIONS_MAX);
const inhabitantsCodec = list(inhabitantCodec, BEINGS_MAX);

const answersCodec = list<RegionInhabitants>(
  {
    write(out, answer) {
      out.tag(KINDS.indexOf(answer.kind), KINDS.length);
      if (answer.kind === "here") inhabitantsCodec.write(out, answer.inhabitants);
    },
    read(input) {
      const kind = KINDS[input.tag(KINDS.length)] ?? "later";
      return kind === "here" ? { kind, inhabitants: inhabitantsCodec.read(input) } : { kind };
    },
  },
  INHABITED_REGIONS_MAX,
);

/** Encodes a question about entities, after its tag. Rule K34 in docs/formats/cluster.md. */
export const inhabitantsQuestionCodec: Codec<InhabitantsQuestion> = {
  write: (out, { regions }) => regionsCodec.write(out, regions),
  read: (input) => ({ kind: "inhabitants", regions: regionsCodec.read(input) }),
};

/** Encodes an answer about entities, after its tag. */
export const inhabitantsAnswerCodec: Codec<InhabitantsAnswer> = {
  write: (out, { answers }) => answersCodec.write(out, answers),
  read: (input) => ({ kind: "inhabitants", answers: answersCodec.read(input) }),
};
