/** A server of a world: one of its own or, with {@link ClusterSettings}, one of a cluster. */
export const SERVER_PROGRAM: URL = new URL("./shared-world.js", import.meta.url);
/** Many clients. */
export const CROWD_PROGRAM: URL = new URL("./crowd.js", import.meta.url);
