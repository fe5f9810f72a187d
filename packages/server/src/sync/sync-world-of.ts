import { isOrthantError, OrthantError } from "@orthant/core";
import { wrongArgument } from "@orthant/core/arguments";
import { encode } from "@orthant/core/bytes";
import { blockCatalogCodec } from "@orthant/core/chunk";
import { voxelsOfChunks } from "@orthant/core/lattice";
import { CLOCK_NEVER } from "@orthant/core/tree";
import {
  CATALOG_BYTES_MAX,
  clipText,
  type Pose,
  type RequestedEdit,
  sendablePose,
  visibleEntity,
  WORLD_NAME_BYTES_MAX,
} from "@orthant/protocol";
import type { SyncWorld } from "@orthant/protocol/server";
import { type EditOptions, type EngineEdit, WorldEngine } from "@orthant/world/engine";
import { syncOperationsOf } from "./sync-operations-of.ts";

/**
 * Adapts a world for a sync server. Opens an epoch, which is durable before a client receives any of its clocks.
 * Throws `ORT_LIMIT` for a world with more blocks than fit into a welcome.
 */
export async function syncWorldOf(world: WorldEngine): Promise<SyncWorld> {
  if (!(world instanceof WorldEngine))
    throw wrongArgument("world", world, "it is a WorldEngine: world.engine");
  requireSmallCatalog(world);
  const epoch = await world.openEpoch();
  return {
    worldId: world.worldId,
    epoch,
    shape: world.shape,
    get generators() {
      return world.state.generators;
    },
    get catalog() {
      return world.catalog;
    },
    get name() {
      return clipText(world.name, WORLD_NAME_BYTES_MAX);
    },
    get spawn() {
      return world.spawn;
    },
    get state() {
      return world.state;
    },
    knowsEpoch: (other) => world.knowsEpoch(other),
    clockOf: (region) => world.clockOf(region) ?? CLOCK_NEVER,
    loadedBytes: (region) => world.loadedBytes(region),
    isLoaded: (chunks) => world.isLoaded(chunks),
    load: (chunks) => world.load(chunks),
    keep: (chunks) => world.keep(chunks),
    async edit(edit, origin, onApply, companion) {
      const { clocks, status } = await applyEdit(world, edit, {
        origin,
        ...(onApply && { onApply }),
        ...(companion && { with: (transaction, before) => companion(transaction as never, before) }),
      });
      return { status, clocks };
    },
    operations: syncOperationsOf(world),
    lastEditOf: (clientId) => world.lastEditOf(clientId),
    mayHaveForgotten: (playerId) => world.mayHaveForgotten(playerId),
    whenDurable: () => world.whenDurable(),
    onEdit: (listener) => world.onEdit(({ clocks }) => listener(clocks)),
    onGenerators: (listener) => world.generators.onChange(() => listener()),
    async entitiesIn(chunks) {
      const entities = await world.entities.in(voxelsOfChunks(world.shape, chunks));
      return entities.map(visibleEntity);
    },
    onEntity: (listener) =>
      world.entities.onEvent((event) =>
        listener(
          event.kind === "present"
            ? { kind: "present", entity: visibleEntity(event.entity) }
            : { kind: "gone", id: event.entityId },
        ),
      ),
    poseOf(playerId) {
      const player = world.player(playerId);
      return player === undefined ? undefined : sendablePose(player);
    },
    storePlayer: (playerId, name, pose) => keepPlayer(world, playerId, name, pose),
  };
}

/** With durable acknowledgement, the server itself waits for the disk, once for all simultaneous edits. */
function applyEdit(world: WorldEngine, edit: RequestedEdit, given: EditOptions): Promise<EngineEdit> {
  const options = { ...given, wait: "applied" } as const;
  if (edit.kind === "fill") return world.fill(edit.box, edit.block, options);
  if (edit.kind === "copy") return world.copy(edit.box, edit.to, options);
  return world.edit(edit.placements, options);
}

/** Rejects it now rather than for every client. */
function requireSmallCatalog({ catalog }: WorldEngine): void {
  const bytes = encode(blockCatalogCodec, catalog).length;
  if (bytes <= CATALOG_BYTES_MAX) return;
  throw new OrthantError("ORT_LIMIT", `blocks of ${bytes} bytes, the limit is ${CATALOG_BYTES_MAX}`);
}

function keepPlayer(
  world: WorldEngine,
  playerId: bigint,
  name: string,
  { position, orientation }: Pose,
): void {
  try {
    world.upsertPlayer({ playerId, name, position, orientation });
  } catch (error) {
    // A failed or closed world has reported that it stores nothing more; players must still be able to leave.
    if (!isOrthantError(error, "ORT_SAVE_FAILED") && !isOrthantError(error, "ORT_CLOSED")) throw error;
  }
}
