import type { Position } from "@orthant/core";
import { blockCatalogHash } from "@orthant/core/chunk";
import {
  chunkOfVoxel,
  PositionSet,
  positionFrom,
  positionsLexicographic,
  regionOf,
  regionsTouching,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import { DEFAULT_PRECISION, type Pose, roundPose } from "@orthant/protocol";
import { roundPoseTo } from "@orthant/protocol/internal";
import type { SyncServer } from "@orthant/protocol/server";
import type { WorldEngine } from "@orthant/world/engine";
import type { EditHistory } from "./edit-history.ts";
import type { SimClient } from "./sim-client.ts";
import type { SimPlan } from "./sim-plan.ts";

/** All participants of a case. */
export interface SimParticipants {
  readonly world: WorldEngine;
  readonly syncServer: SyncServer;
  readonly clients: readonly SimClient[];
  readonly history: EditHistory;
  readonly plan: SimPlan;
}

/** Describes what has not settled yet or differs from the server; `undefined` when nothing does. */
export async function faultInCalm(participants: SimParticipants): Promise<string | undefined> {
  const entities = await entitiesOf(participants);
  for (const client of participants.clients) {
    const fault =
      faultOfEdits(client) ??
      faultOfBlocks(client, participants) ??
      faultOfRegions(client, participants) ??
      faultOfEntities(client, entities, participants);
    if (fault !== undefined) return `client ${client.number}: ${fault}`;
  }
  return undefined;
}

function faultOfEdits({ syncClient, openEdits }: SimClient): string | undefined {
  if (syncClient.openEdits.length !== openEdits.size) {
    return `${syncClient.openEdits.length} edits are open, not ${openEdits.size}`;
  }
  return openEdits.size > 0 ? `edits ${[...openEdits.keys()]} wait for edit results` : undefined;
}

function faultOfBlocks({ syncClient }: SimClient, { world }: SimParticipants): string | undefined {
  const held = syncClient.world?.catalog;
  if (held !== undefined && blockCatalogHash(held) === blockCatalogHash(world.catalog)) return undefined;
  return `it has ${held?.types.length} types of blocks, not the ${world.catalog.types.length} of the world`;
}

function faultOfRegions(client: SimClient, { world, plan, history }: SimParticipants): string | undefined {
  if (!client.syncClient.isComplete) return "its interest is not complete";
  const interest = new PositionSet();
  for (const region of client.interest) interest.add(...region);
  for (const region of positionsLexicographic(regionsTouching(plan.arena))) {
    const held = client.syncClient.replica?.clockOf(region);
    const wanted = interest.has(...region) ? world.clockOf(region) : undefined;
    if (held !== wanted) return `region [${region}] is held at clock ${held}, not ${wanted}`;
    // The world may have unloaded a region that no client watches.
    const clock = world.clockOf(region) ?? history.clockOf(region);
    if (clock !== history.clockOf(region)) {
      return `region [${region}] has clock ${clock}, not ${history.clockOf(region)}`;
    }
  }
  return undefined;
}

interface Seen {
  readonly key: string;
  readonly region: Position;
  readonly text: string;
}

async function entitiesOf({ world, clients, plan }: SimParticipants): Promise<readonly Seen[]> {
  const entities = await world.entities.in(voxelsOfChunks(plan.shape, plan.arena));
  const players = clients.flatMap(({ number, pose }) =>
    pose === undefined
      ? []
      : [seen(plan, `player ${number}`, roundPoseTo(roundPose(pose), DEFAULT_PRECISION))],
  );
  return [
    ...players,
    ...entities.map((entity) =>
      seen(plan, `entity ${entity.entityId}`, roundPoseTo(entity, DEFAULT_PRECISION)),
    ),
  ];
}

function faultOfEntities(
  client: SimClient,
  all: readonly Seen[],
  { plan }: SimParticipants,
): string | undefined {
  const interest = new PositionSet();
  for (const region of client.interest) interest.add(...region);
  const wanted = new Map(
    all
      .filter(({ key, region }) => key !== `player ${client.number}` && interest.has(...region))
      .map((entity) => [entity.key, entity.text]),
  );
  for (const entity of client.syncClient.entities) {
    const { key, text } = seen(plan, `${entity.isPlayer ? "player" : "entity"} ${entity.id}`, entity);
    if (wanted.get(key) !== text) return `${key} is seen at ${text}, not ${wanted.get(key)}`;
    wanted.delete(key);
  }
  return wanted.size > 0 ? `${[...wanted.keys()].join()} not seen` : undefined;
}

function seen({ shape }: SimPlan, key: string, { position, orientation }: Pose): Seen {
  const voxel = positionFrom((axis) => Math.floor(position[axis]));
  const region = regionOf(chunkOfVoxel(shape, voxel));
  return { key, region, text: `[${position}] [${orientation}]` };
}
