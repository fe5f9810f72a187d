import { OrthantError, type Position, type TimeSource, type Vector } from "@orthant/core";
import { sameTypeIn } from "@orthant/core/chunk";
import { AXES, axisOutside, boxAt, regionOf } from "@orthant/core/lattice";
import type { WorldContent } from "../content/world-content.ts";
import type { EngineEdit, WorldEditor } from "../edit/world-editor.ts";
import { EngineStep, type StepWorld } from "./engine-step.ts";
import { StepEntityChanges } from "./step-entity-changes.ts";
import type { StepPart } from "./step-part.ts";

/** A player who is in a world, with a position in voxels. */
export interface ActivePlayer {
  readonly playerId: bigint;
  readonly position: Vector;
}

/** Returns the players around whom a world is active. */
export type PlayerSource = () => Iterable<ActivePlayer>;

/** Players farther from the origin do not count. Regions around those who count are in the world. */
const CHUNK_DISTANCE_MAX = 2 ** 30;

/** Where the systems of a step work. */
export interface StepReach {
  /** Whether the ticks and entities of a region take part. */
  isActive(region: Position): boolean;
  /** Whether voxels and ticks of a region can be read and changed: in active regions and those around them. */
  isInReach(region: Position): boolean;
}

/** A step that works on all regions in memory. For steps without systems, whose caller has loaded what they change. */
export const EVERYTHING_LOADED: StepReach = { isActive: () => true, isInReach: () => true };

/** How an open world may be simulated. */
interface StepRules {
  readonly time: TimeSource;
  /** Whether the world is a shard of a cluster. */
  readonly isShard: boolean;
  /** Throws unless the world accepts changes. */
  requireWritable(): void;
}

/** Runs the steps of a world's simulation. */
export class EngineSteps {
  readonly #content: WorldContent;
  readonly #editor: WorldEditor;
  readonly #rules: StepRules;
  readonly #sources = new Set<PlayerSource>();
  #isSimulated = false;

  /** @internal */
  constructor(content: WorldContent, editor: WorldEditor, rules: StepRules) {
    this.#content = content;
    this.#editor = editor;
    this.#rules = rules;
  }

  /** The count of steps that were made, by which ticks are due. */
  get last(): number {
    return this.#content.steps.count;
  }

  /** The number of the last step; 0 before the first. After a crash it is higher than the count. */
  get lastNumber(): number {
    return this.#content.steps.last;
  }

  get time(): TimeSource {
    return this.#rules.time;
  }

  /** The seed of the world. */
  get seed(): bigint {
    return this.#content.global.worldSeed;
  }

  /** Returns the players around whom the world is active: not those who claim to be where no voxel is. */
  players(): readonly ActivePlayer[] {
    const { extents } = this.#content.regions.state.shape;
    const isInWorld = ({ position }: ActivePlayer): boolean =>
      AXES.every((axis) => Math.abs(position[axis]) <= CHUNK_DISTANCE_MAX * extents[axis]);
    return [...this.#sources].flatMap((source) => [...source()].filter(isInWorld));
  }

  /** Keeps a simulated world active around players. Returns a function that ends it. */
  addPlayers(source: PlayerSource): () => void {
    this.#sources.add(source);
    return () => void this.#sources.delete(source);
  }

  /**
   * Begins a simulation, of the whole world or of a part. Returns a function that ends it. Throws `ORT_ARGUMENT` if the
   * world has one.
   */
  begin(part?: StepPart): () => void {
    this.#requireSimulable(part);
    if (this.#isSimulated)
      throw new OrthantError("ORT_ARGUMENT", "the world is simulated already: stop that simulation first");
    this.#isSimulated = true;
    return () => {
      this.#isSimulated = false;
    };
  }

  /** Makes the ticks of a region count, which must be in memory. */
  activate(region: Position): void {
    this.#content.regions.ticks.activate(region, this.last);
  }

  /** Skips the steps up to `step`. Ticks that are due meanwhile wait, as those of a region that is not active. */
  skipTo(step: number): void {
    if (step <= this.last) return;
    this.#content.steps.restore(step);
    this.#content.regions.ticks.skipTo(step);
  }

  /**
   * Makes the next step, after all edits that were requested before. Ticks of regions that are not active wait. If `run`
   * throws, the step was not made. In a world with a journal, a step is durable shortly after it was made. With `part`, a
   * step sees and changes nothing else, and entities that it moves elsewhere leave.
   */
  async make(
    { isActive, isInReach }: StepReach,
    run: (step: EngineStep) => void,
    part?: StepPart,
  ): Promise<EngineEdit> {
    this.#requireSimulable(part);
    const owns = (region: Position): boolean => part === undefined || part.owns(region);
    // The next owner of a shard may make steps again that changed nothing. Rule K64.
    const hasNumbers = !this.#rules.isShard;
    return this.#editor.step({ hasNumbers }, (state) => {
      const { regions } = this.#content;
      const count = this.last + 1;
      const world: StepWorld = {
        count,
        number: this.lastNumber + 1,
        state,
        takeDue: () => regions.ticks.takeDue(count).filter(({ position }) => isActive(regionOf(position))),
        isSameType: sameTypeIn(this.#content.catalog),
        ticks: regions.ticks,
        entities: new StepEntityChanges({
          entities: this.#content.entities,
          newEntityId: part === undefined ? this.#entityIds() : () => part.newEntityId(),
          nowMs: this.time.nowMs(),
          isActive,
          owns,
        }),
        isLoaded: (chunk) => regions.isLoaded(boxAt(chunk)) && owns(regionOf(chunk)),
        isInReach: (chunk) => isInReach(regionOf(chunk)),
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
    });
  }

  /** Returns a function that gives the ids after those that the world has used. */
  #entityIds(): () => bigint {
    let next = this.#content.global.nextEntityId;
    return () => next++;
  }

  #requireSimulable(part: StepPart | undefined): void {
    this.#rules.requireWritable();
    if (this.#rules.isShard && part === undefined)
      throw new OrthantError(
        "ORT_ARGUMENT",
        "the node that owns a shard simulates it: call simulate of the node",
      );
    this.#content.requireRoomFor("a simulation");
  }
}
