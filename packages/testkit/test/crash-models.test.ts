import type { Disk, DiskImage, FolderDisk } from "@orthant/disk";
import {
  BTRFS,
  CRASH_MODELS,
  CrashDisk,
  type CrashModel,
  EXT4,
  explorePowerCuts,
  WEAK,
  XFS,
} from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const START: DiskImage = { directories: [], files: new Map([["old", bytesOf("old")]]) };

/** Returns every disk that a cut after the whole script can leave, as sorted `name=content` lists. */
async function leftBy(
  model: CrashModel,
  script: (disk: FolderDisk) => Promise<void>,
): Promise<readonly string[]> {
  const recorder = new CrashDisk(START);
  await script(recorder);
  const left = new Set<string>();
  await explorePowerCuts(
    recorder,
    { models: [model], disksPerCut: 5000, seed: 1 },
    async ({ disk, cutAt }) => {
      if (cutAt === recorder.log.length) left.add(describeImage(disk.image()));
    },
  );
  return [...left].sort();
}

async function write(disk: Disk, path: string, text: string, sync: "sync" | "no sync"): Promise<void> {
  const file = await disk.open(path, "create");
  await file.append(bytesOf(text));
  if (sync === "sync") await file.sync();
}

describe("a synced file in an unsynced directory", () => {
  const script = (disk: Disk): Promise<void> => write(disk, "new", "abc", "sync");

  test("may be missing on a weak file system", async () => {
    expect(await leftBy(WEAK, script)).toEqual(["new=abc old=old", "old=old"]);
  });

  test.each([[EXT4], [XFS], [BTRFS]])("exists on $name", async (model) => {
    expect(await leftBy(model, script)).toEqual(["new=abc old=old"]);
  });
});

describe("a file with a synced name and unsynced bytes", () => {
  const script = async (disk: Disk): Promise<void> => {
    const file = await disk.open("new", "create");
    await disk.syncDirectory("");
    await file.append(bytesOf("ab"));
  };

  test("is empty, whole, zeros or half zeros on a weak file system", async () => {
    expect(await leftBy(WEAK, script)).toEqual([
      "new= old=old",
      "new=.. old=old",
      "new=a. old=old",
      "new=ab old=old",
    ]);
  });

  test("is empty, whole or zeros on xfs", async () => {
    expect(await leftBy(XFS, script)).toEqual(["new= old=old", "new=.. old=old", "new=ab old=old"]);
  });

  test.each([[EXT4], [BTRFS]])("is empty or whole on $name", async (model) => {
    expect(await leftBy(model, script)).toEqual(["new= old=old", "new=ab old=old"]);
  });
});

describe("a rename of an unsynced file", () => {
  const script = async (disk: Disk): Promise<void> => {
    await write(disk, "tmp", "new", "no sync");
    await disk.rename("tmp", "old");
    await disk.syncDirectory("");
  };

  test("can lose both the old and the new content on a weak file system", async () => {
    expect(await leftBy(WEAK, script)).toEqual(["old=", "old=...", "old=n..", "old=new"]);
  });

  test("can leave an empty file on ext4, and zeros on xfs", async () => {
    expect(await leftBy(EXT4, script)).toEqual(["old=", "old=new"]);
    expect(await leftBy(XFS, script)).toEqual(["old=...", "old=new"]);
  });
});

describe("a rename in an unsynced directory", () => {
  const script = async (disk: Disk): Promise<void> => {
    await write(disk, "tmp", "new", "sync");
    await disk.syncDirectory("");
    await disk.rename("tmp", "old");
  };

  test.each(CRASH_MODELS.map((model) => [model]))(
    "happens or does not, never half, on $name",
    async (model) => {
      expect(await leftBy(model, script)).toEqual(["old=new", "old=old tmp=new"]);
    },
  );
});

test("syncing one file saves earlier names of others on ext4 and xfs, its own name on btrfs, none on weak", async () => {
  const script = async (disk: Disk): Promise<void> => {
    await disk.open("a", "create");
    await write(disk, "b", "b", "sync");
  };
  expect(await leftBy(EXT4, script)).toEqual(["a= b=b old=old"]);
  expect(await leftBy(XFS, script)).toEqual(["a= b=b old=old"]);
  expect(await leftBy(BTRFS, script)).toEqual(["a= b=b old=old", "b=b old=old"]);
  expect(await leftBy(WEAK, script)).toEqual(["a= b=b old=old", "a= old=old", "b=b old=old", "old=old"]);
});

