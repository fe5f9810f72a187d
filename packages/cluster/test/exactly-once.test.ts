import type { BackboneTable, ClusterGateway } from "@orthant/cluster";
import { clientKey, decodeShardRecord, mapKey } from "@orthant/cluster/internal";
import type { Position } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import type { WorldEngine } from "@orthant/world/engine";
import { expect, test, vi } from "vitest";
import { SmallCluster, type SmallNode } from "./small-cluster.ts";

const CLIENTS_MAX = 4;
/** Voxels in a chunk of the town. */
const VOLUME = 64;
const VOXEL: Position = [1, 1, 1, 0];
const EAST = boxBetween([1, -8, -8, -8], [8, 8, 8, 8]);

/** A town whose shard remembers four clients. */
class ForgetfulTown {
  readonly small = new SmallCluster();
  #gateway: ClusterGateway | undefined;
  #nodes: SmallNode[] = [];
  #blocks = 0;

  /** `furnish` changes the world before it is imported. */
  async start(furnish?: (world: WorldEngine) => unknown): Promise<void> {
    await this.small.create(0, furnish);
    await this.#addNode("a");
    this.#gateway = (await this.small.gateway()).gateway;
  }

  /** Makes an edit that changes something, and returns its outcome. */
  async edit(
    clientId: bigint,
    editId: number,
    {
      isRepeat = false,
      playerId = clientId,
      voxels = [VOXEL],
      block = 1 + (this.#blocks++ % 9),
      gateway = this.#gateway,
    } = {},
  ): Promise<string> {
    const placements = voxels.map((voxel) => ({ voxel, block }));
    const origin = { clientId, editId, playerId, isRepeat };
    const made = gateway?.world.edit({ kind: "voxels", placements }, origin);
    return this.small.settled(
      Promise.resolve(made).then(
        (result) => result?.status ?? "",
        (error) => error.code,
      ),
    );
  }

  /** Repeats an edit, as a gateway does that knows nothing of it. */
  repeat(clientId: bigint, editId: number): Promise<string> {
    return this.edit(clientId, editId, { isRepeat: true });
  }

  /** Kills the owner, and waits for the next one, which replays the journal. */
  async replaceOwner(): Promise<void> {
    const owner = this.#nodes.pop();
    owner?.backbone.kill();
    owner?.node.kill(new Error("killed"));
    await this.#addNode(`n${this.small.time.nowMs()}`);
  }

  /** Returns the clients that the records of the journal name, which every gateway can read. */
  namedClients(): Promise<readonly bigint[]> {
    return this.small.settled(this.#readClients());
  }

  /** Makes the owner wait when it reads the map, until the returned function is called. */
  holdMap(): () => void {
    const table = this.#nodes[0]?.backbone.table as BackboneTable;
    const get = table.get.bind(table);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    vi.spyOn(table, "get").mockImplementation(async (key) => {
      if (key === mapKey(this.small.world)) await held;
      return get(key);
    });
    return () => release();
  }

  split(): Promise<void> {
    return this.small.settled(Promise.resolve(this.#nodes[0]?.node.split("0", EAST, "east")));
  }

  async #readClients(): Promise<readonly bigint[]> {
    const journal = await this.small.hub.connect().journal(this.small.world, "0");
    const { first, last } = await journal.state();
    const named: bigint[] = [];
    for await (const { bytes } of journal.read(first, last)) {
      const record = decodeShardRecord(bytes, VOLUME);
      if (record.kind === "region") named.push(...record.origins.map(({ clientId }) => clientId));
    }
    return named;
  }

  async #addNode(name: string): Promise<void> {
    const added = await this.small.node(name, {}, 3_600_000, { clientsMax: CLIENTS_MAX });
    this.#nodes.push(added);
    await this.small.until(() => added.node.owns("0"));
  }
}

test("[K41] a shard forgets the client that edited longest ago, and refuses what may be its repeat", async () => {
  const town = new ForgetfulTown();
  await town.start();
  for (const clientId of [9n, 8n, 7n, 6n]) expect(await town.edit(clientId, 1)).toBe("applied");
  expect(await town.edit(9n, 2)).toBe("applied");
  expect(await town.edit(5n, 1)).toBe("applied");
  expect(await town.repeat(8n, 1)).toBe("ORT_EDIT_REPEAT");
  for (const [clientId, last] of [
    [9n, 2],
    [7n, 1],
    [6n, 1],
    [5n, 1],
  ] as const)
    expect(await town.repeat(clientId, last), "as the first time").toBe("applied");
  // It is refused even if it never arrived, but not if it cannot have been sent before.
  expect(await town.repeat(4n, 1)).toBe("ORT_EDIT_REPEAT");
  expect(await town.edit(4n, 1)).toBe("applied");
});

test.each(["journal", "split"])("[K41] the order of clients outlives their owner: %s", async (how) => {
  const town = new ForgetfulTown();
  await town.start();
  // One group with records in the order of their regions, which is not that of the edits.
  const far: Position = [-40, 1, 1, 0];
  const outcomes = await Promise.all([
    town.edit(3n, 1, { voxels: [VOXEL] }),
    town.edit(1n, 1, { voxels: [far] }),
    town.edit(2n, 1, { voxels: [VOXEL, far] }),
    town.edit(9n, 1, { voxels: [far] }),
  ]);
  expect(outcomes).toEqual(["applied", "applied", "applied", "applied"]);
  if (how === "journal") await town.replaceOwner();
  else await town.split();
  const east: Position = [65, 1, 1, 0];
  const there = { voxels: [how === "split" ? east : VOXEL] };
  expect(await town.edit(4n, 1, there)).toBe("applied");
  expect(await town.edit(3n, 1, { ...there, isRepeat: true })).toBe("ORT_EDIT_REPEAT");
  for (const clientId of [1n, 2n, 9n])
    expect(await town.edit(clientId, 1, { ...there, isRepeat: true })).toBe("duplicate");
});

test("[K41] one player cannot make a shard forget the clients of others, also after a take-over", async () => {
  const town = new ForgetfulTown();
  await town.start();
  expect(await town.edit(1n, 1)).toBe("applied");
  for (let clientId = 100n; clientId < 110n; clientId++)
    expect(await town.edit(clientId, 1, { playerId: 50n })).toBe("applied");
  await town.replaceOwner();
  expect(await town.edit(110n, 1, { playerId: 50n })).toBe("applied");
  expect(await town.repeat(1n, 1)).toBe("duplicate");
});

test("[K19] a request that waits for blocks is not overtaken by its repeat, even if the client is forgotten", async () => {
  const town = new ForgetfulTown();
  await town.start();
  const { gateway } = await town.small.gateway();
  const letMapBeRead = town.holdMap();
  // In one request: the owner has to read the map for the first edit, and makes the second one afterwards.
  const unknown = town.edit(20n, 1, { block: 1_000 });
  const delayed = town.edit(3n, 1);
  await town.small.pass(100);
  const repeated = town.edit(3n, 1, { isRepeat: true, gateway });
  for (const clientId of [30n, 31n, 32n, 33n, 34n])
    expect(await town.edit(clientId, 1, { gateway: (await town.small.gateway()).gateway })).toBe("applied");
  letMapBeRead();
  await Promise.all([unknown, delayed, repeated]);
  const named = await town.namedClients();
  expect(named.filter((key) => key === clientKey(3n))).toHaveLength(1);
});

test("[K61] who reads a journal learns no client id, and cannot use up the numbers of a client's edits", async () => {
  const town = new ForgetfulTown();
  await town.start();
  expect(await town.edit(1n, 1)).toBe("applied");
  const named = await town.namedClients();
  expect(named).toHaveLength(1);
  expect(named).not.toContain(1n);
  for (const clientId of named) await town.edit(clientId, 2, { playerId: 1n });
  expect(await town.edit(1n, 2)).toBe("applied");
  await town.replaceOwner();
  expect(await town.repeat(1n, 2)).toBe("duplicate");
});

test("[K61] a cluster knows the edits that were made before the world was imported", async () => {
  const town = new ForgetfulTown();
  await town.start((world) =>
    world.edit([{ voxel: VOXEL, block: 3 }], { origin: { clientId: 1n, editId: 5 } }),
  );
  expect(await town.repeat(1n, 5)).toBe("duplicate");
  expect(await town.edit(1n, 6)).toBe("applied");
});
