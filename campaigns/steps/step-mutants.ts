import { argument, call, condition, value } from "../sim/mutation.ts";
import { change, mutant, type SimMutant, without } from "../sim/sim-mutants.ts";

/** Programs whose steps are not whole after a power cut, repeat numbers, or depend on what is in memory. */
export const STEP_MUTANTS: readonly SimMutant[] = [
  mutant(
    "the ticks of a step are journaled apart from its edits",
    change(
      "world/EngineSteps.#apply",
      condition("loggedClocksOf"),
      `{ ...$, ticks: (setImmediate(() => saver.addChange("world", {
        kind: "step", step, chunks: [], clocks: [], ticks: logged.ticks, entities: [],
      })), []) }`,
    ),
  ),
  mutant(
    "the number of a step is stored before its edits",
    change(
      "world/EngineSteps.make",
      call("#apply"),
      `(async (change) => {
        content.steps.restore(change.step);
        saver.addChange("world", {
          kind: "step", step: change.step, chunks: [], clocks: [], ticks: [], entities: [],
        });
        await new Promise((resolve) => setTimeout(resolve, 1));
        return this.#apply(change, number);
      })(this.#run(reach, run))`,
    ),
  ),
  mutant(
    "a crash drops the ticks that are due next",
    change(
      "world/Replay.#step",
      argument("replayTicks", 1),
      "$.map((one) => ({ ...one, changes: one.changes.filter((tick) => tick.step !== step + 1) }))",
    ),
  ),
  mutant(
    "a save has the chunks of a step without their ticks",
    change("world/LeafCollector.collect", value("ticks"), "undefined"),
  ),
  mutant(
    "the entities of a step are journaled apart from its edits",
    change(
      "world/EngineSteps.#apply",
      condition("loggedClocksOf"),
      `{ ...$, entities: (setImmediate(() => saver.addChange("world", {
        kind: "step", step, chunks: [], clocks: [], ticks: [], entities: logged.entities,
      })), []) }`,
    ),
  ),
  mutant(
    "a world makes its last step again after a crash",
    change("world/Replay.#step", argument("steps.restore", 0), "$ - 1"),
  ),
  mutant(
    "numbers of steps are used before they are durable",
    without("world/EngineSteps.make", call("steps.reserve")),
    change("world/EngineSteps.make", condition("isReservedIn"), "false"),
  ),
  mutant(
    "numbers that were reserved before a crash are used again",
    without("world/WorldSaver.constructor", call("skipReserved")),
  ),
  mutant(
    "a step reads and edits all regions in memory",
    change("world/EngineSteps.#run", value("isInReach"), "() => true"),
  ),
  mutant(
    "active regions are not kept in memory",
    change("world/ActiveRegions.#add", call("#engine.keep"), "() => undefined"),
  ),
];
