/**
 * The viewer, to mount in a page of your own.
 *
 * @module @orthant/viewer
 */

export type { WorldFacts, WorldStatus } from "./message/messages.ts";
export { type MountedViewer, type MountOptions, mountViewer } from "./mount-viewer.ts";
export type { ServerAddress } from "./server-opening.ts";
