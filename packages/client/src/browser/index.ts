/**
 * A cache of the client in the browser's IndexedDB.
 *
 * @module @orthant/client/browser
 */

export { indexedDbCache } from "./indexed-db-cache.ts";
