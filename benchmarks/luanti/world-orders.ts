import type { CallTime } from "../figure.ts";
import type { BlockName, Scatter } from "./rock.ts";

/** A game with a world of ours, which carries out the same orders as the mod for Luanti. */
export const WORLD_PROGRAM: URL = new URL("./world-process.js", import.meta.url);

/** Settings of the program. */
export interface WorldSettings {
  readonly folder: string;
  readonly durability: "journal" | "snapshot";
}

/** Orders for the program. It answers each with a {@link WorldReport}. */
export type WorldOrder =
  /** Chooses the voxels for the next orders. */
  | { readonly kind: "choose"; readonly voxels: Scatter }
  | { readonly kind: "set" | "set now" | "count" | "save" }
  | { readonly kind: "bulk" | "bulk list" | "fill"; readonly block: BlockName };

/** Times of the calls of one order alone. */
export interface WorldReport extends CallTime {
  /** How many of the chosen voxels have their block; 0 for other orders than `count`. */
  readonly found: number;
}
