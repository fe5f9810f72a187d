import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const EXAMPLE = fileURLToPath(new URL("../../../examples/pixel-world.mjs", import.meta.url));

test("the example creates a pixel world and reopens it on the second run", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orthant-example-"));
  try {
    const first = await run(process.execPath, [EXAMPLE, folder]);
    expect(first.stdout).toContain("save 1, 0 chunks stored");
    expect(first.stdout).toContain("the shaft is 1 pixels deep, 1 crates");
    const second = await run(process.execPath, [EXAMPLE, folder]);
    expect(second.stdout).toContain("save 2, 1 chunks stored");
    expect(second.stdout).toContain("the shaft is 2 pixels deep, 2 crates");
  } finally {
    await rm(folder, { recursive: true });
  }
});
