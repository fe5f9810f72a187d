import { open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine } from "@orthant/world/engine";
import { beforeEach, describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

const PACK = "data/dt-000001.v4dt";
const BROKEN_BYTE_BEHIND_RECORD = 40;

let folder: string;

/** Damages the record of the brick house. Returns its offset. */
async function damage(): Promise<number> {
  const { record } = await captureJson<{ readonly record: { readonly offset: number } }>(
    "get",
    folder,
    "0,100,0,0",
  );
  const pack = await open(join(folder, PACK), "r+");
  const position = record.offset + BROKEN_BYTE_BEHIND_RECORD;
  const { buffer } = await pack.read({ buffer: new Uint8Array(1), position });
  await pack.write(Uint8Array.of((buffer[0] ?? 0) ^ 1), 0, 1, position);
  await pack.close();
  return record.offset;
}

async function contentOf(root: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(path, (await readFile(path)).toString("hex"));
  }
  return files;
}

beforeEach(async () => {
  folder = await makeSampleWorld();
});

describe("verify", () => {
  test("names the damaged file, the offset and the chunks", async () => {
    expect((await capture(["verify", folder])).exitCode).toBe(EXIT.ok);
    const offset = await damage();
    const { exitCode, output } = await capture(["verify", folder]);
    expect(exitCode).toBe(EXIT.failed);
    expect(output).toContain(
      `damage: ${PACK}+${offset}: the record is damaged [ORT_CHECKSUM] (generation 2, chunks [0, 0, 0] to `,
    );
    expect(output).toMatch(/\ndamaged: orthant, 1 fault, \d+ notices?\n$/);
  });
});

describe("repair", () => {
  test("shows the losses and writes nothing without a target", async () => {
    await damage();
    const before = await contentOf(folder);
    for (const options of [[], ["--dry-run"], ["--to", `${folder}-mended`, "--dry-run"]]) {
      const { exitCode, output } = await capture(["repair", folder, ...options]);
      expect(exitCode).toBe(EXIT.loss);
      expect(output).toContain("loss: chunks in [0, 0, 0] to ");
      expect(output).toContain("\n1 loss\nnothing was written;");
    }
    expect(await contentOf(folder)).toEqual(before);
    expect(await readdir(join(folder, ".."))).toEqual(["hills"]);
  });

  test("writes what is left into a new folder, and leaves the damaged world unchanged", async () => {
    await damage();
    const before = await contentOf(folder);
    const mended = `${folder}-mended`;
    const { exitCode, output } = await capture(["repair", folder, "--to", mended]);
    expect(exitCode).toBe(EXIT.loss);
    expect(output).toContain(`\nwrote ${mended}\n`);
    expect(await contentOf(folder)).toEqual(before);
    expect((await capture(["verify", mended])).exitCode).toBe(EXIT.ok);

    const world = await openWorldEngine(new NodeDisk(mended), { readOnly: true });
    expect(await world.get([-100, 100, 0, 0]), "the lamp is there").toBe(13);
    expect(await world.get([0, 100, 0, 0]), "the house is lost").toBe(0);
    expect(world.players).toHaveLength(1);
    await world.close();
  });

  test("lists what is lost with a pack that is missing, and brings back the rest", async () => {
    const world = await openWorldEngine(new NodeDisk(folder), { autosave: false });
    // A compaction that is asked for begins a pack, and the next save goes there.
    await world.compact();
    await world.set([100, 100, 0, 0], 12);
    await world.close();
    await rm(join(folder, "data/dt-000002.v4dt"));
    for (const line of [
      ["info", folder],
      ["ls", folder],
      ["log", folder],
      ["backup", folder, `${folder}-copy`],
    ]) {
      const { exitCode, errors } = await capture(line);
      expect(exitCode, line[0]).toBe(EXIT.failed);
      expect(errors, line[0]).toContain("(data/dt-000002.v4dt) [ORT_NOT_FOUND]\n");
    }
    const verified = await capture(["verify", folder]);
    expect(verified.exitCode).toBe(EXIT.failed);
    expect(verified.output).toContain("damage: data/dt-000002.v4dt");
    const mended = `${folder}-mended`;
    const { exitCode, output } = await capture(["repair", folder, "--to", mended]);
    expect(exitCode).toBe(EXIT.loss);
    expect(output).toContain("loss: chunks in ");
    expect((await capture(["verify", mended])).exitCode).toBe(EXIT.ok);
  });

  test("finds nothing to lose in an intact world", async () => {
    const { exitCode, output } = await capture(["repair", folder]);
    expect(exitCode).toBe(EXIT.ok);
    expect(output).toContain("nothing is damaged\n");
    expect(output).toContain("\nloses nothing\n");
  });

  test("never overwrites anything", async () => {
    const { exitCode, errors } = await capture(["repair", folder, "--to", folder]);
    expect(exitCode).toBe(EXIT.failed);
    expect(errors).toContain("[ORT_NOT_EMPTY]");
  });

  test("takes the chunk shape from the command line, and rejects an invalid one", async () => {
    const wrong = await capture(["repair", folder, "--chunk-shape", "16,16"]);
    expect(wrong.exitCode).toBe(EXIT.usage);
    expect((await capture(["repair", folder, "--chunk-shape", "16,16,16,1"])).exitCode).toBe(EXIT.ok);
  });

  test("says what is missing when there is nothing to repair", async () => {
    const { exitCode, errors } = await capture(["repair", await temporaryFolder()]);
    expect(exitCode).toBe(EXIT.failed);
    expect(errors).toContain("holds no world");
  });
});
