import type { Vector } from "@orthant/core";
import {
  type ByteReader,
  bytes,
  type Codec,
  combined,
  constant,
  list,
  perAxis,
  record,
  string,
  varI32,
  varUint,
} from "@orthant/core/bytes";
import { positionFrom } from "@orthant/core/lattice";
import type {
  EntityDetails,
  EntityMotion,
  NumberedDetails,
  NumberedEntity,
  Pose,
  VisibleEntity,
} from "./entity.ts";
import {
  ENTITIES_MAX,
  ENTITY_DATA_BYTES_MAX,
  ENTITY_SPEED_MAX,
  ENTITY_TAG_BYTES_MAX,
  ENTITY_TAGS_MAX,
  NAME_BYTES_MAX,
  VOXEL_COORDINATE_MAX,
} from "./limits.ts";
import { orientationCodec, poseCodecOf } from "./pose-codec.ts";
import type { Precision } from "./precision.ts";
import type { AllEntities, EntityChanges, EntityDetailsMessage, EntityMotions } from "./server-message.ts";

/** An entity's properties and pose, without its number on the connection. */
function traitsCodec(poses: Codec<Pose>): Codec<Omit<NumberedEntity, "number" | "isPlayer">> {
  return {
    write(out, entity) {
      out.varU64(entity.id);
      out.u8(entity.entityClass);
      out.varU16(entity.kind);
      out.f32(entity.scale);
      out.varU16(entity.block);
      out.string(entity.name, NAME_BYTES_MAX);
      poses.write(out, entity);
    },
    read: (input) => ({
      id: input.varU64(),
      entityClass: input.u8(),
      kind: input.varU16(),
      scale: input.f32(),
      block: input.varU16(),
      name: input.string(NAME_BYTES_MAX),
      ...poses.read(input),
    }),
  };
}

const detailsCodec = record<EntityDetails>({
  tags: list(string(ENTITY_TAG_BYTES_MAX), ENTITY_TAGS_MAX),
  data: bytes(ENTITY_DATA_BYTES_MAX),
});

/** Positions between servers are exact, because each server states a precision of its own. */
const exactPoseCodec: Codec<Pose> = {
  write(out, { position, orientation }) {
    for (const coordinate of position) out.f64(coordinate);
    orientationCodec.write(out, orientation);
  },
  read: (input) => ({
    position: readFinite(input, VOXEL_COORDINATE_MAX),
    orientation: orientationCodec.read(input),
  }),
};
const exactTraitsCodec = traitsCodec(exactPoseCodec);

/** An entity with its details and velocity, without its number on a connection. Rule K62 in docs/formats/cluster.md. */
export const visibleEntityCodec: Codec<VisibleEntity> = {
  write(out, entity) {
    exactTraitsCodec.write(out, entity);
    detailsCodec.write(out, entity);
    const { velocity } = entity;
    out.bool(velocity !== undefined);
    for (const speed of velocity ?? []) out.f64(speed);
  },
  read(input) {
    const entity = { ...exactTraitsCodec.read(input), ...detailsCodec.read(input) };
    return input.bool() ? { ...entity, velocity: readFinite(input, ENTITY_SPEED_MAX) } : entity;
  },
};

/** Reads four numbers between `-max` and `max`. */
function readFinite(input: ByteReader, max: number): Vector {
  return positionFrom(() => {
    const number = input.f64();
    // Written so that NaN is outside.
    if (!(Math.abs(number) <= max)) throw input.fail("ORT_LIMIT", `${number} is beyond ${max}`);
    return number;
  });
}

function entityListCodec(precision: Precision): Codec<readonly NumberedEntity[]> {
  const traits = traitsCodec(poseCodecOf(precision));
  return list(
    {
      write(out, entity) {
        out.varUint(entity.number);
        out.bool(entity.isPlayer);
        traits.write(out, entity);
      },
      read: (input) => ({ number: input.varUint(), isPlayer: input.bool(), ...traits.read(input) }),
    },
    ENTITIES_MAX,
  );
}

/** Entities that come into sight and leave it. Rule N28 in docs/formats/protocol.md. */
export function entitiesCodec(precision: Precision): Codec<EntityChanges> {
  return record({
    kind: constant("entities"),
    left: list(varUint, ENTITIES_MAX),
    entered: entityListCodec(precision),
  });
}

/** All entities in sight. Rule N28. */
export function allEntitiesCodec(precision: Precision): Codec<AllEntities> {
  return record({ kind: constant("allEntities"), entities: entityListCodec(precision) });
}

/** Velocities of entities in sight. Rule N57. */
export const motionsCodec: Codec<EntityMotions> = record({
  kind: constant("motions"),
  motions: list(record<EntityMotion>({ number: varUint, velocity: perAxis(varI32) }), ENTITIES_MAX),
});

const numberedDetailsCodec: Codec<NumberedDetails> = combined(record({ number: varUint }), detailsCodec);

/** Details of entities in sight. Rule N46. */
export const entityDetailsCodec: Codec<EntityDetailsMessage> = record({
  kind: constant("entityDetails"),
  details: list(numberedDetailsCodec, ENTITIES_MAX),
});
