/** A Colyseus server with one room. */
export const ROOM_PROGRAM: URL = new URL("./colyseus-room.js", import.meta.url);
/** A client that keeps a copy of the world, as a game does. It answers each order with a {@link ClientReport}. */
export const CLIENT_PROGRAM: URL = new URL("./full-client.js", import.meta.url);

/** Name of the room. */
export const ROOM_NAME = "world";
/** Type of the message with which a client edits: `[x, y, z, w, block]`. */
export const EDIT_MESSAGE = 0;
/** Interval between patches, which is also that between the ticks of an Orthant server. */
export const PATCH_MS = 100;

/** Settings of a world or room: how many of its voxels have changed before the first client joins. */
export interface ChangedSettings {
  readonly changedCount: number;
}

/** Orders for the process of a client. */
export type ClientOrder =
  | { readonly kind: "join"; readonly server: "Orthant" | "Colyseus"; readonly port: number }
  /** Reads all changed voxels, changes one voxel and leaves. */
  | { readonly kind: "leave"; readonly changedCount: number };

/** The join of a client, and what it has read. */
export interface ClientReport {
  readonly joinMs: number;
  /** Bytes of WebSocket messages from the server, with their headers. */
  readonly bytes: number;
  /** Number of changed voxels that the client does not have. */
  readonly missing: number;
}
