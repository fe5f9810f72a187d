import { ClusterNode, DiskFolders, ShardFolders } from "@orthant/cluster";
import { systemTime } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { systemRandomBits } from "@orthant/core/lattice";
import { NodeDisk } from "@orthant/disk/node";
import { FatalCalls } from "./fatal-calls.ts";
import { joinBackbone, type MemberOrder, readSettings, say } from "./member.ts";
import { walk } from "./walkers.ts";

// An owner process, which owns shards until it is killed.

const settings = readSettings();
const { world, name, folder } = settings;
const fatal = new FatalCalls(world);
const node = new ClusterNode({
  ...{
    backbone: fatal.backbone(await joinBackbone(settings)),
    folders: new ShardFolders(fatal.folders(new DiskFolders(new NodeDisk(folder))), world),
  },
  ...{ time: systemTime, random: systemRandomBits, generators: DEFAULT_GENERATORS, world, node: name },
  events: {
    onClaimed: (shard, term, tookMs) =>
      say({ kind: "claimed", shard, detail: `term ${term} in ${tookMs} ms` }),
    onLost: (shard, error) => say({ kind: "lost", shard, detail: String(error) }),
    onJournalLost: (shard, detail) =>
      say({ kind: "trouble", detail: `shard ${shard} lost its journal: ${detail}` }),
  },
});
process.on("message", (order: MemberOrder) => {
  carryOut(order).then(
    () => say({ kind: "done", detail: "" }),
    (error) => say({ kind: "done", detail: String(error) }),
  );
});
await node.start();
if (settings.walks) void walk(node);
say({ kind: "ready" });

async function carryOut(order: MemberOrder): Promise<void> {
  if (order.kind === "stop") return node.stop();
  fatal.arm(order.kind === "split" ? order.newShard : order.shard, order.diesBefore);
  if (order.kind === "die") return;
  if (order.kind === "move") await node.move(order.shard, order.successor);
  else await node.split(order.shard, order.sectors, order.newShard);
  fatal.arm("");
}
