import { type Codec, list, type Position, positionCodec } from "@orthant/core";
import { ENTITIES_MAX, type VisibleEntity, visibleEntityCodec } from "@orthant/protocol";

/** A gateway's question to an owner about entities. */
export interface EntitiesRequest {
  readonly kind: "entities";
  readonly regions: readonly Position[];
}

/** The entities of a region. */
export type RegionEntities =
  | { readonly kind: "elsewhere" }
  /** No room in this answer: ask again. */
  | { readonly kind: "later" }
  | { readonly kind: "here"; readonly entities: readonly VisibleEntity[] };

/** An owner's answer, with one item per region. */
export interface EntitiesAnswer {
  readonly kind: "entities";
  readonly answers: readonly RegionEntities[];
}

/** Maximum number of regions in one question. */
export const ENTITY_REGIONS_MAX = 1_024;

const KINDS: readonly RegionEntities["kind"][] = ["elsewhere", "later", "here"];
const regionsCodec = list(positionCodec, ENTITY_REGIONS_MAX);
const entitiesCodec = list(visibleEntityCodec, ENTITIES_MAX);

const answersCodec = list<RegionEntities>(
  {
    write(out, answer) {
      out.tag(KINDS.indexOf(answer.kind), KINDS.length);
      if (answer.kind === "here") entitiesCodec.write(out, answer.entities);
    },
    read(input) {
      const kind = KINDS[input.tag(KINDS.length)] ?? "later";
      return kind === "here" ? { kind, entities: entitiesCodec.read(input) } : { kind };
    },
  },
  ENTITY_REGIONS_MAX,
);

/** Encodes a question about entities, after its tag. Rule K34 in docs/formats/cluster.md. */
export const entitiesRequestCodec: Codec<EntitiesRequest> = {
  write: (out, { regions }) => regionsCodec.write(out, regions),
  read: (input) => ({ kind: "entities", regions: regionsCodec.read(input) }),
};

/** Encodes an answer about entities, after its tag. */
export const entitiesAnswerCodec: Codec<EntitiesAnswer> = {
  write: (out, { answers }) => answersCodec.write(out, answers),
  read: (input) => ({ kind: "entities", answers: answersCodec.read(input) }),
};