test("a file in a directory whose name was lost is lost with it", async () => {
  const script = async (disk: Disk): Promise<void> => {
    await disk.makeDirectory("data");
    await write(disk, "data/a", "a", "sync");
    await disk.syncDirectory("data");
  };
  expect(await leftBy(WEAK, script)).toEqual(["data/a=a old=old", "old=old"]);
});

test("a directory whose move was lost has files created under the new name under its old one", async () => {
  const script = async (disk: FolderDisk): Promise<void> => {
    await disk.makeDirectory("before");
    await disk.syncDirectory("");
    await disk.moveDirectory("before", "after");
    await write(disk, "after/page", "x", "sync");
    await disk.syncDirectory("after");
  };
  expect(await leftBy(WEAK, script)).toEqual(["after/page=x old=old", "before/page=x old=old"]);
  const synced = async (disk: FolderDisk): Promise<void> => {
    await script(disk);
    await disk.syncDirectory("");
  };
  expect(await leftBy(WEAK, synced)).toEqual(["after/page=x old=old"]);
});

test("a write over several sectors keeps any of them, and may tear one", async () => {
  const script = async (disk: Disk): Promise<void> => {
    const file = await disk.open("old", "write");
    await file.writeAt(0, bytesOf("a".repeat(1024)));
    await file.sync();
    await file.writeAt(0, bytesOf("b".repeat(1024)));
  };
  const left = await leftBy(WEAK, script);
  const sectors = left.map((line) =>
    line
      .replace("old=", "")
      .match(/.{256}/g)
      ?.map((part) => part[0])
      .join(""),
  );
  expect(sectors).toEqual(["aaaa", "aaba", "aabb", "baaa", "babb", "bbaa", "bbba", "bbbb"]);
  expect((await leftBy(EXT4, script)).length).toBe(4);
});

test.each(CRASH_MODELS.map((model) => [model]))(
  "a durable write saves itself, and nothing else of its file, on $name",
  async (model) => {
    const script = async (disk: Disk): Promise<void> => {
      const file = await disk.open("old", "write");
      await file.truncate(6);
      await file.writeAt(0, bytesOf("X"));
      await file.writeDurably(4, bytesOf("Y"));
    };
    const left = await leftBy(model, script);
    expect(left.every((line) => line[8] === "Y")).toBe(true);
    // The bytes before it and the length after it are not guaranteed.
    expect(left).toContain("old=old.Y");
    expect(left).toContain("old=Xld.Y.");
    expect(left.every((line) => /^old=[oX]ld\.Y\.?$/.test(line))).toBe(true);
  },
);

test("a durable write that has not returned may be lost, or half written", async () => {
  const recorder = new CrashDisk(START);
  const file = await recorder.open("old", "write");
  await file.writeDurably(0, bytesOf("NEWS"));
  const left = new Set<string>();
  await explorePowerCuts(recorder, { models: [WEAK], disksPerCut: 100, seed: 1 }, async ({ disk, cutAt }) => {
    if (cutAt === 1) left.add(describeImage(disk.image()));
  });
  expect([...left].sort()).toEqual(["old=NEW", "old=NEWS", "old=NEd", "old=NEd.", "old=old", "old=old."]);
});

test("an unsynced truncated file may still have its end, which later appends overwrite", async () => {
  const script = async (disk: Disk): Promise<void> => {
    const file = await disk.open("old", "write");
    await file.truncate(1);
    await file.append(bytesOf("X"));
  };
  expect(await leftBy(EXT4, script)).toEqual(["old=o", "old=oX", "old=oXd", "old=old"]);
  expect(await leftBy(BTRFS, script)).toEqual(["old=o", "old=oX", "old=old"]);
});

test("the same seed produces the same disks, and another seed others", async () => {
  const recorder = new CrashDisk(START);
  const file = await recorder.open("big", "create");
  await file.append(bytesOf("x".repeat(20_000)));
  const draw = async (seed: number): Promise<readonly string[]> => {
    const drawn: string[] = [];
    await explorePowerCuts(recorder, { models: [WEAK], disksPerCut: 20, seed }, async ({ disk }) => {
      drawn.push(describeImage(disk.image()));
    });
    return drawn;
  };
  expect(await draw(5)).toEqual(await draw(5));
  expect(await draw(5)).not.toEqual(await draw(6));
});

function describeImage({ files }: DiskImage): string {
  return Array.from(
    files,
    ([path, bytes]) => `${path}=${new TextDecoder().decode(bytes).replaceAll("\0", ".")}`,
  )
    .sort()
    .join(" ");
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
