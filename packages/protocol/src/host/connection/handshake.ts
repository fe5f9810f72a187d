import type { Hello } from "../../message/client-message.ts";
import type { Welcome } from "../../message/server-message.ts";
import { FEATURES, KNOWN_FEATURES, PROTOCOL_VERSION, REQUIRED_FEATURES_MASK } from "../../message/version.ts";
import type { Account, HostOptions, Player } from "../host-options.ts";
import type { HostWorld } from "../host-world.ts";
import { type Telling, tellingOf } from "../regions/change-block.ts";
import type { Fault } from "./fault.ts";

/** What both sides agree on. */
export interface Terms {
  readonly telling: Telling;
  readonly featureBits: bigint;
  /** Whether the client may offer what it kept. */
  readonly isResumed: boolean;
}

/** Somebody who may come in. */
export interface Arrival {
  readonly hello: Hello;
  readonly account: Account;
  readonly terms: Terms;
}

/** The goodbye for a client that speaks another version. */
export function otherVersion(version: number): Fault {
  return { reason: "version", detail: `this server speaks version ${PROTOCOL_VERSION}, not ${version}` };
}

/** What a hello leads to, whoever sent it. */
export function termsFor(hello: Hello, world: HostWorld): Terms | Fault {
  const unknown = hello.featureBits & REQUIRED_FEATURES_MASK & ~KNOWN_FEATURES;
  if (unknown !== 0n) {
    return { reason: "features", detail: `the client needs features 0x${unknown.toString(16)}` };
  }
  const featureBits = hello.featureBits & KNOWN_FEATURES;
  const mode = hello.manifestHash === world.generators.manifestHash ? "symbolic" : "concrete";
  const detail = (featureBits & FEATURES.editLists) === 0n ? "chunks" : "edits";
  const { kept } = hello;
  // What was kept is told by clocks, and a clock means the same content in either mode.
  const isResumed = kept !== undefined && kept.worldId === world.worldId && world.remembers(kept.era);
  return { telling: tellingOf(mode, detail), featureBits, isResumed };
}

/** The answer to a hello that is welcome. */
export function welcomeFor(terms: Terms, player: Player, { world, tickMs }: HostOptions): Welcome {
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
