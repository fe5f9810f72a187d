import { argument, call, condition, value } from "../sim/mutation.ts";
import { change, mutant, type SimMutant, without } from "../sim/sim-mutants.ts";

/** Makes a function, which is found by its name on the stack, see the state without the edits in place. */
function unsettled(reader: string): ReturnType<typeof change> {
  return change(
    "world/WorldRegions.state",
    condition("size"),
    `$ && !new Error().stack.includes("${reader}")`,
  );
}

/** Programs whose edits in place are missing somewhere, or show where they must not. See decision 48. */
export const IN_PLACE_MUTANTS: readonly SimMutant[] = [
  mutant("a snapshot is taken without the edits in place", unsettled("WorldEngine.snapshot")),
  mutant("a save is made without the edits in place", unsettled("#takeChange")),
  mutant("an edit that is not in place does not see those in place", unsettled("#applyToState")),
  mutant(
    "one chunk that was edited in place is missing in the next state",
    change("world/WorldRegions.#endInPlace", argument("withEdited", 0), "[...$].slice(1)"),
  ),
  mutant(
    "chunks stay in their editors after another edit has replaced them",
    without("world/WorldRegions.#endInPlace", call("#inPlace.clear")),
  ),
  mutant(
    "an edit at once keeps a clock that something has seen",
    change("world/WorldRegions.clockInPlace", condition("clockedAt"), "chunk.clockedAt >= 0"),
  ),
  mutant(
    "an edit in place gives its regions no new clocks",
    change(
      "world/WorldContent.editedInPlace",
      call("#bump"),
      "(regions.length > 0 && this.regions.clocks, [{}])",
    ),
  ),
  mutant(
    "a save leaves out chunks that were set at once",
    without("world/WorldContent.setInPlace", call("chunks.add")),
  ),
  mutant(
    "a save leaves out chunks of an edit in place",
    without("world/WorldContent.editedInPlace", call("chunks.add")),
  ),
  mutant(
    "regions with unsaved edits are evicted",
    change("world/WorldContent.#evict", value("isUnsaved"), "() => false"),
  ),
  mutant(
    "chunks with data are edited in place",
    change("world/WorldRegions.editInPlace", condition("size"), "false"),
  ),
  mutant("a journal has no edits in place", change("world/setInPlace", value("logged", 1), "undefined")),
  mutant(
    "several voxels are edited in place, and the journal has none of them",
    change("world/editInPlace", condition("admit", "undefined"), "true"),
  ),
  mutant(
    "an edit puts voxels into the chunk of those before",
    change("world/BlocksByChunk.of", condition("isAt"), "true"),
  ),
  mutant(
    "a read does not see the edits in place",
    change("world/WorldRegions.blockAt", call("inPlaceAt"), "undefined"),
  ),
];
