import { ClusterGateway, ClusterNode, createClusterWorld, DiskFolders, ShardFolders } from "@orthant/cluster";
import { chunkShape, systemTime } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { regionBox, systemRandomBits } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import type { Pose } from "@orthant/protocol";
import type { RemotePlayerEvent } from "@orthant/protocol/server";
import { Gathered } from "@orthant/testkit/contracts";
import { NatsCluster } from "@orthant/testkit/nats";
import { createWorldEngine } from "@orthant/world/engine";
import { afterAll, beforeAll, expect, test } from "vitest";

const PATIENCE_MS = 120_000;
const WORLD = "town";
const REGION = regionBox([0, 0, 0, 0]);
const SETTING = { time: systemTime, generators: DEFAULT_GENERATORS, world: WORLD };

let nats: NatsCluster;
let node: ClusterNode;

/** A town with one owner and one entity, on three NATS servers. */
beforeAll(async () => {
  nats = await NatsCluster.start(3);
  const backbone = await nats.connect();
  const source = new MemoryDisk();
  const world = await createWorldEngine(source, { name: "Town", shape: chunkShape([4, 4, 4, 1]) });
  world.entities.spawn({ kind: 2, position: [3, 1, 1, 0], displayName: "Dolly" });
  await world.close();
  const folders = new ShardFolders(new DiskFolders(new MemoryDisk()), WORLD);
  await createClusterWorld({ backbone, folders, world: WORLD, source, random: systemRandomBits });
  node = new ClusterNode({ ...SETTING, backbone, folders, node: "a", random: systemRandomBits });
  await node.start();
}, PATIENCE_MS);

afterAll(async () => {
  await node.stop();
  await nats.dispose();
});

/** Opens a gateway that is connected to one server only and tracks players in the first region. */
async function gatewayAt(
  server: number,
): Promise<{ gateway: ClusterGateway; received: Gathered<RemotePlayerEvent>; cut: () => Promise<void> }> {
  const backbone = await nats.connect({ servers: [nats.urls[server] ?? ""] });
  const gateway = await ClusterGateway.open({ ...SETTING, backbone });
  const received = new Gathered<RemotePlayerEvent>();
  gateway.world.peers?.onPlayer(received.take);
  gateway.world.keep(REGION);
  return { gateway, received, cut: () => backbone.close() };
}

function at(x: number): Pose {
  return { position: [x, 1, 1, 0], orientation: [0, 0, 0, 1] };
}

test(
  "[K28] [K30] players at two NATS servers see each other join and move, and vanish with their gateway",
  async () => {
    const [north, south] = [await gatewayAt(0), await gatewayAt(1)];
    const ada = { playerId: 1n, name: "Ada" };
    const seenLast = (events: readonly RemotePlayerEvent[]): number | string | undefined => {
      const last = events.at(-1);
      return last?.kind === "present" ? last.player.position[0] : last?.kind;
    };
    for (const x of [4, 9]) {
      north.gateway.world.peers?.present(1, { ...ada, ...at(x) });
      await south.received.until((events) => seenLast(events) === x);
    }
    expect(south.received.items.at(-1)).toMatchObject({ kind: "present", player: { ...ada, ...at(9) } });
    await north.cut();
    await south.received.until((events) => seenLast(events) === "gone");
    expect(north.received.items).toEqual([]);
    north.gateway.close();
    south.gateway.close();
    await south.cut();
  },
  PATIENCE_MS,
);

test(
  "[K32] [K34] an owner's remembered players and entities reach every gateway",
  async () => {
    const [north, south] = [await gatewayAt(0), await gatewayAt(2)];
    north.gateway.world.storePlayer(5n, "Bo", at(12), 0);
    await north.gateway.served.save();
    await south.gateway.world.loadPlayer?.(5n);
    expect(south.gateway.world.poseOf(5n)).toEqual(at(12));
    const found = await south.gateway.world.entitiesIn(REGION);
    expect(found.map(({ name, position }) => [name, position])).toEqual([["Dolly", [3, 1, 1, 0]]]);
    for (const { gateway, cut } of [north, south]) {
      gateway.close();
      await cut();
    }
  },
  PATIENCE_MS,
);
