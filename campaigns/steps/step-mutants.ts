import { change, mutant, type SimMutant } from "../sim/sim-mutants.ts";

const EDITOR = "world/dist/edit/world-editor.js";
const REPLAY = "world/dist/journal/replay.js";
const SAVER = "world/dist/saving/world-saver.js";
const STEPS = "world/dist/simulation/engine-steps.js";
const ACTIVE = "world/dist/simulation/active-regions.js";
const COLLECTOR = "world/dist/content/leaf-collector.js";

/** Programs whose steps are not whole after a power cut, repeat numbers, or depend on what is in memory. */
export const STEP_MUTANTS: readonly SimMutant[] = [
  mutant(
    "the ticks of a step are journaled apart from its edits",
    change(
      EDITOR,
      "{ ...logged, clocks: loggedClocksOf(clocks) }",
      `{ ...logged, clocks: loggedClocksOf(clocks), ticks: (setImmediate(() => this.#saver.addChange("world", {
        kind: "step", step, chunks: [], clocks: [], ticks: logged.ticks, entities: [],
      })), []) }`,
    ),
  ),
  mutant(
    "the number of a step is stored before its edits",
    change(
      EDITOR,
      "return this.#applyStep(run(this.#content.regions.state), epoch.number);",
      `const change = run(this.#content.regions.state);
      this.#content.steps.restore(change.step);
      this.#saver.addChange("world", {
        kind: "step", step: change.step, chunks: [], clocks: [], ticks: [], entities: [],
      });
      await new Promise((resolve) => setTimeout(resolve, 1));
      return this.#applyStep(change, epoch.number);`,
    ),
  ),
  mutant(
    "a crash drops the ticks that are due next",
    change(
      REPLAY,
      "content.regions.ticks.apply(change);",
      `content.regions.ticks.apply({
        ...change, changes: change.changes.filter((tick) => tick.step !== step + 1),
      });`,
    ),
  ),
  mutant(
    "a save has the chunks of a step without their ticks",
    change(COLLECTOR, "ticks: this.#ticks?.get(...position)", "ticks: undefined"),
  ),
  mutant(
    "the entities of a step are journaled apart from its edits",
    change(
      EDITOR,
      "{ ...logged, clocks: loggedClocksOf(clocks) }",
      `{ ...logged, clocks: loggedClocksOf(clocks), entities: (setImmediate(() => this.#saver.addChange("world", {
        kind: "step", step, chunks: [], clocks: [], ticks: [], entities: logged.entities,
      })), []) }`,
    ),
  ),
  mutant(
    "a world makes its last step again after a crash",
    change(REPLAY, "this.#content.steps.restore(step);", "this.#content.steps.restore(step - 1);"),
  ),
  mutant(
    "numbers of steps are used before they are durable",
    change(EDITOR, "this.#content.steps.reserve();", ";"),
    change(
      EDITOR,
      "hasNumbers && !this.#content.steps.isReservedIn(this.#content.save.global.description)",
      "false",
    ),
  ),
  mutant(
    "numbers that were reserved before a crash are used again",
    change(SAVER, "content.steps.skipReserved();", ";"),
  ),
  mutant(
    "a step reads and edits all regions in memory",
    change(STEPS, "isInReach: (chunk) => isInReach(regionOf(chunk)),", "isInReach: () => true,"),
  ),
  mutant(
    "active regions are not kept in memory",
    change(ACTIVE, "this.#engine.keep(loaded)", "() => undefined"),
  ),
];
