import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { obtainNatsServer } from "@orthant/testkit/nats";
import { expect, test } from "vitest";

const GUIDE = readFileSync("docs/guides/cluster.md", "utf8");
const SECRETS = { ROUTE_PASSWORD: "one", SYSTEM_PASSWORD: "two", ORTHANT_PASSWORD: "three" };

test("the configuration of the guide is one that NATS takes", () => {
  const folder = mkdtempSync(join(tmpdir(), "orthant-guide-"));
  const [certificate, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=a";
  execFileSync("openssl", [...request.split(" "), "-keyout", key, "-out", certificate], { stdio: "ignore" });
  const written = /^```conf\n(?<text>.*?)^```$/ms.exec(GUIDE)?.groups?.["text"] ?? "";
  expect(written).toContain("sync_interval: always");
  const file = join(folder, "nats.conf");
  const placed = written.replace("/etc/nats/cert.pem", certificate).replace("/etc/nats/key.pem", key);
  writeFileSync(file, placed.replace("/var/lib/nats", folder));
  const env = { ...process.env, ...SECRETS };
  const run = (): string =>
    execFileSync(obtainNatsServer(), ["-t", "-c", file], { encoding: "utf8", env, stdio: "pipe" });
  expect(run).not.toThrow();
  writeFileSync(file, placed.replace("sync_interval", "sync_intervall"));
  expect(run).toThrow();
  rmSync(folder, { recursive: true });
}, 120_000);
