import { type BlockCatalog, isOrthantError, OrthantError, type Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { applyBlockChange, blockCatalogHash, sameTypeIn } from "@orthant/core/chunk";
import { boxContainsBox, PositionSet, regionBox, WHOLE_LATTICE } from "@orthant/core/lattice";
import {
  CLOCK_NEVER,
  type Epoch,
  epochOf,
  generatorMapHash,
  type RegionClock,
  RegionTree,
  regionClockListCodec,
} from "@orthant/core/tree";
import type { CachedEpoch } from "../message/client-message.ts";
import { CLIENT_FRAME_BYTES_MAX, INTEREST_REGIONS_MAX } from "../message/limits.ts";
import { coverRegions } from "../message/regions.ts";
import type { BlocksMessage, Welcome } from "../message/server-message.ts";
import type { CachedRegion, CachedReplica, CachedWorld } from "./cached-region.ts";
import { type InterestRegions, nearestFirst, type Offer } from "./interest.ts";
import { OpenEdits } from "./open-edits.ts";
import { OpenOperations } from "./open-operations.ts";
import { ReplicaChanges, type ReplicaUpdate } from "./replica-changes.ts";
import { SharedReplica } from "./shared-replica.ts";
import type { SyncClientOptions } from "./sync-client-options.ts";

/** Maximum bytes of clocks in an offer, so that it fits into a frame with the rest of the interest. */
const OFFER_BYTES_MAX: number = CLIENT_FRAME_BYTES_MAX / 2;
/** Maximum bytes of one region clock: four coordinates, a clock, and its age. */
const REGION_CLOCK_BYTES_MAX = 28;

/** A welcome, with the present catalog of blocks. */
export interface JoinedWorld extends Welcome {
  readonly catalog: BlockCatalog;
}

/** What a client keeps across connections: the regions it holds, its own edits without results, and requests without answers. */
export class ClientState {
  readonly edits: OpenEdits;
  readonly operations: OpenOperations;
  /** Patches received and resyncs requested, over all connections. */
  readonly counts: { patches: number; resyncs: number } = { patches: 0, resyncs: 0 };
  /** The number of the last pose that a server set; 0 before the first. */
  placedNumber = 0;
  readonly #options: SyncClientOptions;
  readonly #changes = new ReplicaChanges();
  #replica: SharedReplica | undefined;
  #welcome: JoinedWorld | undefined;
  #catalog: BlockCatalog | undefined;
  /** Hash of the generators of the latest welcome. */
  #generatorsHash = 0n;
  /** The contents of the cache, until a welcome decides whether they are valid. */
  #restored: CachedReplica | undefined;

  constructor(options: SyncClientOptions) {
    this.#options = options;
    this.edits = new OpenEdits(options.firstEditId ?? 1);
    this.operations = new OpenOperations(options.time.nowMs());
  }

  /** The latest welcome. */
  get welcome(): JoinedWorld | undefined {
    return this.#welcome;
  }

  /** Hash of the catalog of blocks that is held; 0 without one. */
  get blocksHash(): bigint {
    return this.#catalog === undefined ? 0n : blockCatalogHash(this.#catalog);
  }

  /** The regions of the world of the latest welcome. */
  get replica(): SharedReplica | undefined {
    return this.#replica;
  }

  /** The world whose regions are held or were restored. */
  get world(): CachedWorld | undefined {
    const welcomed = this.#welcome && { ...this.#welcome, generatorsHash: this.#generatorsHash };
    const world = welcomed ?? this.#restored;
    return world && { worldId: world.worldId, epoch: world.epoch, generatorsHash: world.generatorsHash };
  }

  /** The world and epoch to announce to a server; `undefined` when no regions are held. */
  get kept(): CachedEpoch | undefined {
    const regions = this.#restored?.regions ?? this.#replica?.held() ?? [];
    const world = this.world;
    return world === undefined || regions.length === 0
      ? undefined
      : { worldId: world.worldId, epoch: world.epoch };
  }

  /** Returns true when a welcome is for a different world than the one that the open edits are for. */
  isElsewhere({ worldId }: Welcome): boolean {
    return this.#welcome !== undefined && this.#welcome.worldId !== worldId;
  }

  /** Takes the contents of a cache before the first connection. Regions are checked before they are used. */
  restore(kept: CachedReplica): void {
    if (this.#welcome !== undefined) {
      throw new OrthantError("ORT_ARGUMENT", "a replica restored after the first welcome");
    }
    const { worldId, epoch, generatorsHash } = kept;
    const regions = kept.regions.filter(({ region }) => isRegion(region)).slice(0, INTEREST_REGIONS_MAX);
    const { catalog } = kept;
    this.#restored = { worldId, epoch, generatorsHash, regions, catalog };
    this.#catalog = catalog;
  }

  /** Enters the world of a welcome. Keeps the held regions if the server resumes; otherwise starts empty. */
  enter(welcome: Welcome): SharedReplica {
    const catalog = welcome.blocksHash === this.blocksHash ? this.#catalog : welcome.catalog;
    if (catalog === undefined)
      throw new OrthantError("ORT_MESSAGE", "a welcome without the blocks of its world");
    this.#generatorsHash = generatorMapHash(welcome.generators);
    const held = welcome.resumed && this.#replica?.isOf(welcome) ? this.#replica : undefined;
    this.#replica = held ?? this.#begin(welcome);
    this.#catalog = catalog;
    this.#welcome = { ...welcome, catalog };
    return this.#replica;
  }

  /**
   * Changes the catalog of blocks, and returns it. Returns `undefined` if it is there already, or if the change is for
   * another one. Throws an `OrthantError` for a change that does not lead to the named catalog.
   */
  changeBlocks({ blocksHash, content }: BlocksMessage): BlockCatalog | undefined {
    const held = this.#welcome?.catalog;
    if (held === undefined || blocksHash === this.blocksHash) return undefined;
    if ("change" in content && content.base !== this.blocksHash) return undefined;
    const catalog = "change" in content ? applyBlockChange(held, content.change) : content.catalog;
    if (blockCatalogHash(catalog) !== blocksHash) {
      throw new OrthantError("ORT_MESSAGE", "a change of blocks to another catalog than it names");
    }
    this.#catalog = catalog;
    if (this.#welcome !== undefined) this.#welcome = { ...this.#welcome, catalog };
    return catalog;
  }

  /** Returns the held regions to offer with an interest, none newer than `epoch`. Drops the rest. */
  offer(area: InterestRegions, epoch: Epoch | undefined): Offer {
    const replica = this.#replica;
    if (replica === undefined) return { held: [], heldBlank: [] };
    const epochMax = epoch?.number ?? 0;
    const isInInterest = ({ region, clock }: RegionClock): boolean =>
      area.regions.has(...region) && epochOf(clock) <= epochMax;
    const kept = replica.held().filter(isInInterest);
    const blank = kept.filter(({ clock }) => clock === CLOCK_NEVER).map(({ region }) => region);
    const changed = kept.filter(({ clock }) => clock !== CLOCK_NEVER);
    const held = thatFit(changed, nearestFirst(area.center, replica.shape.extents));
    const offered = new PositionSet();
    for (const region of blank) offered.add(...region);
    for (const { region } of held) offered.add(...region);
    this.dropAllBut((region) => offered.has(...region));
    return { held, heldBlank: coverRegions(blank) };
  }

  /** Drops all regions for which `mayStay` returns false. */
  dropAllBut(mayStay: (region: Position) => boolean): void {
    const regions = this.#replica?.held().map(({ region }) => region) ?? [];
    this.#replica?.forget(regions.filter((region) => !mayStay(region)));
  }

  /** Returns what happened to the replica since the last call. */
  takeUpdate(): ReplicaUpdate | undefined {
    return this.#changes.collect(this.#replica ?? NO_REPLICA, this.#options.events?.onEdit !== undefined);
  }

  /** Returns everything that is held, for a cache. */
  keep(): CachedReplica | undefined {
    const replica = this.#replica;
    const world = this.world;
    if (world === undefined || replica === undefined) return this.#restored;
    const regions = replica.held().flatMap(({ region }): readonly CachedRegion[] => {
      const kept = replica.keep(region);
      return kept === undefined ? [] : [kept];
    });
    return { ...world, regions, catalog: this.#catalog };
  }

  #begin(welcome: Welcome): SharedReplica {
    const { generators, generatedCacheBytes } = this.#options;
    const replica = new SharedReplica({
      welcome,
      generators,
      generatedCacheBytes,
      changes: this.#changes,
      // The catalog changes while the replica stays.
      isSameType: (a, b) => (this.#catalog === undefined ? a === b : sameTypeIn(this.#catalog)(a, b)),
    });
    this.dropAllBut(() => false);
    this.#changes.replicaReplaced();
    this.#load(welcome, replica);
    for (const edit of this.edits.all()) predictIfPossible(replica, edit);
    return replica;
  }

  #load({ resumed, worldId }: Welcome, replica: SharedReplica): void {
    const restored = this.#restored;
    if (restored === undefined) return;
    this.#restored = undefined;
    const isSame =
      resumed && restored.worldId === worldId && restored.generatorsHash === this.#generatorsHash;
    for (const kept of restored.regions) {
      if (isSame && replica.restore(worldId, kept)) this.#changes.regionRestored(kept.region);
      // Dropped regions are reported as forgotten, so that the cache drops them, too.
      else this.#changes.regionChanged(kept.region, true, RegionTree.EMPTY);
    }
  }
}

const NO_REPLICA = { tree: RegionTree.EMPTY, holds: (): boolean => false, editsSince: () => undefined };

function isRegion(region: Position): boolean {
  return (
    region.length === 4 &&
    region.every(Number.isSafeInteger) &&
    boxContainsBox(WHOLE_LATTICE, regionBox(region))
  );
}

/** Predicts an edit. Ignores one that turned out to lie outside the world; the server will refuse it. */
function predictIfPossible(replica: SharedReplica, edit: Parameters<SharedReplica["predict"]>[0]): void {
  try {
    replica.predict(edit);
  } catch (error) {
    if (!isOrthantError(error, "ORT_POSITION_RANGE")) throw error;
  }
}

/** Returns as many clocks as fit an offer, preferring the nearest regions. */
function thatFit(
  clocks: readonly RegionClock[],
  byDistance: (a: Position, b: Position) => number,
): readonly RegionClock[] {
  const codec = regionClockListCodec(INTEREST_REGIONS_MAX);
  const fits = (list: readonly RegionClock[]): boolean => encode(codec, list).length <= OFFER_BYTES_MAX;
  const inOrder = clocks.slice(0, INTEREST_REGIONS_MAX);
  if (fits(inOrder)) return inOrder;
  const count = Math.floor(OFFER_BYTES_MAX / REGION_CLOCK_BYTES_MAX);
  const nearest = new Set([...inOrder].sort((a, b) => byDistance(a.region, b.region)).slice(0, count));
  return inOrder.filter((clock) => nearest.has(clock));
}
