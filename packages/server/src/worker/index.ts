/**
 * Shares a world in a worker with the page that started the worker: a game for one player, without a server.
 *
 * @module @orthant/server/worker
 */

export { serveWorker, type WorkerOptions } from "./serve-worker.ts";
