import type { Hello } from "../../message/client-message.ts";
import type { Welcome } from "../../message/server-message.ts";
import { FEATURES, KNOWN_FEATURES, PROTOCOL_VERSION, REQUIRED_FEATURES_MASK } from "../../message/version.ts";
import { type RegionEncoding, regionEncoding } from "../regions/change-block.ts";
import type { Account, Player, SyncServerOptions } from "../sync-server-options.ts";
import type { SyncWorld } from "../sync-world.ts";
import type { Fault } from "./fault.ts";

/** What client and server agree on. */
export interface Terms {
  readonly encoding: RegionEncoding;
  readonly featureBits: bigint;
  /** Whether the client may offer the regions it kept. */
  readonly isResumed: boolean;
}

/** An authorized client before its welcome. */
export interface Arrival {
  readonly hello: Hello;
  readonly account: Account;
  readonly terms: Terms;
}

/** Returns the fault for a client that speaks another version. */
export function otherVersion(version: number): Fault {
  return { reason: "version", detail: `this server speaks version ${PROTOCOL_VERSION}, not ${version}` };
}

/** Returns the terms for a hello, or why it is refused, independent of its sender. */
export function termsFor(hello: Hello, world: SyncWorld): Terms | Fault {
  const unknown = hello.featureBits & REQUIRED_FEATURES_MASK & ~KNOWN_FEATURES;
  if (unknown !== 0n) {
    return { reason: "features", detail: `the client needs features 0x${unknown.toString(16)}` };
  }
  const featureBits = hello.featureBits & KNOWN_FEATURES;
  const mode = hello.manifestHash === world.generators.manifestHash ? "symbolic" : "concrete";
  const detail = (featureBits & FEATURES.editLists) === 0n ? "chunks" : "edits";
  const { kept } = hello;
  // Kept regions are identified by clocks, and a clock means the same content in both modes.
  const isResumed = kept !== undefined && kept.worldId === world.worldId && world.remembers(kept.era);
  return { encoding: regionEncoding(mode, detail), featureBits, isResumed };
}

/** Returns the welcome for an accepted client. */
export function welcomeFor(terms: Terms, player: Player, { world, tickMs }: SyncServerOptions): Welcome {
  return {
    kind: "welcome",
    version: PROTOCOL_VERSION,
    manifestHash: world.generators.manifestHash,
    featureBits: terms.featureBits,
    worldId: world.worldId,
    era: world.era,
    worldName: world.name,
    shape: world.shape,
    generator: world.field.generator,
    catalog: world.catalog,
    spawn: world.spawn,
    playerId: player.playerId,
    role: player.role,
    resumed: terms.isResumed,
    tickMs,
    position: player.position,
    orientation: player.orientation,
  };
}
