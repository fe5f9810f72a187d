import { copyGeneration, type Disk, OpfsDisk, packTar, unpackTar } from "orthant/worker";

const EXPORT = "export";

/** Copies what is saved, while the world stays open, and packs the copy into one file. */
export async function exportWorld(disk: Disk): Promise<Blob> {
  await OpfsDisk.remove(EXPORT); // should an export have been cut off
  const archive = await withFolder(EXPORT, async (copy) => {
    await copyGeneration(disk, copy);
    return packTar(copy);
  });
  await OpfsDisk.remove(EXPORT);
  return archive;
}

/** Unpacks a world, proves it, and keeps it beside the others. Returns its name. */
export async function importWorld(file: File): Promise<string> {
  const name = file.name.replace(/\.tar$/, "");
  const source = await unpackTar(file);
  await withFolder(`worlds/${name}`, (target) => copyGeneration(source, target));
  return name;
}

async function withFolder<Result>(folder: string, work: (disk: Disk) => Promise<Result>): Promise<Result> {
  const opened = await OpfsDisk.open(folder);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
