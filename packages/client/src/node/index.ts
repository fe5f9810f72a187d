export { connect, connectTiles, type TileClient, type TileConnection } from "./connect.ts";
