import { createHash } from "node:crypto";
import { AIR, type BlockCatalog, isOrthantError, OrthantError } from "@orthant/core";
import { diffBlockCatalogs } from "@orthant/core/chunk";
import type { PositionSet } from "@orthant/core/lattice";
import { nextTurn } from "@orthant/core/time";
import type { EditOrigin } from "@orthant/core/tree";
import { SerialQueue } from "@orthant/disk/files";
import type { RequestedEdit } from "@orthant/protocol";
import type { EngineEdit, WorldEngine } from "@orthant/world/engine";
import { APPEND_RECORDS_MAX } from "../backbone/backbone.ts";
import type { ForwardedEdit, OwnerAnswer, ShardEditResult } from "../shard/owner-messages.ts";
import { newerBlocks } from "../shard/shard-map.ts";
import { editedRegions } from "../shard/sized-boxes.ts";
import type { OwnerContext } from "./owner-context.ts";

/** Clients whose keys are kept, each of which takes a hash to find. */
const KEYS_MAX = 4_096;
/** Time spent on edits after which heartbeats and other requests get their turn. */
const TURN_MS = 50;

/** Makes the edits that gateways request, each once, and takes over the blocks that they use. */
export class ShardEdits {
  readonly #context: OwnerContext;
  /** The keys of clients that edited lately, by their ids. */
  readonly #keys = new Map<bigint, bigint>();
  /** The last request with edits of each client, while its edits are made. */
  readonly #requests = new Map<bigint, Promise<unknown>>();
  readonly #outcomes = new RecentOutcomes();
  /** Makes one edit at a time, whatever requests they come from. */
  readonly #turns = new SerialQueue();
  /** Time spent on edits since others last had their turn. */
  #workedMs = 0;
  /** The catalog of the map that was compared last with that of the world. */
  #compared: BlockCatalog | undefined;

  constructor(context: OwnerContext) {
    this.#context = context;
  }

