import type { Lateness } from "../stall/lateness.ts";

/** The program of a server with a world of terrain. */
export const TERRAIN_PROGRAM: URL = new URL("./terrain-server.js", import.meta.url);
/** The program of a client without the server's generators. */
export const JOINER_PROGRAM: URL = new URL("./joiner.js", import.meta.url);

/** Orders to the server. `watch` starts to measure its loop. */
export interface TerrainOrder {
  readonly kind: "watch" | "report";
}

/** What the server reports. */
export interface TerrainReport {
  readonly port: number;
  /** Lateness of its loop since `watch`. */
  readonly lateness: Lateness;
  readonly cpuUs: number;
}

/** Order to a client: join, and hold everything within a radius of the origin. */
export interface JoinOrder {
  readonly url: string;
  readonly radiusChunks: number;
}

/** What the client reports when it holds everything. */
export interface JoinReport {
  readonly joinMs: number;
  readonly regions: number;
}
