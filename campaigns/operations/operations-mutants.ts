import { argument, call, condition, value } from "../sim/mutation.ts";
import { change, mutant, type SimMutant } from "../sim/sim-mutants.ts";

/** Programs whose operations are not whole, not those of the moment, or not what they say. */
export const OPERATIONS_MUTANTS: readonly SimMutant[] = [
  mutant(
    "an operation uses chunks that it computed before others edited there",
    change("world/OperationRun.#current", condition("isCurrent", "known"), "known !== undefined"),
  ),
  mutant(
    "an operation does not look whether connected voxels are as it found them",
    change("world/OperationRun.#watchedWork", condition("isCurrent", "world"), "true"),
  ),
  mutant(
    "an operation leaves out one of its chunks",
    change("world/OperationRun.attempt", argument("setChunks", 0), "$.slice(1)"),
  ),
  mutant(
    "an undo takes back what others have changed since",
    change("world/undone", condition("voxels", "nowData", "leftData"), "false"),
  ),
  mutant(
    "what a player can undo is not in the journal with the operation",
    change("world/EngineTransactions.#apply", value("stored"), "[]"),
  ),
  mutant(
    "data stays behind when its voxel moves",
    change("core/changedChunk", condition("optionalBytesEqual", "bytes"), "false"),
  ),
  mutant(
    "data stays when a voxel gets a block of another type",
    change("core/changedChunk", condition("isSameType"), "false"),
  ),
  mutant(
    "blocks that turn face where they did",
    change("core/turnPlan", call("turnedProperties"), "described.properties"),
  ),
];
