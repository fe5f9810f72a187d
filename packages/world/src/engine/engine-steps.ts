import { OrthantError, type Position, type TimeSource, type Vector } from "@orthant/core";
import { sameTypeIn } from "@orthant/core/chunk";
import { AXES, axisOutside, boxAt, regionBox, regionOf } from "@orthant/core/lattice";
import type { WorldState } from "@orthant/core/tree";
import type { ChunkTickChanges } from "@orthant/save/journal";
import type { EngineEdit } from "../edit/engine-edit.ts";
import type { StoredEntityEvent } from "../entities/loaded-entities.ts";
import {
  journalChunkOf,
  type LoggedStep,
  type LoggedStepEntity,
  loggedClocksOf,
} from "../journal/world-log.ts";
import { StepLight } from "../light/step-light.ts";
import type { ChunkTicks } from "../regions/loaded-ticks.ts";
import { EngineStep, type StepWorld } from "../steps/engine-step.ts";
import type { ShardPart, StepChange, StepEntityChange } from "../steps/step-change.ts";
import { StepEntityChanges } from "../steps/step-entity-changes.ts";
import { type EngineCore, requireNoShard } from "./engine-core.ts";

/** A player who is in a world, with a position in voxels. */
export interface ActivePlayer {
  readonly playerId: bigint;
  readonly position: Vector;
}

/** Returns the players around whom a world is active. */
type PlayerSource = () => Iterable<ActivePlayer>;

/** Players farther from the origin do not count. Regions around those who count are in the world. */
const CHUNK_DISTANCE_MAX = 2 ** 30;

/** Where the systems of a step work. */
export interface StepReach {
  /** Whether the ticks and entities of a region take part. */
  isActive(region: Position): boolean;
  /** Whether voxels and ticks of a region can be read and changed: in active regions and those around them. */
  isInReach(region: Position): boolean;
  /** Calls `listener` with regions that came into reach or are no longer in reach. Returns an unsubscribe function. */
  onReach(listener: (regions: readonly Position[]) => void): () => void;
}

/** A step that works on all regions in memory. For steps without systems, whose caller has loaded what they change. */
export const EVERYTHING_LOADED: StepReach = {
  isActive: () => true,
  isInReach: () => true,
  onReach: () => () => undefined,
};

/** What a log gets of a step before its regions have new clocks. */
type StepEntry = Omit<LoggedStep, "clocks">;

/** Makes the steps of a world's simulation, or of the part that a shard is of a larger world. */
export class EngineSteps {
  /** What the steps change of a larger world; `undefined` if they change all of it. */
  readonly part: ShardPart | undefined;
  readonly #core: EngineCore;
  readonly #sources = new Set<PlayerSource>();
  #isSimulated = false;
  /** Made when a step first asks for it. */
  #light: StepLight | undefined;
  #releaseLight: () => void = () => undefined;
  #splitCount = 0;

  /** @internal */
  constructor(core: EngineCore, part?: ShardPart) {
    this.#core = core;
    this.part = part;
  }

  /** The count of steps that were made, by which ticks are due. */
  get last(): number {
    return this.#core.content.steps.count;
  }

  /** The number of the last step; 0 before the first. After a crash it is higher than the count. */
  get lastNumber(): number {
    return this.#core.content.steps.last;
  }

  get time(): TimeSource {
    return this.#core.time;
  }

  /** The seed of the world. */
  get seed(): bigint {
    return this.#core.content.global.worldSeed;
  }

