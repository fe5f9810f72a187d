/** Environment variable that selects the mutant of a process. */
export const MUTANT_VARIABLE = "ORTHANT_SIM_MUTANT";

/** A replacement in the source of a module, made on loading. */
interface SourceChange {
  /** End of the module's path. */
  readonly file: string;
  /** Text that occurs once in the built module. */
  readonly find: string;
  readonly replace: string;
}

/** A program that breaks one rule. Where two mechanisms enforce a rule, it disables both. */
export interface SimMutant {
  /** The forbidden behaviour. */
  readonly fault: string;
  readonly changes: readonly SourceChange[];
}

const BLOCK_FEED = "protocol/dist/server/blocks/block-feed.js";
const CLIENT_STATE = "protocol/dist/client/client-state.js";
const REPLICA = "core/dist/region/region-replica.js";
const LAST_EDITS = "world/dist/content/last-edit-store.js";
const WORLD_LOG = "world/dist/journal/world-log.js";
const EDIT_BLOCKS = "core/dist/chunk/edit-blocks.js";
const ENGINE_STORE = "world/dist/store/engine-store.js";
const EPOCHS = "world/dist/edit/session-epoch.js";
const EDIT_QUEUE = "protocol/dist/server/edits/edit-queue.js";
const SENDER = "protocol/dist/server/regions/region-sender.js";
const CLIENT_REGIONS = "protocol/dist/server/regions/client-regions.js";
const FEED = "protocol/dist/server/regions/region-feed.js";
const STREAM = "protocol/dist/client/world-stream.js";
const SESSION = "protocol/dist/client/client-session.js";

/** Makes the world apply an edit twice, because it ignores the last edits. */
const DEAF_LAST_EDITS = change(LAST_EDITS, "return editId <= this.lastEditOf(clientId);", "return false;");
/** Makes the server accept edits that the world has already applied. */
const DEAF_EDIT_QUEUE = change(EDIT_QUEUE, "world.lastEditOf(this.#clientId)", "0");

/** At least one mutant for each rule that the protocol relies on. */
export const SIM_MUTANTS: readonly SimMutant[] = [
  mutant(
    "a client takes patches that build on other clocks than it holds",
    change(REPLICA, 'typeof base === "number" && base !== this.clockOf(region)', "false"),
  ),
  mutant(
    "a client shows a region, at its clock, of which not all pieces have come",
    change(
      REPLICA,
      "unfinished = { region, base, pieceCount: piece + 1, tree: changed };",
      `{
        unfinished = { region, base, pieceCount: piece + 1, tree: changed };
        tree = tree.graft(regionBox(region), changed);
        this.#clocks.set(...region, this.clockOf(region) ?? CLOCK_NEVER);
      }`,
    ),
  ),
  mutant(
    "a client shows blocks without their data",
    change(
      REPLICA,
      "for (const { chunk, edits: values } of data) {",
      "for (const { chunk, edits: values } of []) {",
    ),
  ),
  mutant(
    "a journal has the blocks of an edit, but not their data",
    change(
      WORLD_LOG,
      "data: data.length === 0 ? undefined : data };",
      "data: edits.length > 0 ? undefined : data };",
    ),
    change(
      WORLD_LOG,
      "const whole = { position, chunk };",
      "const whole = { position, chunk: chunk.withoutData() };",
    ),
  ),
  mutant(
    "a journal leaves out changes of the store",
    change(ENGINE_STORE, 'this.#saver.addChange("world", { kind: "store", key, value });', "void value;"),
  ),
  mutant(
    "a server keeps the data of a voxel whose block became another",
    change(EDIT_BLOCKS, "data === undefined && isSameType(before.block, after)", "data === undefined"),
  ),
  mutant(
    "a world issues the clocks of an epoch again",
    change(EPOCHS, "?? description.clockEpoch + 1", "?? (description.clockEpoch || 1)"),
    change(EPOCHS, "if (epoch.number <= description.clockEpoch)", "if (false)"),
    change(EPOCHS, "[...description.epochs, epoch]", "[epoch]"),
  ),
  mutant(
    "a world issues clocks of an epoch that is not durable",
    change(EPOCHS, 'await this.#saver.save("what is due");', ""),
  ),
  mutant(
    "a client takes what comes behind a gap in the stream",
    change(STREAM, 'return "early";', 'this.#advance(streamNumber + 1, nowMs); return "take";'),
  ),
  mutant(
    "a server does not say where the stream goes on after a resync",
    change(SENDER, "this.#isResetWanted = true;", ""),
  ),
  mutant(
    "a server does not send again what a client never took",
    change(SENDER, "[...since, ...regions]", "regions"),
  ),
  mutant(
    "a world does not remember who made its edits",
    change("world/dist/content/world-content.js", "this.lastEdits.add(origin);", ""),
  ),
  mutant("a server takes edits again after a restart", DEAF_LAST_EDITS, DEAF_EDIT_QUEUE),
  mutant(
    "a server takes edits again after a reconnect",
    DEAF_LAST_EDITS,
    DEAF_EDIT_QUEUE,
    change(EDIT_QUEUE, "let queue = this.#queues.get(clientId);", "let queue;"),
  ),
  mutant(
    "a server acknowledges edits before they are durable",
    change(EDIT_QUEUE, "await this.#context.durability?.wait();", ""),
  ),
  mutant(
    "a server acknowledges edits before it sends what they changed",
    change(CLIENT_REGIONS, "holding.clock >= after", "true"),
  ),
  mutant(
    "a client keeps regions that it should forget",
    change(STREAM, "this.#replica.forget(mask.regions);", ""),
    change(SESSION, "this.#state.dropAllBut((region) => this.#isInInterest(region));", ""),
  ),
  mutant(
    "a server believes every clock that is offered",
    change(CLIENT_REGIONS, "world.clockOf(region.position) === offered", "true"),
  ),
  mutant(
    "a world takes clocks for its own that it issued in a time that was rolled back",
    change(EPOCHS, "known.number === number && known.id === id", "known.number === number"),
  ),
  mutant("a server sends the newest content at an older clock", change(FEED, "known.after = after;", ";")),
  mutant(
    "a client does not notice that it missed a frame",
    change(SESSION, "this.#joined?.entities.fallBehind();", ";"),
  ),
  mutant(
    "a server sends a change of blocks only once",
    change(BLOCK_FEED, "nowMs - this.#sentMs < REPEAT_MS", "true"),
  ),
  mutant(
    "a client applies a change of blocks to another catalog than it is for",
    change(CLIENT_STATE, "content.base !== this.blocksHash", "false"),
  ),
  mutant(
    "a client takes edit results in any order",
    change(SESSION, "this.#earlyResults.get(edits.lowestId)", "this.#earlyResults.values().next().value"),
  ),
];

export function mutant(fault: string, ...changes: readonly SourceChange[]): SimMutant {
  return { fault, changes };
}

export function change(file: string, find: string, replace: string): SourceChange {
  return { file, find, replace };
}
