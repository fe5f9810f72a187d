import { argument, call, condition, value } from "../sim/mutation.ts";
import { change, mutant, type SimMutant, without } from "../sim/sim-mutants.ts";

/** Mutants of the rules about entities, which cross the borders of shards. */
export const ENTITY_MUTANTS: readonly SimMutant[] = [
  mutant(
    "a shard forgets an entity before the other shard has it",
    change("cluster/Crossings.#send", condition("outcomes", "index"), "true"),
  ),
  mutant(
    "a shard takes an entity over twice",
    change("cluster/ShardEntities.receive", call("inbox.has"), "false"),
  ),
  mutant(
    "a save lacks the outbox",
    change("cluster/BorderState.toSave", call("toSave", 1), "{ ...$, outbox: [] }"),
  ),
  mutant(
    "a save lacks the received transfers",
    change(
      "cluster/BorderState.toSave",
      call("toSave", 1),
      "{ ...$, inbox: entities.inbox.toSave().map((one) => ({ ...one, last: [] })) }",
    ),
  ),
  mutant(
    "an entity arrives before its departure is stored",
    without("cluster/Crossings.#run", call("whenDurable")),
  ),
  mutant(
    "an arrival is acknowledged before it is stored",
    change(
      "cluster/ShardEntities.receive",
      call("#whenStored"),
      "void this.#whenStored().catch(() => undefined)",
    ),
  ),
  mutant(
    "a split leaves its entities with the old shard, too",
    without("cluster/ShardOwner.split", call("entities.drop")),
  ),
  mutant(
    "a split gives all entities to the new shard, too",
    change("cluster/claimNewShard", value("keepsEntity"), "() => true"),
  ),
  mutant(
    "an arrival may have an earlier stamp than the departure",
    without("cluster/ShardEntities.receive", call("log.observe")),
  ),
  mutant(
    "a shard writes records of another shard's sectors",
    change("cluster/ShardEntities.spawn", argument("#leave", 2), "[this.#sectorOf(stored)]"),
  ),
  mutant(
    "a gateway does not notice that it missed a record about entities",
    without("cluster/FollowedEntities.receive", call("#queue.add")),
    without("cluster/FollowedEntities.audit", call("addBackground")),
  ),
];
