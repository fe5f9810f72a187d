import { connectReplica } from "@orthant/client/node";

// A player of the guide's cluster: places a block, if it is given one, and prints the block that is there then.

const [url = "", token = "", block = ""] = process.argv.slice(2);
const VOXEL = [8, 100, 8, 0] as const;

const client = connectReplica(url, { name: "Ada", token, interest: { center: VOXEL, radiusChunks: 1 } });
await client.complete();
if (block !== "") {
  const { status } = await client.setVoxel(VOXEL, Number(block));
  if (status !== "applied") throw new Error(`the edit was ${status}`);
}
process.stdout.write(`${client.voxelAt(VOXEL)}\n`);
await client.close();
