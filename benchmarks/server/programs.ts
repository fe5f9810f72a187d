/** A server with its own world or, with {@link ClusterSettings}, a gateway of a cluster. */
export const SERVER_PROGRAM: URL = new URL("./shared-world.js", import.meta.url);
/** Many clients. */
export const CROWD_PROGRAM: URL = new URL("./crowd.js", import.meta.url);
