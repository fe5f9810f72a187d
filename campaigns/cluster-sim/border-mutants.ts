import { change, mutant, type SimMutant } from "../sim/sim-mutants.ts";

const BOOK = "cluster/dist/owner/edit-book.js";
const ARRIVALS = "cluster/dist/owner/arrivals.js";
const JOURNAL = "cluster/dist/owner/shard-journal.js";
const STEPS = "cluster/dist/owner/shard-steps.js";

/** Mutants of the rules about edits of steps, which cross the borders of shards. */
export const BORDER_MUTANTS: readonly SimMutant[] = [
  mutant(
    "a shard applies edits of another one again",
    change(BOOK, "if (inbox === undefined)", "if (inbox !== null)"),
  ),
  mutant(
    "a save lacks the edits in the outbox",
    change(BOOK, "outbox: this.outbox.map(({ transfer }) => transfer),", "outbox: [],"),
  ),
  mutant(
    "a save lacks which edits were applied",
    change(BOOK, "last: [...last] })", "last: [] })"),
    change(BOOK, "({ from, low, last", "({ from, low: { term: 1, number: 0 }, last"),
  ),
  mutant(
    "edits are acknowledged before the step that applies them is stored",
    change(ARRIVALS, "await log.whenDurable();", ""),
    change(STEPS, "await log.whenDurable();", ""),
  ),
  mutant(
    "an owner does not replay which edits were sent and applied",
    change(
      JOURNAL,
      'if (record.kind === "step" || record.kind === "entities")',
      'if (record.kind === "entities")',
    ),
  ),
  mutant(
    "a step's edits across a border are recorded without their effect",
    change(ARRIVALS, "return effective.flatMap(({ transfer }) => transfer.edits);", "return [];"),
  ),
];
