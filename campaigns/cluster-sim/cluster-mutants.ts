import { change, mutant, type SimMutant } from "../sim/sim-mutants.ts";
import { BORDER_MUTANTS } from "./border-mutants.ts";
import { ENTITY_MUTANTS } from "./entity-mutants.ts";
import { TRUST_MUTANTS } from "./trust-mutants.ts";

const LOG = "cluster/dist/owner/shard-log.js";
const OWNER = "cluster/dist/owner/shard-owner.js";
const EDITS = "cluster/dist/owner/shard-edits.js";
const ANSWERS = "cluster/dist/owner/answers.js";
const FOLDERS = "cluster/dist/folder/shard-folders.js";
const LEASES = "cluster/dist/membership/leases.js";
const SPLIT = "cluster/dist/membership/split-shard.js";
const REGIONS = "cluster/dist/gateway/followed-regions.js";
const FORWARDER = "cluster/dist/gateway/edit-forwarder.js";
const JOURNAL = "cluster/dist/owner/shard-journal.js";
const SAVER = "world/dist/saving/world-saver.js";
const COLLECTED = "await started.leaves.collect(nextTurn)";
const LAST_EDITS = "world/dist/content/last-edit-store.js";

/** Program text: reads changes, and drops their data. */
const READ_BARE_CHANGES = `(async function* (...asked) {
  for await (const change of readChanges(...asked))
    yield {
      ...change,
      chunks: change.chunks.map(({ data, chunk, ...rest }) =>
        chunk === undefined ? rest : { ...rest, chunk: chunk.withoutData() }),
    };
})`;
/** Program text: a leaf of a commit, without data. */
const BARE_LEAF = `({
  ...leaf,
  changed: leaf.changed?.map((one) => ({ ...one, chunk: one.chunk?.withoutData() })),
})`;

