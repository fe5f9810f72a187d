import type { Box, Clock, GeneratorRegistry, OrthantError, Place } from "@orthant/core";
import type { Being, Vector } from "../message/being.ts";
import type { Goodbye, Verdict, Welcome } from "../message/server-message.ts";

/** What a guest wants to hold. */
export interface InterestWish {
  /** Boxes of chunks; the server rounds them out to regions. */
  readonly boxes: readonly Box[];
  /** In voxels: what is near to it comes first. */
  readonly center: Vector;
  /** Voxels a second; the guest stands still unless it is given. */
  readonly motion?: Vector;
}

/** What happened to the beings in sight. The guest's own player is never among them. */
export interface BeingsChange {
  readonly entered: readonly Being[];
  /** Those that changed in any way, as they are now. */
  readonly changed: readonly Being[];
  /** Those that are gone, as they were last. */
  readonly left: readonly Being[];
}

/**
 * What a guest tells. Everything is told when what came has been taken as a whole, so a listener sees one state
 * and may use the guest as it likes.
 */
export interface GuestEvents {
  readonly onWelcome?: (welcome: Welcome) => void;
  /** The server ends the connection, and says why. */
  readonly onGoodbye?: (goodbye: Goodbye) => void;
  /** The guest ends the connection, because the server said what it must not say. */
  readonly onFault?: (error: OrthantError) => void;
  /** Chunks that look different now, by patches or by the guest's own edits, or that are newly held or not. */
  readonly onChange?: (chunks: readonly Box[]) => void;
  /** All of the interest is here, since now. */
  readonly onComplete?: (interestId: number) => void;
  readonly onVerdict?: (verdict: Verdict) => void;
  readonly onBeings?: (change: BeingsChange) => void;
  readonly onGame?: (payload: Uint8Array) => void;
  /** What a cache of the region should hold has changed: `held`, write it anew; `forgotten`, remove it. */
  readonly onRegion?: (region: Place, state: "held" | "forgotten") => void;
}

/** What a guest counts, for those who look for a fault. */
export interface GuestCounts {
  /** Patches that came. */
  readonly patches: number;
  /** Times that it asked for regions anew. */
  readonly resyncs: number;
  /** Regions that it holds. */
  readonly heldRegions: number;
}

/** How a guest comes to a host. */
export interface GuestOptions {
  /** Only `nowMs` is asked; ticks come from outside. */
  readonly clock: Clock;
  readonly generators: GeneratorRegistry;
  /** Random, secret, and the same across connections: edits are told apart by it. */
  readonly clientId: bigint;
  readonly name: string;
  /** Asked once for each connection. */
  readonly token: () => Uint8Array;
  /** An id that no edit of this client ever had, nor any higher one; 1 unless it is given. */
  readonly firstEditId?: number;
  /** Memory for generated chunks, {@link GENERATED_CACHE_BYTES} by default. */
  readonly generatedCacheBytes?: number;
  readonly events?: GuestEvents;
}