  /**
   * Makes edits in order, after those of earlier requests of their clients. They are stored when this resolves. A request
   * may wait for new blocks. If its repeat overtook it, and the client were forgotten in between, its edits would be made
   * twice.
   */
  async applyAll(edits: readonly ForwardedEdit[]): Promise<OwnerAnswer> {
    const clients = new Set(edits.map(({ clientId }) => clientId));
    const earlier = [...clients].flatMap((clientId) => this.#requests.get(clientId) ?? []);
    // A failure is reported to the client that made that request.
    const making = Promise.allSettled(earlier).then(() => this.#makeAll(edits));
    for (const clientId of clients) this.#requests.set(clientId, making);
    try {
      const outcomes = await making;
      await this.#context.log.whenDurable();
      return { kind: "edits", outcomes };
    } finally {
      for (const clientId of clients)
        if (this.#requests.get(clientId) === making) this.#requests.delete(clientId);
    }
  }

  async #makeAll(edits: readonly ForwardedEdit[]): Promise<readonly ShardEditResult[]> {
    const outcomes: ShardEditResult[] = [];
    const astray = new Set<bigint>();
    const gathered = this.#context.log.pace.gather();
    try {
      for (const edit of edits) {
        // No edit may overtake an earlier one of its client, which would then count as a duplicate. Rule K19.
        const outcome: ShardEditResult = astray.has(edit.clientId)
          ? { kind: "elsewhere" }
          : await this.#apply(edit);
        if (outcome.kind === "elsewhere") astray.add(edit.clientId);
        this.#outcomes.add(edit, outcome);
        outcomes.push(outcome);
      }
    } finally {
      gathered();
    }
    return outcomes;
  }

  /** Takes over the blocks of the map. They are stored beside the shards before an edit can use them. Rule K37. */
  async takeBlocks(): Promise<void> {
    const { world, gate, saver, options } = this.#context;
    const { maps } = options;
    const { map } = maps;
    if (map.world.catalog === this.#compared) return;
    const later = newerBlocks(world.catalog, map);
    if (diffBlockCatalogs(world.catalog, later) !== undefined) {
      await maps.copy(map);
      if (gate.isClosed) return;
      // A newer map may have arrived meanwhile, and another edit may have taken its blocks.
      if (maps.map !== map) return this.takeBlocks();
      world.blocks.take(later);
      saver.unrecorded();
    }
    this.#compared = map.world.catalog;
  }

  async #apply({ edit, ...requested }: ForwardedEdit): Promise<ShardEditResult> {
    const { world, log, saver } = this.#context;
    const origin: EditOrigin = { ...requested, clientId: this.#keyOf(requested.clientId) };
    const regions = regionsOrRefusal(edit, world);
    if (!(regions instanceof OrthantError))
      for (const region of regions) if (!log.owns(region)) return { kind: "elsewhere" };
    // Before all refusals, which say that the edit was not made.
    const last = Math.max(world.lastEditOf(origin.clientId), world.lastEditOf(requested.clientId));
    if (origin.editId <= last) return this.#outcomes.of(requested) ?? { kind: "duplicate" };
    if (regions instanceof OrthantError) return { kind: "rejected", code: regions.code };
    if (origin.isRepeat && last === 0 && world.mayHaveForgotten(origin.playerId))
      return { kind: "rejected", code: "ORT_EDIT_REPEAT" };
    if (regions.size > APPEND_RECORDS_MAX) return { kind: "rejected", code: "ORT_LIMIT" };
    if (!saver.hasRoom()) return { kind: "rejected", code: "ORT_JOURNAL_FULL" };
    if (!(await this.#hasBlocksOf(edit))) return { kind: "rejected", code: "ORT_BLOCKS" };
    try {
      const { clocks, status } = await this.#turns.run(() => this.#makeEdit(edit, origin));
      return status === "duplicate" ? { kind: "duplicate" } : { kind: "applied", clocks };
    } catch (error) {
      if (world.failure !== undefined || !isOrthantError(error)) throw error;
      return { kind: "rejected", code: error.code };
    }
  }

  #keyOf(clientId: bigint): bigint {
    const known = this.#keys.get(clientId);
    if (known !== undefined) return known;
    if (this.#keys.size >= KEYS_MAX) this.#keys.clear();
    const key = clientKey(clientId);
    this.#keys.set(clientId, key);
    return key;
  }

  /** Returns true if the map has the blocks of an edit, which may know a newer map than this node. */
  async #hasBlocksOf(edit: RequestedEdit): Promise<boolean> {
    const { world, options } = this.#context;
    const highest = highestBlock(edit);
    await this.takeBlocks();
    if (highest < world.catalog.endId) return true;
    await options.maps.refresh();
    await this.takeBlocks();
    return highest < world.catalog.endId;
  }

  /** Makes an edit. However many wait for their turn, the node's heartbeats go on. */
  async #makeEdit(edit: RequestedEdit, origin: EditOrigin): Promise<EngineEdit> {
    const { time } = this.#context.options;
    const startMs = time.nowMs();
    try {
      return await this.#edit(edit, origin);
    } finally {
      this.#workedMs += Math.abs(time.nowMs() - startMs);
      if (this.#workedMs >= TURN_MS) {
        this.#workedMs = 0;
        await nextTurn();
      }
    }
  }

  #edit(edit: RequestedEdit, origin: EditOrigin): Promise<EngineEdit> {
    const { world } = this.#context;
    const options = { origin, wait: "applied" } as const;
    if (edit.kind === "fill") return world.fill(edit.box, edit.block, options);
    if (edit.kind === "copy") return world.copy(edit.box, edit.to, options);
    return world.edit(edit.placements, options);
  }
}

/**
 * Returns what stands for a client in journals, which all gateways can read. Only a gateway that the client has joined
 * knows its id, so no other one can make edits in its place. Worlds from outside a cluster have the ids themselves.
 * Rule K61.
 */
export function clientKey(clientId: bigint): bigint {
  return createHash("sha256").update(`client of Orthant ${clientId}`).digest().readBigUInt64LE();
}

/** Returns the regions that an edit reads or changes, or why no owner makes it. */
function regionsOrRefusal(edit: RequestedEdit, { shape }: WorldEngine): PositionSet | OrthantError {
  try {
    return editedRegions(edit, shape);
  } catch (error) {
    if (isOrthantError(error)) return error;
    throw error;
  }
}

/** Returns the highest block that an edit sets; 0 if it sets none. */
function highestBlock(edit: RequestedEdit): number {
  if (edit.kind === "fill") return edit.block;
  if (edit.kind === "copy") return AIR;
  return edit.placements.reduce((highest, { block = AIR }) => Math.max(highest, block), AIR);
}

/** Outcomes that are kept, and clocks in all of them. */
const OUTCOMES_MAX = 4_096;
const CLOCKS_MAX = 65_536;

/**
 * The outcomes of the last edits that an owner made or rejected. A gateway that got no answer in time asks again, and is
 * told what became of the edit. Rule K19.
 */
class RecentOutcomes {
  readonly #outcomes = new Map<string, ShardEditResult>();
  #clocks = 0;

  /** Keeps the outcome of an edit. One that was rejected before may be made later. */
  add(edit: EditOrigin, outcome: ShardEditResult): void {
    if (outcome.kind !== "applied" && outcome.kind !== "rejected") return;
    const key = keyOf(edit);
    this.#clocks += clocksOf(outcome) - clocksOf(this.#outcomes.get(key));
    this.#outcomes.delete(key);
    this.#outcomes.set(key, outcome);
    for (const [oldest, dropped] of this.#outcomes) {
      if (this.#outcomes.size <= OUTCOMES_MAX && this.#clocks <= CLOCKS_MAX) return;
      this.#outcomes.delete(oldest);
      this.#clocks -= clocksOf(dropped);
    }
  }

  /** Returns the outcome of an edit; `undefined` if it is not kept. */
  of(edit: EditOrigin): ShardEditResult | undefined {
    return this.#outcomes.get(keyOf(edit));
  }
}

function keyOf({ clientId, editId }: EditOrigin): string {
  return `${clientId} ${editId}`;
}

function clocksOf(outcome: ShardEditResult | undefined): number {
  return outcome?.kind === "applied" ? outcome.clocks.length : 0;
}