/** At least one mutant for each rule that a cluster depends on. */
export const CLUSTER_MUTANTS: readonly SimMutant[] = [
  mutant(
    "an owner appends at the journal's actual end: without the first fence",
    change(
      LOG,
      "await opened(this.#room).append(records, this.#last, ",
      "await opened(this.#room).append(records, (await opened(this.#journal).state()).last, ",
    ),
  ),
  mutant(
    "a previous owner finds its folder under the new name too: without the second fence",
    change(
      FOLDERS,
      "new OwnedDisk(disk, term, () => this.requireHeld(shard, term))",
      `new OwnedDisk(
        new Proxy({}, {
          get: (_target, call) => async (...asked) =>
            this.#store.disk(this.#pathOf(shard, await this.termOf(shard)))[call](...asked),
        }),
        term,
        async () => undefined,
      )`,
    ),
  ),
  mutant(
    "a node reuses a term",
    change(LEASES, "?? 0, held) + 1", "?? 0, held, 1)"),
    change(FOLDERS, "current >= term", "current > term"),
    change("world/dist/edit/session-epoch.js", "if (epoch.number <= description.clockEpoch)", "if (false)"),
  ),
  mutant(
    "an owner that is late appends its term record all the same",
    change(LOG, "await this.#options.requireHeld();\n            const outcome", "const outcome"),
  ),
  mutant(
    "an owner acknowledges edits before they are stored",
    change(EDITS, "await this.#context.log.whenDurable();", ""),
  ),
  mutant(
    "an owner sends regions with edits that are not stored",
    change(
      ANSWERS,
      'await log.whenDurable();\n    return { kind: "regions", answers };',
      'return { kind: "regions", answers };',
    ),
  ),
  mutant(
    "a save contains edits that are not stored, and claims to contain everything up to the end",
    change(LOG, "while (this.#durableTo < position)\n            await this.whenDurable();", ""),
  ),
  mutant(
    "an owner trims records that no save contains",
    change(LOG, "this.#room?.trim(this.#checkpointed)", "this.#room?.trim(this.#last)"),
    change(
      LOG,
      "this.#markDurable(group.lastPosition);",
      "this.#markDurable(group.lastPosition); this.trim();",
    ),
  ),
  mutant(
    "an owner applies an edit twice",
    change(LAST_EDITS, "return editId <= this.lastEditOf(clientId);", "return false;"),
    change(EDITS, "if (origin.editId <= last)", "if (false)"),
  ),
  mutant(
    "a split counts even if another node owns the shard by now",
    change(
      LOG,
      'this.#storeRecords([{ subject: { kind: "control" }, bytes }]).then',
      "Promise.resolve().then",
    ),
  ),
  mutant(
    "a new owner ignores a split that its predecessor committed",
    change(LOG, "onSplit: (split) => this.#commitSplit(split),", ""),
  ),
  mutant(
    "a lost table counts from 1 again",
    change(
      "testkit/dist/cluster/memory-state.js",
      "this.#revision += LOST_REVISIONS;",
      "this.#revision = 0;",
    ),
  ),
  mutant("a new shard lacks the edits made while it was copied", change(SPLIT, "to: owner.last,", "to: 0,")),
  mutant(
    "a gateway applies records that do not build on the clock it holds",
    change(
      REGIONS,
      "if (followed.clock === record.before)",
      "if (followed.clock !== undefined && record.after > followed.clock)",
    ),
  ),
  mutant(
    "a gateway never compares its regions with their owners",
    change(REGIONS, "this.audit();\n        }\n        this.#dropIdle", "}\n        this.#dropIdle"),
  ),
  mutant(
    "a gateway sends a client's edits to shards in any order",
    change(
      FORWARDER,
      "if (client.open > 0 && (shard === undefined || shard !== client.shard))",
      "if (false)",
    ),
  ),
  mutant(
    "an owner lets edits overtake one that is elsewhere",
    change(EDITS, "astray.add(edit.clientId);", ";"),
  ),
  mutant(
    "a gateway sends parts of an edit behind later edits after a split",
    change(FORWARDER, "inOrder: inOrderOfIds,", ""),
  ),
  mutant(
    "a gateway does not take the blocks of new maps",
    change("cluster/dist/gateway/cluster-gateway.js", "this.#catalog = laterBlocks(this.#catalog, map);", ""),
  ),
  mutant(
    "a gateway forwards blocks without their data",
    change(
      "cluster/dist/shard/requested-edit-codec.js",
      "write(out, { voxel, block, data }) {",
      "write(out, { voxel, block, data }) { if (block !== undefined) data = undefined;",
    ),
  ),
  mutant(
    "a record has the data of the last of its edits only",
    change(JOURNAL, "[...(before.data ?? []), ...(after.data ?? [])]", "after.data ?? before.data"),
  ),
  mutant(
    "a gateway shows blocks of a record without their data",
    change(
      REGIONS,
      "return chunkAfter(change, () => this.#state.realizeChunk(...change.position));",
      "return chunkAfter({ ...change, data: undefined }, () => this.#state.realizeChunk(...change.position));",
    ),
  ),
  mutant(
    "an owner sends regions without data",
    change(
      ANSWERS,
      "const change = { position, chunk };",
      "const change = { position, chunk: chunk.withoutData() };",
    ),
  ),
  mutant(
    "a save of a shard has no data",
    change(SAVER, COLLECTED, `(${COLLECTED}).map((leaf) => ${BARE_LEAF})`),
  ),
  mutant(
    "a shard that moves loses the data that no earlier save has",
    change(OWNER, "return this.#world.close();", "this.#log.isLast = true; return this.#world.close();"),
    change(SAVER, COLLECTED, `(${COLLECTED}).map((leaf) => this.#journal?.isLast ? ${BARE_LEAF} : leaf)`),
  ),
  mutant(
    "a new owner replays blocks without their data",
    change(
      LOG,
      "yield* readChanges(opened(this.#journal), {",
      `yield* ${READ_BARE_CHANGES}(opened(this.#journal), {`,
    ),
  ),
  mutant(
    "a new shard lacks the data of edits made while it was copied",
    change(SPLIT, "yield* readChanges(journal, {", `yield* ${READ_BARE_CHANGES}(journal, {`),
  ),
  mutant(
    "a split makes the journal of its new shard while edits wait",
    change(SPLIT, "await retries.until(() => engine.journal(world, newShard));", ""),
  ),
  mutant(
    "an engine without room counts as one that is away",
    change("testkit/dist/cluster/memory-state.js", '"ORT_ENGINE_FULL"', '"ORT_ENGINE_AWAY"'),
  ),
  mutant(
    "a full journal takes no records of new owners",
    change("testkit/dist/cluster/memory-state.js", "> this.#bytesMax && !isControl", "> this.#bytesMax"),
  ),
  mutant(
    "an owner makes what may be a repeat of a client that it has forgotten",
    change(LAST_EDITS, "return isRepeat && ", "return false && "),
    change(EDITS, "if (origin.isRepeat && last === 0 &&", "if (false &&"),
  ),
  mutant(
    "a gateway does not tell an owner that it sends an edit again",
    change(
      FORWARDER,
      "isRepeat: isSent || origin.isRepeat === true || this.#isLate(origin),",
      "isRepeat: origin.isRepeat === true,",
    ),
  ),
  mutant(
    "an owner refuses a stored edit that comes again because the journal is full",
    change(EDITS, "if (origin.editId <= last)", "if (false)"),
  ),
  ...TRUST_MUTANTS,
  ...ENTITY_MUTANTS,
  ...BORDER_MUTANTS,
];
