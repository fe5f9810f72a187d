import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  NatsCluster,
  type NatsConfiguration,
  obtainNatsServer,
  TEST_CREDENTIALS,
} from "@orthant/testkit/nats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { selfSigned } from "./self-signed.ts";

const START_MS = 120_000;
const GUIDE = readFileSync("docs/guides/cluster.md", "utf8");
const WRITTEN = /^```conf\n(?<text>.*?)^```$/ms.exec(GUIDE)?.groups?.["text"] ?? "";

let folder = "";
let tls: ReturnType<typeof selfSigned>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orthant-guide-"));
  tls = selfSigned(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the guide's configuration with the test's names, addresses and files. */
function placed(options: NatsConfiguration): string {
  const { certFile, keyFile } = tls;
  const { name, address, port, clusterPort, store, routes } = options;
  const own = Number(name.slice(1));
  const servers = [...routes.slice(0, own), `${address}:${clusterPort}`, ...routes.slice(own)];
  const positions: readonly (readonly [written: string, here: string])[] = [
    ["server_name: a", `server_name: ${name}`],
    ["0.0.0.0:4222", `${address}:${port}`],
    ["0.0.0.0:6222", `${address}:${clusterPort}`],
    ["/var/lib/nats", store],
    ["/etc/nats/cert.pem", certFile],
    ["/etc/nats/key.pem", keyFile],
    ["/etc/nats/ca.pem", certFile],
    ["$ORTHANT_PASSWORD", JSON.stringify(TEST_CREDENTIALS.password)],
    ["$SYSTEM_PASSWORD", '"another"'],
    ...["a", "b", "c"].map((host, member): [string, string] => [
      `${host}.example.org:6222`,
      servers[member] ?? "",
    ]),
  ];
  return positions.reduce((text, [written, here]) => {
    expect(text).toContain(written);
    return text.replaceAll(written, here);
  }, WRITTEN);
}

test(
  "three servers with the guide's configuration form a cluster, and a node can use it",
  async () => {
    const cluster = await NatsCluster.start(3, { tls, written: placed });
    try {
      const engine = await cluster.connect({ tls: { caFile: tls.certFile } });
      expect(await engine.table.put("key", new Uint8Array([1]))).toBeGreaterThan(0);
      await engine.close();
    } finally {
      await cluster.dispose();
    }
  },
  START_MS,
);

test(
  "the server rejects a misspelt setting in the configuration",
  () => {
    const options = {
      name: "n0",
      address: "localhost",
      port: 1,
      clusterPort: 2,
      store: folder,
      routes: ["localhost:3", "localhost:4"],
    };
    const file = join(folder, "nats.conf");
    const run = (): string =>
      execFileSync(obtainNatsServer(), ["-t", "-c", file], { encoding: "utf8", stdio: "pipe" });
    writeFileSync(file, placed(options));
    expect(run).not.toThrow();
    writeFileSync(file, placed(options).replace("sync_interval", "sync_intervall"));
    expect(run).toThrow();
  },
  START_MS,
);
