/**
 * The viewer's worker, for programs that draw by themselves.
 *
 * @module @orthant/viewer/worker
 */

export type { View, WorldMessage, WorldRequest } from "./message/messages.ts";
export { openWorldWorker, type WorldWorker, type WorldWorkerOptions } from "./open-world-worker.ts";
