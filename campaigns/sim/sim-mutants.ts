import { argument, type CodeChange, call, condition, literal, type Place, value } from "./mutation.ts";

/** Environment variable that selects the mutant of a process. */
export const MUTANT_VARIABLE = "ORTHANT_SIM_MUTANT";

/** A program that breaks one rule. Where two mechanisms enforce a rule, it disables both. */
export interface SimMutant {
  /** The forbidden behaviour. */
  readonly fault: string;
  readonly changes: readonly CodeChange[];
}

/** Makes the world apply an edit twice, because it ignores the last edits. */
const DEAF_LAST_EDITS = change("world/LastEdits.includes", condition("lastEditOf"), "false");
/** Makes the server accept edits that the world has already applied. */
const DEAF_EDIT_QUEUE = change("protocol/EditQueue.attach", call("lastEditOf"), "0");

/** At least one mutant for each rule that the protocol relies on. */
export const SIM_MUTANTS: readonly SimMutant[] = [
  mutant(
    "a client joins others that have later poses of the same entities",
    change("protocol/Audience.#equals", value("hasOtherRange"), "false"),
  ),
  mutant(
    "a client that is not sent what its audience gets counts as having it",
    without("protocol/ClientRegions.missTick", call("miss")),
  ),
  mutant(
    "a client leaves others with clocks of regions that fell behind for all",
    change("protocol/Audience.split", condition("isBehind"), "false"),
  ),
  mutant(
    "a client that asks for regions again leaves its audience with its clocks changed",
    without("protocol/ClientRegions.resync", call("leaveAudience")),
  ),
  mutant(
    "a client takes patches that build on other clocks than it holds",
    change("core/RegionReplica.#fits", condition("clockOf"), "false"),
  ),
  mutant(
    "a client shows a region, at its clock, of which not all pieces have come",
    change(
      "core/RegionReplica.apply",
      value("pieceCount"),
      `tree = tree.graft(regionBox(region), changed),
        this.#clocks.set(...region, this.clockOf(region) ?? CLOCK_NEVER), $`,
    ),
  ),
  mutant(
    "a client shows blocks without their data",
    change("core/RegionReplica.#changed", call("tree.set", 2), "tree"),
  ),
  mutant(
    "a journal has the blocks of an edit, but not their data",
    change("world/journalChunkOf", call("diffVoxelData"), "edits.length > 0 ? [] : $"),
    change("world/journalChunkOf", value("whole"), "{ position, chunk: chunk.withoutData() }"),
  ),
  mutant(
    "a journal leaves out changes of the store",
    without("world/EngineStore.#change", call("addChange")),
  ),
  mutant(
    "a server keeps the data of a voxel whose block became another",
    change("core/editBlocks", condition("isSameType"), "true"),
  ),
  mutant(
    "a world issues the clocks of an epoch again",
    change("world/SessionEpoch.#begin", value("number"), "this.#number ?? (description.clockEpoch || 1)"),
    change("world/SessionEpoch.#begin", condition("epoch", "clockEpoch"), "false"),
    change("world/SessionEpoch.#begin", value("epochs"), "[epoch]"),
  ),
  mutant(
    "a world issues clocks of an epoch that is not durable",
    without("world/SessionEpoch.#begin", call("save")),
  ),
  mutant(
    "a client takes what comes behind a gap in the stream",
    change("protocol/StreamGate.admit", literal("early"), 'this.#advance(streamNumber + 1, nowMs), "take"'),
  ),
  mutant(
    "a server does not say where the stream goes on after a resync",
    change("protocol/RegionSender.resync", value("#isResetWanted"), "false"),
  ),
  mutant(
    "a server does not send again what a client never took",
    change("protocol/RegionSender.resync", argument("resync", 0), 'since === undefined ? "all" : regions'),
  ),
  mutant(
    "a world does not remember who made its edits",
    without("world/WorldContent.rememberOrigin", call("lastEdits.add")),
  ),
  mutant("a server takes edits again after a restart", DEAF_LAST_EDITS, DEAF_EDIT_QUEUE),
  mutant(
    "a server takes edits again after a reconnect",
    DEAF_LAST_EDITS,
    DEAF_EDIT_QUEUE,
    change("protocol/EditQueues.open", call("getOrAdd"), "(this.#queues.delete(clientId), $)"),
  ),
  mutant(
    "a server acknowledges edits before they are durable",
    without("protocol/EditQueue.#acknowledge", call("whenDurable")),
  ),
  mutant(
    "a server acknowledges edits before it sends what they changed",
    change("protocol/ClientRegions.hasSeen", condition("after"), "true"),
  ),
  mutant(
    "a client keeps regions that it should forget",
    without("protocol/WorldStream.#applyForget", call("#replica.forget")),
    without("protocol/ClientSession.#checkComplete", call("dropAllBut")),
  ),
  mutant(
    "a server believes every clock that is offered",
    change("protocol/ClientRegions.settle", call("world.clockOf"), "offered"),
  ),
  mutant(
    "a world takes clocks for its own that it issued in a time that was rolled back",
    change("world/SessionEpoch.knowsEpoch", condition("id"), "true"),
  ),
  mutant(
    "a server sends the newest content at an older clock",
    change("protocol/RegionFeed.recordChange", value("known.after"), "known.after"),
  ),
  mutant(
    "a client does not notice that it missed a frame",
    without("protocol/ClientSession.#take", call("fallBehind")),
  ),
  mutant(
    "a server sends a change of blocks only once",
    change("protocol/PendingBlocks.write", condition("REPEAT_MS"), "true"),
  ),
  mutant(
    "a client applies a change of blocks to another catalog than it is for",
    change("protocol/ClientState.changeBlocks", condition("base"), "false"),
  ),
  mutant(
    "a client takes edit results in any order",
    change(
      "protocol/ClientSession.#receiveResults",
      call("#earlyResults.get"),
      "this.#earlyResults.values().next().value",
    ),
  ),
];

/** Creates a mutant from the changes that make it. */
export function mutant(fault: string, ...changes: readonly CodeChange[]): SimMutant {
  return { fault, changes };
}

/** Replaces a place in a function by an expression. */
export function change(path: string, place: Place, code: string): CodeChange {
  return { in: path, place, code };
}

/** Leaves out a call in a function. */
export function without(path: string, place: Place): CodeChange {
  return change(path, place, "undefined");
}
