export { connect } from "./connect.ts";
export { connectTiles, type TileClient, type TileConnection } from "./connect-tiles.ts";
