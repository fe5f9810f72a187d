import { argument, call, condition, value } from "../sim/mutation.ts";
import { change, mutant, type SimMutant, without } from "../sim/sim-mutants.ts";

/** Programs whose light breaks a rule of docs/formats/light.md, or is not brought up to date. */
export const LIGHT_MUTANTS: readonly SimMutant[] = [
  mutant(
    "an edit changes light as if it got through everything at the cost of one level",
    change("core/LightChange.#costOf", condition("kinds"), "1"),
  ),
  mutant(
    "light computed from nothing gets through leaves at the cost of one level",
    change("core/LightWindow.#dim", argument("#setOf", 1), "level"),
  ),
  mutant("light stays when its lamp is removed", without("core/LightChange.#relight", call("#lowerAll"))),
  mutant("light does not flow in where a wall was", without("core/LightChange.#relight", call("#raiseAll"))),
  mutant(
    "a roof casts no shadow on what is kept below",
    change("core/LightChange.apply", value("flips"), "[]"),
  ),
  mutant(
    "an edit forgets the chunks beside, whose light is not kept",
    without("core/LightChange.#chunkBeside", call("escaped.add")),
  ),
  mutant(
    "an edit far from all kept light changes nothing below it",
    without("core/LightField.#settle", call("#dropBelow")),
  ),
  mutant(
    "an edit reaches no other chunks than its own",
    change("core/LightField.constructor", call("lightReachChunks"), "[0, 0, 0, 0]"),
  ),
  mutant(
    "edits above everything generated keep no sky away",
    change("core/SkyColumns.#openAboveTop", call("editedAbove"), "[]"),
  ),
  mutant(
    "columns that were open to the sky stay open",
    without("core/LightField.changedIn", call("#columns.forget")),
    without("core/LightField.#settle", call("#columns.forget")),
  ),
  mutant("a world keeps its light when it changes", without("world/StateLight.present", call("changedIn"))),
  mutant(
    "a world keeps the light of its earlier blocks",
    without("world/StateLight.present", call("changeCatalog")),
  ),
  mutant(
    "a world computes light from the chunks in memory alone",
    change("world/LoadedPart.chunkAt", condition("isLoaded"), "false"),
    change("world/LoadedPart.editedAbove", condition("isLoadedAbove"), "false"),
  ),
  mutant(
    "a world reads the chunks around, and not what is stored above",
    change("world/WorldContent.#newLight", call("upToTheTop"), "chunks"),
  ),
  mutant(
    "a snapshot reads the chunks around, and not what is stored above",
    change("world/EngineSnapshot.#newLight", call("upToTheTop"), "chunks"),
  ),
  mutant(
    "a world takes for known what it has unloaded above",
    without("world/RegionReader.evicted", call("#columns.delete")),
  ),
  mutant(
    "a step sees the light of chunks out of its reach",
    change("world/ReachedPart.chunkAt", condition("isInReach"), "true"),
  ),
  mutant(
    "a step sees shadows of what is out of its reach",
    change("world/ReachedPart.chunkAbove", condition("isInReach"), "true"),
    change("world/ReachedPart.editedAbove", condition("#isInReach"), "true"),
  ),
];
