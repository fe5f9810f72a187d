import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const EXAMPLE = fileURLToPath(new URL("../../../examples/platforms.mjs", import.meta.url));

test("the example creates a world, builds, saves and finds it again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orthant-example-"));
  try {
    const { stdout } = await run(process.execPath, [EXAMPLE, join(folder, "world")]);
    expect(stdout).toContain('opened "Isles": a lamp in a house of brick');
    expect(stdout).toContain("Ada (the same) is at 0,");
  } finally {
    await rm(folder, { recursive: true });
  }
});
