import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

const EDITS = 30;
const EDIT_MS = 5;

async function start(): Promise<{
  readonly small: SmallCluster;
  readonly edit: (clientId: bigint, index: number) => Promise<unknown>;
  /** Returns the number of records in the journal: one for each append, because all edits are in one region. */
  readonly records: () => Promise<number>;
}> {
  const small = new SmallCluster();
  await small.create();
  const { node } = await small.node("a");
  await small.until(() => node.owns("0"));
  const { gateway, backbone } = await small.gateway();
  const edit = (clientId: bigint, index: number): Promise<unknown> =>
    gateway.world.edit(
      { kind: "voxels", placements: [{ voxel: [index, 0, 0, 0], block: 1 + (index % 2) }] },
      { clientId, editId: index + 1 },
    );
  const records = async (): Promise<number> => {
    const journal = await backbone.findJournal(small.world, "0");
    return (await journal?.state())?.last ?? 0;
  };
  return { small, edit, records };
}

test("the edits of several clients share appends", async () => {
  const { small, edit, records } = await start();
  const before = await small.settled(records());
  const startMs = small.time.nowMs();
  const results: Promise<unknown>[] = [];
  for (let index = 0; index < EDITS; index++) {
    results.push(edit(BigInt(1 + (index % 4)), index));
    await small.pass(EDIT_MS);
  }
  await small.settled(Promise.all(results));
  const appends = (await small.settled(records())) - before;
  expect(appends).toBeLessThanOrEqual(1 + Math.ceil((small.time.nowMs() - startMs) / 40));
  expect(appends).toBeGreaterThan(1);
});

test("the edits of one client alone do not wait for others", async () => {
  const { small, edit, records } = await start();
  const before = await small.settled(records());
  const startMs = small.time.nowMs();
  for (let index = 0; index < EDITS; index++) await small.settled(edit(1n, index));
  expect((await small.settled(records())) - before).toBe(EDITS);
  expect(small.time.nowMs() - startMs).toBeLessThan(EDITS * 20);
});
