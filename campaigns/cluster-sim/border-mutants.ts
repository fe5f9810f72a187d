import { call, value } from "../sim/mutation.ts";
import { change, mutant, type SimMutant, without } from "../sim/sim-mutants.ts";

/** Mutants of the rules about edits of steps, which cross the borders of shards. */
export const BORDER_MUTANTS: readonly SimMutant[] = [
  mutant("a shard applies edits of another one again", without("cluster/EditBook.has", call("#inboxes.get"))),
  mutant("a save lacks the edits in the outbox", change("cluster/EditBook.toBytes", value("outbox"), "[]")),
  mutant(
    "a save lacks which edits were applied",
    change("cluster/EditBook.toBytes", value("last"), "[]"),
    change("cluster/EditBook.toBytes", value("low"), "{ term: 1, number: 0 }"),
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
