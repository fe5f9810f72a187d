/**
 * The client with the WebSocket of the `ws` package, and the client of Wire v1.
 *
 * @module @orthant/client/node
 */

export { connect, connectReplica, connectTiles, type TileClient, type TileConnection } from "./connect.ts";