  /** Returns the players around whom the world is active: not those who claim to be where no voxel is. */
  players(): readonly ActivePlayer[] {
    const { extents } = this.#state.shape;
    const isInWorld = ({ position }: ActivePlayer): boolean =>
      AXES.every((axis) => Math.abs(position[axis]) <= CHUNK_DISTANCE_MAX * extents[axis]);
    return [...this.#sources].flatMap((source) => [...source()].filter(isInWorld));
  }

  /** Returns the ids of the players who are online, wherever they are. */
  online(): ReadonlySet<bigint> {
    return new Set([...this.#sources].flatMap((source) => Array.from(source(), ({ playerId }) => playerId)));
  }

  /** Keeps a simulated world active around players. Returns a function that ends it. */
  addPlayers(source: PlayerSource): () => void {
    this.#sources.add(source);
    return () => void this.#sources.delete(source);
  }

  /** Begins a simulation. Returns a function that ends it. Throws `ORT_ARGUMENT` if there is one already. */
  begin(): () => void {
    this.#requireSimulable();
    if (this.#isSimulated)
      throw new OrthantError("ORT_ARGUMENT", "the world is simulated already: stop that simulation first");
    this.#isSimulated = true;
    return () => {
      this.#isSimulated = false;
      this.#releaseLight();
    };
  }

  /** Makes the ticks of a region count, which must be in memory. */
  activate(region: Position): void {
    this.#core.content.regions.ticks.activate(region, this.last);
  }

  /** Skips the steps up to `step`. Ticks that are due meanwhile wait, as those of a region that is not active. */
  skipTo(step: number): void {
    const { steps, regions } = this.#core.content;
    if (step <= this.last) return;
    steps.restore(step);
    regions.ticks.skipTo(step);
  }

  /**
   * Makes the next step, after all edits that were requested before. Ticks of regions that are not active wait. If `run`
   * throws, the step was not made. In a world with a journal, a step is durable shortly after it was made. A step of a shard
   * sees and changes only its part, and entities that it moves elsewhere leave.
   */
  async make(reach: StepReach, run: (step: EngineStep) => void): Promise<EngineEdit> {
    this.#requireSimulable();
    const { content, saver, epoch, queue } = this.#core;
    // The next owner of a shard may make steps again that changed nothing. Rule K64.
    const hasNumbers = this.part === undefined;
    return queue.run(async () => {
      // Before the epoch opens, whose commit then has both.
      if (hasNumbers) content.steps.reserve();
      const { number } = await epoch.open();
      if (hasNumbers && !content.steps.isReservedIn(content.save.global.description))
        await saver.save("what is due");
      await saver.whenRoom();
      saver.requireWriter();
      return this.#apply(
        content.regions.changing(() => this.#run(reach, run)),
        number,
      );
    });
  }

  /** Runs a step, and returns what it changed. */
  #run(reach: StepReach, run: (step: EngineStep) => void): StepChange {
    const { part } = this;
    const { isActive, isInReach } = reach;
    const { regions, entities, catalog } = this.#core.content;
    const { state } = regions;
    const owns = (region: Position): boolean => part === undefined || part.owns(region);
    const splitCount = part?.splitCount ?? 0;
    if (splitCount !== this.#splitCount) this.#releaseLight();
    this.#splitCount = splitCount;
    const count = this.last + 1;
    const world: StepWorld = {
      count,
      number: this.lastNumber + 1,
      state,
      takeDue: () => regions.ticks.takeDue(count).filter(({ position }) => isActive(regionOf(position))),
      isSameType: sameTypeIn(catalog),
      ticks: regions.ticks,
      entities: new StepEntityChanges({
        entities,
        newEntityId: part === undefined ? this.#entityIds() : () => part.newEntityId(),
        nowMs: this.time.nowMs(),
        isActive,
        owns,
      }),
      isLoaded: (chunk) => regions.isLoaded(boxAt(chunk)) && owns(regionOf(chunk)),
      isInReach: (chunk) => isInReach(regionOf(chunk)),
      lightAt: (voxel) => {
        this.#light ??= this.#newLight(reach, owns);
        return this.#light.at(voxel);
      },
      maySend: (chunk, edit) =>
        axisOutside(state.shape, chunk) === undefined &&
        !owns(regionOf(chunk)) &&
        part?.maySend(regionOf(chunk), edit) === true,
    };
    const step = new EngineStep(world);
    try {
      step.begin(part?.arrivals() ?? []);
      run(step);
      return step.change();
    } catch (error) {
      step.undo();
      throw error;
    }
  }

  #newLight({ isInReach, onReach }: StepReach, owns: (region: Position) => boolean): StepLight {
    const { content } = this.#core;
    const light = new StepLight({
      get state() {
        return content.regions.state;
      },
      get catalog() {
        return content.catalog;
      },
      isInReach: (region) => isInReach(region) && owns(region) && content.regions.isLoaded(regionBox(region)),
    });
    const stop = onReach((regions) => light.reachChanged(regions));
    this.#releaseLight = () => {
      stop();
      this.#light = undefined;
    };
    return light;
  }

  /** Applies, logs and saves what a step changed, as one. Must not await: a save includes all of a step or nothing. */
  #apply(change: StepChange, epoch: number): EngineEdit {
    const { content, saver, editListeners } = this.#core;
    const { step, edit: changed, ticks, entities, sent } = change;
    const { state, chunks } = changed;
    const before = this.#state;
    const logged = saver.isJournaling ? this.#admitted(change) : undefined;
    const clocks = content.applyEdit(changed, epoch);
    const edit: EngineEdit = { chunks, clocks, status: clocks.length > 0 ? "applied" : "unchanged" };
    for (const chunk of ticks) content.settleTicks(chunk);
    for (const one of entities) this.#applyEntity(one);
    content.steps.made(step);
    const isIdle = clocks.length + ticks.length + entities.length + sent.length === 0;
    saver.addStep(logged && { ...logged, clocks: loggedClocksOf(clocks) }, { isIdle });
    try {
      if (clocks.length > 0) editListeners.emit(edit, before, state, undefined);
    } finally {
      content.entityListeners.emitAll(entities.map((one) => [entityEventOf(one)]));
    }
    return edit;
  }

  /** Returns what the log gets of a step, before anything is changed. Takes the step back if the log cannot store it. */
  #admitted({ step, edit, blocksOf, ticks, entities, sent, undo }: StepChange): StepEntry {
    try {
      const before = this.#state;
      const logged: StepEntry = {
        kind: "step",
        step,
        chunks: edit.chunks.map((position) =>
          journalChunkOf(before, edit.state, position, blocksOf(position)),
        ),
        ticks: ticks.map(tickChangesOf).filter(hasChanges),
        entities: entities.map((change) => this.#loggedEntity(change)),
        sent,
      };
      this.#core.saver.admitStep(logged);
      return logged;
    } catch (error) {
      undo();
      throw error;
    }
  }

  #loggedEntity({ entityId, entity, leaving }: StepEntityChange): LoggedStepEntity {
    const { entities } = this.#core.content;
    const storedAt = entities.storedAtOf(entityId);
    const from = entities.get(entityId)?.position;
    if (entity !== undefined) return { kind: "entity", entity, storedAt, from };
    return { kind: "entityGone", entityId, storedAt, from, ...(leaving && { leaving }) };
  }

  /** Applies what a step did to an entity. The next save includes it, as it includes the rest of the step. */
  #applyEntity({ entityId, entity }: StepEntityChange): void {
    const { entities } = this.#core.content;
    if (entity !== undefined) entities.restore(entity, this.time.nowMs());
    // One that was added for another part of the world never was here.
    else if (entities.get(entityId) !== undefined) entities.despawn(entityId);
  }

  get #state(): WorldState {
    return this.#core.content.regions.state;
  }

  /** Returns a function that gives the ids after those that the world has used. */
  #entityIds(): () => bigint {
    let next = this.#core.content.entities.nextId;
    return () => next++;
  }

  #requireSimulable(): void {
    this.#core.requireWritable();
    if (this.part === undefined) requireNoShard(this.#core, "simulation");
    this.#core.content.requireRoomFor("a simulation");
  }
}

function entityEventOf({ entityId, entity }: StepEntityChange): StoredEntityEvent {
  return entity === undefined ? { kind: "gone", entityId } : { kind: "present", entity };
}

function tickChangesOf(chunk: ChunkTicks): ChunkTickChanges {
  return { position: chunk.position, changes: chunk.changes() };
}

function hasChanges({ changes }: ChunkTickChanges): boolean {
  return changes.length > 0;
}
