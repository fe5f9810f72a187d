import { bytes, type Codec, list, string, varUint } from "@orthant/core/bytes";
import type { EntityDetails, EntityMove, NumberedDetails, NumberedEntity, VisibleEntity } from "./entity.ts";
import {
  ENTITIES_MAX,
  ENTITY_DATA_BYTES_MAX,
  ENTITY_TAG_BYTES_MAX,
  ENTITY_TAGS_MAX,
  NAME_BYTES_MAX,
} from "./limits.ts";
import { poseCodec } from "./pose-codec.ts";
import { regionCodec } from "./regions.ts";
import type { AllEntities, EntityChanges, EntityDetailsMessage } from "./server-message.ts";

/** An entity's properties and pose, without its number on the connection. */
const traitsCodec: Codec<Omit<NumberedEntity, "number" | "isPlayer">> = {
  write(out, entity) {
    out.varU64(entity.id);
    out.u8(entity.entityClass);
    out.varU16(entity.kind);
    out.f32(entity.scale);
    out.varU16(entity.block);
    out.string(entity.name, NAME_BYTES_MAX);
    poseCodec.write(out, entity);
  },
  read: (input) => ({
    id: input.varU64(),
    entityClass: input.u8(),
    kind: input.varU16(),
    scale: input.f32(),
    block: input.varU16(),
    name: input.string(NAME_BYTES_MAX),
    ...poseCodec.read(input),
  }),
};

const tagsCodec = list(string(ENTITY_TAG_BYTES_MAX), ENTITY_TAGS_MAX);
const dataCodec = bytes(ENTITY_DATA_BYTES_MAX);

const detailsCodec: Codec<EntityDetails> = {
  write(out, { tags, data }) {
    tagsCodec.write(out, tags);
    dataCodec.write(out, data);
  },
  read: (input) => ({ tags: tagsCodec.read(input), data: dataCodec.read(input) }),
};

/** An entity with its details, without its number on a connection. */
export const visibleEntityCodec: Codec<VisibleEntity> = {
  write(out, entity) {
    traitsCodec.write(out, entity);
    detailsCodec.write(out, entity);
  },
  read: (input) => ({ ...traitsCodec.read(input), ...detailsCodec.read(input) }),
};

const entityCodec: Codec<NumberedEntity> = {
  write(out, entity) {
    out.varUint(entity.number);
    out.bool(entity.isPlayer);
    traitsCodec.write(out, entity);
  },
  read: (input) => ({ number: input.varUint(), isPlayer: input.bool(), ...traitsCodec.read(input) }),
};

const entityMoveCodec: Codec<EntityMove> = {
  write(out, move) {
    out.varUint(move.number);
    poseCodec.write(out, move);
  },
  read: (input) => ({ number: input.varUint(), ...poseCodec.read(input) }),
};

const numbersCodec = list(varUint, ENTITIES_MAX);
const entityListCodec = list(entityCodec, ENTITIES_MAX);
const entityMovesCodec = list(entityMoveCodec, ENTITIES_MAX);

/** Changes to the entities of a region. Rule N28 in docs/formats/protocol.md. */
export const entitiesCodec: Codec<EntityChanges> = {
  write(out, { region, left, entered, moved }) {
    regionCodec.write(out, region);
    numbersCodec.write(out, left);
    entityListCodec.write(out, entered);
    entityMovesCodec.write(out, moved);
  },
  read: (input) => ({
    kind: "entities",
    region: regionCodec.read(input),
    left: numbersCodec.read(input),
    entered: entityListCodec.read(input),
    moved: entityMovesCodec.read(input),
  }),
};

/** All entities in sight. Rule N28. */
export const allEntitiesCodec: Codec<AllEntities> = {
  write: (out, { entities }) => entityListCodec.write(out, entities),
  read: (input) => ({ kind: "allEntities", entities: entityListCodec.read(input) }),
};

const numberedDetailsCodec: Codec<NumberedDetails> = {
  write(out, details) {
    out.varUint(details.number);
    detailsCodec.write(out, details);
  },
  read: (input) => ({ number: input.varUint(), ...detailsCodec.read(input) }),
};

const detailsListCodec = list(numberedDetailsCodec, ENTITIES_MAX);

/** Details of entities in sight. Rule N46. */
export const entityDetailsCodec: Codec<EntityDetailsMessage> = {
  write: (out, { details }) => detailsListCodec.write(out, details),
  read: (input) => ({ kind: "entityDetails", details: detailsListCodec.read(input) }),
};
