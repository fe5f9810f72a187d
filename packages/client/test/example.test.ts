import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const script = (name: string): string =>
  fileURLToPath(new URL(`../../../examples/shared-world/${name}`, import.meta.url));

test("the example's two players see each other's lamps", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orthant-shared-"));
  const server = spawn(process.execPath, [script("server.mjs"), join(folder, "world"), "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => server.once("exit", resolve));
  try {
    const address = await new Promise<string>((resolve, reject) => {
      createInterface(server.stdout).once("line", (line) => resolve(line.split(" at ")[1] ?? ""));
      server.once("exit", () => reject(new Error("the server ended")));
    });
    const players = await Promise.all(
      ["Ada", "Bob"].map((name) => run(process.execPath, [script("client.mjs"), address, name])),
    );
    const [ada = "", bob = ""] = players.map(({ stdout }) => stdout);
    expect(ada).toContain("Ada's lamp: applied");
    expect(ada).toContain("Ada's star: refused, because the sky belongs to all");
    expect(ada).toContain("Ada sees lamps at x = 1 and 2");
    expect(bob).toContain("Bob sees lamps at x = 1 and 2");
    expect(bob.trimEnd().endsWith("Bob is closed")).toBe(true);
  } finally {
    server.kill("SIGTERM");
    expect(await ended).toBe(0);
    await rm(folder, { recursive: true });
  }
});
