export { indexedDbCache } from "./indexed-db-cache.ts";
