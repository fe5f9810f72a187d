import { call } from "../sim/mutation.ts";
import { change, mutant, type SimMutant, without } from "../sim/sim-mutants.ts";

/** Mutants of the rules about edits of steps, which cross the borders of shards. */
export const BORDER_MUTANTS: readonly SimMutant[] = [
  mutant(
    "a shard applies edits of another one again",
    change("cluster/Arrivals.#isNew", call("inbox.has"), "false"),
  ),
  mutant(
    "a save lacks the edits in the outbox",
    change("cluster/BorderState.toSave", call("toSave", 2), "{ ...$, outbox: [] }"),
  ),
  mutant(
    "a save lacks which edits were applied",
    change("cluster/BorderState.toSave", call("toSave", 2), "{ ...$, inbox: [] }"),
  ),
  mutant(
    "edits are acknowledged before the step that applies them is stored",
    without("cluster/Arrivals.whenDone", call("whenDurable")),
    without("cluster/ShardSteps.#inTurn", call("whenDurable")),
  ),
  mutant(
    "an owner does not replay which edits were sent and applied",
    change("cluster/readChanges", call("onTransfers"), 'record.kind === "entities" && $'),
  ),
  mutant(
    "a step's edits across a border are recorded without their effect",
    change("cluster/Arrivals.begin", call("effective.flatMap"), "[]"),
  ),
];
