import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GuideHosts } from "./guide-hosts.ts";
import { GuideNats, SERVICE_USER } from "./guide-nats.ts";

const TEST_MS = 240_000;
const WHOLE = "no damage: orthant, 0 notices\n";

test(
  "a cluster that is set up by the guide alone works, logs no errors, and can be restored and turned back",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "orthant-guide-"));
    // The users of the guide reach what is below.
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, "etc/nats"), { recursive: true });
    const startMs = performance.now();
    const nats = await GuideNats.start(join(folder, "etc/nats"));
    const hosts = new GuideHosts(nats, folder);
    try {
      await hosts.run("orthant cluster create");
      await hosts.start();
      expect(await hosts.play("a", 13)).toBe(13);
      console.info(`set up by the guide in ${Math.round((performance.now() - startMs) / 100) / 10} s`);
      expect(await hosts.play("b")).toBe(13);
      await hosts.run("orthant cluster split");
      expect(await hosts.run("orthant cluster status")).toMatch(/^a +\d +alive$/m);
      expect(await hosts.play("c", 12)).toBe(12);
      await hosts.whenSaved("east");
      expect(await hosts.run("orthant cluster backup")).toMatch(/^backed up 2 shards of town/);
      expect(await hosts.play("a", 11)).toBe(11);
      await hosts.stop();
      expect(await hosts.run("orthant cluster restore")).toMatch(/^restored 2 shards of town/);
      await hosts.start();
      expect(await hosts.play("b"), "the block of the backup").toBe(12);
      expect(await hosts.play("b", 14)).toBe(14);
      await hosts.stop();
      expect(await hosts.run("orthant cluster back-to-one")).toMatch(
        /^wrote town to .* as a single world, from 2 shards/,
      );
      expect(await hosts.verify("var/lib/orthant/my-world")).toBe(WHOLE);
      for (const shard of [
        ...hosts.shards("srv/orthant/town/shards"),
        ...hosts.shards("backups/monday/town/shards"),
      ])
        expect(await hosts.verify(shard), shard).toBe(WHOLE);
      expect(await hosts.command("a", `orthant get ${folder}/var/lib/orthant/my-world 8,100,8`)).toContain(
        "14",
      );
      expect(hosts.log).not.toMatch(/lost|could not|cannot/);
      expect(hosts.log, "no token in the system log").not.toMatch(/token|eyJ/);
      if (SERVICE_USER === undefined)
        console.warn("not root: one user did everything, other than in the guide");
      expect(await nats.errors()).toEqual([]);
    } finally {
      hosts.dispose();
      await nats.dispose();
      rmSync(folder, { recursive: true });
    }
  },
  TEST_MS,
);
