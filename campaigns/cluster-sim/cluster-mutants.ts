import { argument, call, condition, literal, value } from "../sim/mutation.ts";
import { change, mutant, type SimMutant, without } from "../sim/sim-mutants.ts";
import { BORDER_MUTANTS } from "./border-mutants.ts";
import { ENTITY_MUTANTS } from "./entity-mutants.ts";
import { TRUST_MUTANTS } from "./trust-mutants.ts";

/** Program text: drops the data of the changes that it reads. */
const BARE_CHANGES = `(async function* (changes) {
  for await (const change of changes)
    yield {
      ...change,
      chunks: change.chunks.map(({ data, chunk, ...rest }) =>
        chunk === undefined ? rest : { ...rest, chunk: chunk.withoutData() }),
    };
})($)`;
/** Program text: a leaf of a commit, without data. */
const BARE_LEAF = `({
  ...leaf,
  changed: leaf.changed?.map((one) => ({ ...one, chunk: one.chunk?.withoutData() })),
})`;

/** At least one mutant for each rule that a cluster depends on. */
export const CLUSTER_MUTANTS: readonly SimMutant[] = [
  mutant(
    "an owner appends at the journal's actual end: without the first fence",
    change("cluster/ShardLog.#append", argument("append", 1), "(await opened(this.#journal).state()).last"),
  ),
  mutant(
    "a previous owner finds its folder under the new name too: without the second fence",
    change(
      "cluster/ShardFolders.claim",
      argument("OwnedDisk", 0),
      `new Proxy({}, {
        get: (_target, call) => async (...asked) =>
          this.#store.disk(this.#pathOf(shard, await this.termOf(shard)))[call](...asked),
      })`,
    ),
    change("cluster/ShardFolders.claim", argument("OwnedDisk", 2), "async () => undefined"),
  ),
  mutant(
    "a node reuses a term",
    change("cluster/Leases.claim", call("Math.max"), "Math.max($, 1) - 1"),
    change("cluster/ShardFolders.claim", condition("current", "term"), "current > term"),
    change("world/SessionEpoch.#begin", condition("epoch", "clockEpoch"), "false"),
  ),
  mutant(
    "an owner that is late appends its term record all the same",
    without("cluster/ShardLog.#appendTermRecord", call("requireHeld")),
  ),
  mutant(
    "an owner acknowledges edits before they are stored",
    without("cluster/ShardEdits.applyAll", call("whenDurable")),
  ),
  mutant(
    "an owner sends regions with edits that are not stored",
    without("cluster/answerRegions", call("whenDurable")),
  ),
  mutant(
    "a save contains edits that are not stored, and claims to contain everything up to the end",
    change("cluster/ShardLog.prepare", condition("#durableTo"), "false"),
  ),
  mutant(
    "an owner trims records that no save contains",
    change("cluster/ShardLog.trim", argument("#capacity.trim", 0), "this.#last"),
    change("cluster/ShardLog.#writeAll", call("#markDurable"), "$, this.trim()"),
  ),
  mutant(
    "an owner applies an edit twice",
    change("world/LastEdits.includes", condition("lastEditOf"), "false"),
    change("cluster/ShardEdits.#apply", condition("editId"), "false"),
  ),
  mutant(
    "a split counts even if another node owns the shard by now",
    change("cluster/ShardLog.split", call("#storeRecords"), "Promise.resolve()"),
  ),
  mutant(
    "a new owner ignores a split that its predecessor committed",
    change("cluster/ShardLog.recover", value("onSplit"), "undefined"),
  ),
  mutant(
    "a lost table counts from 1 again",
    change("testkit/MemoryTable.lose", value("#revision"), "-this.#revision"),
  ),
  mutant(
    "a new shard lacks the edits made while it was copied",
    change("cluster/claimNewShard", argument("readChanges", 1), "{ ...$, to: 0 }"),
  ),
  mutant(
    "a gateway applies records that do not build on the clock it holds",
    change(
      "cluster/FollowedRegions.#receiveRecord",
      condition("before"),
      "followed.clock !== undefined && record.after > followed.clock",
    ),
  ),
  mutant(
    "a gateway never compares its regions with their owners",
    without("cluster/FollowedRegions.tick", call("audit")),
  ),
  mutant(
    "a gateway sends a client's edits to shards in any order",
    change("cluster/EditForwarder.#startNext", condition("open", "shard"), "false"),
  ),
  mutant(
    "an owner lets edits overtake one that is elsewhere",
    without("cluster/ShardEdits.#makeAll", call("astray.add")),
  ),
  mutant(
    "a gateway sends parts of an edit behind later edits after a split",
    change("cluster/EditForwarder.constructor", value("inOrder"), "undefined"),
  ),
  mutant(
    "a gateway does not take the blocks of new maps",
    change("cluster/ClusterGateway.constructor", call("newerBlocks"), "this.#catalog"),
  ),
  mutant(
    "a gateway forwards blocks without their data",
    change(
      "cluster/placementCodec.write",
      call("voxelCodec.write"),
      "$, block !== undefined && (data = undefined)",
    ),
  ),
  mutant(
    "a record has the data of the last of its edits only",
    change("cluster/joined", value("data"), "lastOf(after.data ?? before.data)"),
  ),
  mutant(
    "a gateway shows blocks of a record without their data",
    change("cluster/FollowedRegions.#chunkAfter", argument("chunkAfter", 0), "{ ...$, data: undefined }"),
  ),
  mutant(
    "an owner sends regions without data",
    change("cluster/answerOf", value("change"), "{ position, chunk: chunk.withoutData() }"),
  ),
  mutant(
    "a save of a shard has no data",
    change("world/WorldSaver.#commit", call("leaves.collect"), `$.map((leaf) => ${BARE_LEAF})`),
  ),
  mutant(
    "a shard that moves loses the data that no earlier save has",
    change("cluster/ShardOwner.release", call("#world.close"), "this.#log.isLast = true, $"),
    change(
      "world/WorldSaver.#commit",
      call("leaves.collect"),
      `$.map((leaf) => this.#journal?.isLast ? ${BARE_LEAF} : leaf)`,
    ),
  ),
  mutant(
    "a new owner replays blocks without their data",
    change("cluster/ShardLog.recover", call("readChanges"), BARE_CHANGES),
  ),
  mutant(
    "a new shard lacks the data of edits made while it was copied",
    change("cluster/claimNewShard", call("readChanges"), BARE_CHANGES),
  ),
  mutant(
    "a split makes the journal of its new shard while edits wait",
    without("cluster/splitShard", call("backbone.journal")),
  ),
  mutant(
    "a backbone without room counts as one that is away",
    change("testkit/MemoryState.makeJournal", literal("ORT_BACKBONE_FULL"), '"ORT_BACKBONE_AWAY"'),
  ),
  mutant(
    "a full journal takes no records of new owners",
    change("testkit/MemoryJournal.append", condition("isControl"), "true"),
  ),
  mutant(
    "an owner makes what may be a repeat of a client that it has forgotten",
    change("world/LastEdits.requireRemembered", condition("isRepeat"), "true"),
    change("cluster/ShardEdits.#apply", condition("isRepeat"), "false"),
  ),
  mutant(
    "a gateway does not tell an owner that it sends an edit again",
    change("cluster/EditForwarder.#send", value("isRepeat"), "origin.isRepeat === true"),
  ),
  mutant(
    "an owner refuses a stored edit that comes again because the journal is full",
    change("cluster/ShardEdits.#apply", condition("editId"), "false"),
  ),
  ...TRUST_MUTANTS,
  ...ENTITY_MUTANTS,
  ...BORDER_MUTANTS,
];
