import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Backbone,
  ClusterGateway,
  ClusterNode,
  createClusterWorld,
  DiskFolders,
  ShardFolders,
} from "@orthant/cluster";
import { chunkShape, systemTime } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { boxBetween, systemRandomBits } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { NatsCluster, type NatsNode } from "@orthant/testkit/nats";
import { createWorldEngine } from "@orthant/world/engine";
import { expect, test } from "vitest";
import { waitUntil } from "./waiting.ts";

const PATIENCE_MS = 120_000;
const WORLD = "town";
const SETTING = { time: systemTime, generators: DEFAULT_GENERATORS, world: WORLD };
const FILLER_BYTES = 1_048_576;

/** Starts NATS servers on a file system of a few megabytes. */
async function startOnSmallDisk(disk: string): Promise<NatsCluster> {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = disk;
  try {
    return await NatsCluster.start(3);
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}

/** Writes a file until the disk is full. */
function fill(file: string): void {
  const opened = openSync(file, "w");
  for (let size = FILLER_BYTES; size >= 1; ) {
    try {
      writeSync(opened, new Uint8Array(size));
    } catch {
      size = Math.floor(size / 2);
    }
  }
  closeSync(opened);
}

test.skipIf(process.getuid?.() !== 0)(
  "a cluster whose NATS servers have full disks makes all edits when these have room and the servers start again",
  async () => {
    const disk = mkdtempSync(join(tmpdir(), "orthant-small-"));
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=48m", "none", disk]);
    const nats = await startOnSmallDisk(disk);
    const backbones: Backbone[] = [];
    const connected = async (): Promise<Backbone> => {
      const backbone = await nats.connect();
      backbones.push(backbone);
      return backbone;
    };
    const news: string[] = [];
    const source = new MemoryDisk();
    await (await createWorldEngine(source, { name: "Town", shape: chunkShape([4, 4, 4, 1]) })).close();
    const folders = new ShardFolders(new DiskFolders(new MemoryDisk()), WORLD);
    const random = systemRandomBits;
    const backbone = await connected();
    await createClusterWorld({ backbone, folders, world: WORLD, source, random });
    const node = new ClusterNode({
      ...{ ...SETTING, backbone: await connected(), folders, node: "a", random },
      events: {
        onLost: (shard, error) => news.push(`lost ${shard}: ${error}`),
        onJournalLost: (shard, detail) => news.push(`journal of ${shard} lost: ${detail}`),
      },
    });
    await node.start();
    const gateway = await ClusterGateway.open({ ...SETTING, backbone });
    let edits = 0;
    const edit = async (): Promise<void> => {
      const editId = ++edits;
      const placements = [{ voxel: [editId, 1, 0, 0] as const, block: 3, data: new Uint8Array(30_000) }];
      const { status } = await gateway.world.edit({ kind: "voxels", placements }, { clientId: 7n, editId });
      expect(["applied", "duplicate"]).toContain(status);
    };
    await edit();
    fill(join(disk, "filler"));
    const waiting = Array.from({ length: 6 }, () => edit());
    // NATS switches JetStream off on a server without room, until the server starts again. With two of three off the
    // third may have nothing to write.
    const isOff = ({ log }: NatsNode): boolean => log.includes("JetStream out of File resources");
    await waitUntil(() => nats.nodes.filter(isOff).length >= 2, "JetStream is off on most servers");
    rmSync(join(disk, "filler"));
    for (const server of nats.nodes) {
      await server.kill();
      await server.start();
    }
    await Promise.all(waiting);
    await edit();
    expect(news).toEqual([]);
    const late = await ClusterGateway.open({ ...SETTING, backbone: await connected() });
    await late.world.load(boxBetween([0, 0, 0, 0], [8, 1, 1, 1]));
    const made = Array.from({ length: edits }, (_, index) => late.world.state.voxelAt(index + 1, 1, 0, 0));
    expect(made).toEqual(made.map(() => 3));
    late.close();
    gateway.close();
    node.kill(new Error("over"));
    for (const one of backbones) await one.close();
    await nats.dispose();
    execFileSync("umount", ["-l", disk]);
    rmSync(disk, { recursive: true });
  },
  PATIENCE_MS,
);
