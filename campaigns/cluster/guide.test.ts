import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectNats } from "@orthant/cluster/nats";
import { LOOPBACK, obtainNatsServer } from "@orthant/testkit/nats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blockWith, configurationInGuide, createCertificates, GUIDE_USERS, GuideNats } from "./guide-nats.ts";

const START_MS = 120_000;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orthant-guide-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test(
  "three servers with the guide's configuration and certificates form a cluster for every role, and log no errors",
  async () => {
    const nats = await GuideNats.start(folder);
    try {
      const owner = await nats.connect("owner", GUIDE_USERS.owner);
      const gateway = await nats.connect("gateway", GUIDE_USERS.gatewayA);
      const operator = await nats.connect("operator", GUIDE_USERS.operator);
      expect(await owner.table.put("key", new Uint8Array([1]))).toBeGreaterThan(0);
      expect((await gateway.table.get("key"))?.value).toEqual(new Uint8Array([1]));
      const [restarted] = nats.cluster.nodes;
      await restarted?.kill();
      await restarted?.start();
      expect(await nats.errors()).toEqual([]);
      await Promise.all([owner.close(), gateway.close(), operator.close()]);
      const isRefusal = (line: string): boolean => /authentication error/.test(line);
      // Each server names the others, and all of them have the same users.
      await expect(nats.connect("owner", { user: "owner", password: "guessed" })).rejects.toThrow(
        /^ORT_CREDENTIALS: NATS at tls:.* rejects the user owner with this password/,
      );
      expect((await nats.errors()).filter(isRefusal)).toHaveLength(1);
      const servers = nats.cluster.urls;
      const untrusting = connectNats({ servers, role: "owner", credentials: GUIDE_USERS.owner, tls: {} });
      await expect(untrusting).rejects.toThrow(
        /^ORT_BACKBONE_UNFIT: the certificate of NATS at tls:.* cannot be verified.*--nats-ca/,
      );
    } finally {
      await nats.dispose();
    }
  },
  START_MS,
);

test(
  "the guide's check accepts its configuration with the passwords, and rejects a misspelt setting",
  () => {
    const options = {
      name: "n0",
      address: "localhost",
      port: 1,
      clusterPort: 2,
      store: folder,
      routes: ["localhost:3", "localhost:4"],
    };
    createCertificates(folder, LOOPBACK);
    const file = join(folder, "nats.conf");
    const check = blockWith("nats-server -t")
      .replaceAll("/etc/nats", folder)
      .replace("nats-server", obtainNatsServer());
    const run = (): string => execFileSync("bash", ["-e", "-c", check], { encoding: "utf8", stdio: "pipe" });
    const written = configurationInGuide(options, folder, LOOPBACK);
    writeFileSync(file, written);
    expect(run).not.toThrow();
    writeFileSync(file, written.replace("sync_interval", "sync_intervall"));
    expect(run).toThrow();
  },
  START_MS,
);
