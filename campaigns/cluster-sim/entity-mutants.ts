import { change, mutant, type SimMutant } from "../sim/sim-mutants.ts";

const ENTITIES = "cluster/dist/owner/shard-entities.js";
const CROSSINGS = "cluster/dist/owner/crossings.js";
const BOOK = "cluster/dist/owner/transfer-book.js";
const OWNER = "cluster/dist/owner/shard-owner.js";
const SPLIT = "cluster/dist/membership/split-shard.js";
const FOLLOWED = "cluster/dist/gateway/followed-entities.js";

/** Mutants of the rules about entities, which cross the borders of shards. */
export const ENTITY_MUTANTS: readonly SimMutant[] = [
  mutant(
    "a shard forgets an entity before the other shard has it",
    change(CROSSINGS, 'outcomes[index] === "stored"', "true"),
  ),
  mutant(
    "a shard takes an entity over twice",
    change(ENTITIES, "if (log.books.transfers.has(from, transfer))", "if (false)"),
  ),
  mutant("a save lacks the outbox", change(BOOK, "outbox: this.outbox,", "outbox: [],")),
  mutant(
    "a save lacks the received transfers",
    change(BOOK, "received: [...received.values()],", "received: [],"),
  ),
  mutant(
    "an entity arrives before its departure is stored",
    change(CROSSINGS, "await log.whenDurable();\n                const isProgress", "const isProgress"),
  ),
  mutant(
    "an arrival is acknowledged before it is stored",
    change(
      ENTITIES,
      "await this.#whenStored();\n        return outcomes;",
      "void this.#whenStored().catch(() => undefined);\n        return outcomes;",
    ),
  ),
  mutant(
    "a split leaves its entities with the old shard, too",
    change(OWNER, "this.#world.sharedEntities.drop((entity) => !stays(entity));", ""),
  ),
  mutant(
    "a split gives all entities to the new shard, too",
    change(SPLIT, "keepsEntity: (entity) => !stays(entity)", "keepsEntity: () => true"),
  ),
  mutant(
    "an arrival may have an earlier stamp than the departure",
    change(ENTITIES, "log.observe(stamp);", ""),
  ),
  mutant(
    "a gateway does not notice that it missed a record about entities",
    change(FOLLOWED, "else if (one.stamp !== 0 && one.stamp < after)", "else if (false)"),
    change(FOLLOWED, "this.#queue.addBackground(oldest);", ""),
  ),
];
