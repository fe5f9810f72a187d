import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryDisk, OverlayDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { CrashDisk, FaultDisk } from "@orthant/testkit";
import { describeDiskContract, describeFolderContract } from "@orthant/testkit/contracts";

const nothingToDispose = async (): Promise<void> => undefined;

describeDiskContract("MemoryDisk", async () => ({ disk: new MemoryDisk(), dispose: nothingToDispose }));
describeDiskContract("CrashDisk", async () => ({ disk: new CrashDisk(), dispose: nothingToDispose }));
describeDiskContract("FaultDisk", async () => ({
  disk: new FaultDisk(new MemoryDisk()),
  dispose: nothingToDispose,
}));
describeDiskContract("OverlayDisk", async () => ({
  disk: new OverlayDisk(new MemoryDisk()),
  dispose: nothingToDispose,
}));
describeDiskContract("NodeDisk", nodeDisk);
describeFolderContract("MemoryDisk", async () => ({ disk: new MemoryDisk(), dispose: nothingToDispose }));
describeFolderContract("CrashDisk", async () => ({ disk: new CrashDisk(), dispose: nothingToDispose }));
describeFolderContract("NodeDisk", nodeDisk);

async function nodeDisk(): Promise<{ disk: NodeDisk; dispose(): Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), "orthant-disk-"));
  return { disk: new NodeDisk(root), dispose: () => rm(root, { recursive: true }) };
}
