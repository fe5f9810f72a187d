export { connect, connectReplica, connectTiles, type TileClient, type TileConnection } from "./connect.ts";
