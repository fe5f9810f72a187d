import { change, mutant, type SimMutant } from "../sim/sim-mutants.ts";

const HEARTBEATS = "cluster/dist/membership/heartbeats.js";
const LEASES = "cluster/dist/membership/leases.js";
const MAPS = "cluster/dist/membership/shard-map-store.js";
const FOREIGN = "cluster/dist/owner/foreign-records.js";

/** Mutants of the rules about names, permissions and what no node wrote. */
export const TRUST_MUTANTS: readonly SimMutant[] = [
  mutant(
    "a process starts although another one has its name",
    change(HEARTBEATS, "else if (since > 0 || mark < this.#mark)", "else if (false)"),
  ),
  mutant(
    "a process goes on although a later one has its name",
    change(HEARTBEATS, "if (since > this.#firstRevision)", "if (false)"),
  ),
  mutant(
    "a write that the engine does not permit is tried for ever",
    change(
      "cluster/dist/engine/retries.js",
      'isOrthantError(error, "ORT_ENGINE_AWAY")',
      'isOrthantError(error, "ORT_ENGINE_AWAY", "ORT_ENGINE_PERMISSION")',
    ),
  ),
  mutant(
    "a new owner stops at a message that is no record",
    change(FOREIGN, "return error;", "throw error;"),
  ),
  mutant(
    "an owner passes over the records of a newer owner",
    change(FOREIGN, "return undefined;\n            found.push", "continue;\n            found.push"),
  ),
  mutant(
    "no node replaces an unreadable lease",
    change(LEASES, "if (!isForeignValue(entry.value, error))", "if (true)"),
  ),
  mutant(
    "no node replaces an unreadable map",
    change(MAPS, "return !isForeignValue(value, error);", "return true;"),
  ),
];
