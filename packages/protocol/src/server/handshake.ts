import { isOrthantError, OrthantError } from "@orthant/core";
import { nameFault } from "@orthant/core/arguments";
import { pointOnAxes } from "@orthant/core/lattice";
import type { Hello } from "../message/client-message.ts";
import {
  FEATURES,
  KNOWN_FEATURES,
  LIMIT_MAX,
  NAME_BYTES_MAX,
  PROTOCOL_VERSION,
  REQUIRED_FEATURES_MASK,
} from "../message/limits.ts";
import { clipText } from "../message/sendable.ts";
import type { ClientLimits, Welcome } from "../message/server-message.ts";
import type { Account, AccountFault, Player } from "./account.ts";
import { type Disconnect, malformed } from "./disconnect.ts";
import { looksAtVoxels } from "./edits/edit-checks.ts";
import { type ClientEncoding, clientEncoding } from "./regions/client-encoding.ts";
import type { ServerContext } from "./server-context.ts";
import type { SyncLimits } from "./sync-limits.ts";
import type { SyncServerOptions } from "./sync-server-options.ts";
import type { SyncWorld } from "./sync-world.ts";

/** What client and server agree on. */
export interface Agreement {
  readonly encoding: ClientEncoding;
  readonly featureBits: bigint;
  /** Whether the client may offer the regions it kept. */
  readonly isResumed: boolean;
  /** Hash of the catalog of blocks that the client has. */
  readonly blocksHash: bigint;
}

/** Returns what is agreed after a hello, or why it is refused, independent of its sender. */
export function agreementOn(hello: Hello, world: SyncWorld): Agreement | Disconnect {
  const wrong = nameFault(hello.name);
  if (wrong !== undefined) return malformed(wrong);
  const unknown = hello.featureBits & REQUIRED_FEATURES_MASK & ~KNOWN_FEATURES;
  if (unknown !== 0n) {
    return { reason: "features", detail: `the client needs features 0x${unknown.toString(16)}` };
  }
  const other = otherLand(hello, world);
  if (other !== undefined) {
    const advice = "build both from the same code, and raise the version of a generator that changes";
    const detail = `the generator "${other}" makes other land in this program than on the server; ${advice}`;
    return { reason: "features", detail };
  }
  const featureBits = hello.featureBits & KNOWN_FEATURES;
  const detail = (featureBits & FEATURES.editLists) === 0n ? "chunks" : "edits";
  const { kept } = hello;
  // Kept regions are identified by clocks, and a clock means the same content in both modes.
  const isResumed = kept !== undefined && kept.worldId === world.worldId && world.knowsEpoch(kept.epoch);
  const encoding = clientEncoding(world.state.generatorMap, hello.generators, detail);
  return { encoding, featureBits, isResumed, blocksHash: hello.blocksHash };
}

/**
 * Returns the id of a generator of the world that the client has in the same version, but with another function: its player would
 * see land that is not there.
 */
function otherLand({ featureBits, generators }: Hello, { state }: SyncWorld): string | undefined {
  if ((featureBits & FEATURES.sampledGenerators) === 0n) return undefined;
  const offered = new Set(generators);
  return state.generatorMap.refs.find((ref) => {
    const hash = state.generators.sampleHashOf(ref);
    return hash !== undefined && offered.has(ref.versionHash) && !offered.has(hash);
  })?.generatorId;
}

/** Returns the account of the sender of a hello, or why it is refused. */
export async function authorize(
  hello: Hello,
  { authorize, events }: SyncServerOptions,
): Promise<{ readonly account: Account } | Disconnect> {
  try {
    const decided = await authorize(hello);
    return isFault(decided) ? decided : { account: decided };
  } catch (error) {
    // Only our own errors are meant for the client.
    if (!isOrthantError(error)) events?.onFailure?.(error);
    const detail = isOrthantError(error) ? error.detail : "who this is could not be found out";
    return { reason: "credentials", detail };
  }
}

/** Waits until the world knows the player's last pose. If that fails, the player starts at the spawn. */
export async function lookUpPlayer(
  account: Account | undefined,
  { world, events }: SyncServerOptions,
): Promise<void> {
  const id: unknown = account?.playerId;
  // An invalid account is refused later, at the join.
  if (!isPlayerId(id)) return;
  try {
    await world.loadPlayer?.(id);
  } catch (error) {
    events?.onFailure?.(error);
  }
}

/** Returns an account that fits into messages, or why it is refused. Throws `ORT_ARGUMENT` for a bad id. */
export function sendableAccount(account: Account): Account | Disconnect {
  const { playerId, name } = account;
  // An id that no message can hold would fail when other clients are sent the player.
  if (!isPlayerId(playerId)) {
    throw new OrthantError("ORT_ARGUMENT", `${playerId} is not an id of a player: it has 64 bits`);
  }
  const wrong = nameFault(name);
  return wrong === undefined ? { ...account, name: clipText(name, NAME_BYTES_MAX) } : malformed(wrong);
}

/** Returns the welcome for an accepted client. */
export function welcomeFor(
  agreement: Agreement,
  player: Player,
  { options: { tickMs, rules }, world, limits, precision, blocksFor }: ServerContext,
): Welcome {
  const { featureBits, isResumed } = agreement;
  const { catalog, hash: blocksHash } = blocksFor(featureBits);
  return {
    kind: "welcome",
    version: PROTOCOL_VERSION,
    featureBits,
    worldId: world.worldId,
    epoch: world.epoch,
    worldName: world.name,
    shape: world.shape,
    generators: world.state.generatorMap,
    blocksHash,
    catalog: agreement.blocksHash === blocksHash ? undefined : catalog,
    spawn: pointOnAxes(world.shape, world.spawn),
    playerId: player.playerId,
    role: player.role,
    resumed: isResumed,
    tickMs,
    limits: clientLimits(limits, looksAtVoxels(rules) ? limits.ruleVoxelsMax : LIMIT_MAX),
    precision,
    position: player.position,
    orientation: player.orientation,
  };
}

/** An answer that is neither an account nor a fault counts as an account, which the join refuses. */
function isFault(decided: Account | AccountFault | undefined): decided is AccountFault {
  return decided !== undefined && "reason" in decided;
}

/** Returns the limits that clients keep to, in numbers that a message can carry, with at most `voxelsMax` voxels in an edit. */
function clientLimits(limits: SyncLimits, voxelsMax: number): ClientLimits {
  const known = (limit: number): number => Math.min(LIMIT_MAX, Math.max(0, limit));
  return {
    bytesPerSecond: known(limits.bytesPerSecond),
    editsPerSecond: known(limits.editsPerSecond),
    editsBurst: known(limits.editsBurst),
    editVoxelsMax: known(Math.min(limits.editVoxelsMax, voxelsMax)),
    editBoxVoxelsMax: known(limits.editBoxVoxelsMax),
    editChunksMax: known(limits.editChunksMax),
    editChunksPerSecond: known(limits.editChunksPerSecond),
    copyVoxelsMax: known(Math.min(limits.copyVoxelsMax, voxelsMax)),
    editDataBytesMax: known(limits.editDataBytesMax),
    editDataBytesPerSecond: known(limits.editDataBytesPerSecond),
    gameMessagesPerSecond: known(limits.gameMessagesPerSecond),
  };
}

function isPlayerId(id: unknown): id is bigint {
  return typeof id === "bigint" && BigInt.asUintN(64, id) === id;
}
