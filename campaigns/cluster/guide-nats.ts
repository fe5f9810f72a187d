import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Backbone } from "@orthant/cluster";
import type { NatsRole } from "@orthant/cluster/nats";
import {
  canMakeNetworks,
  LOOPBACK,
  NamespaceNetwork,
  NatsCluster,
  type NatsConfiguration,
  type Network,
} from "@orthant/testkit/nats";

/** The guide. */
const GUIDE: string = readFileSync("docs/guides/cluster.md", "utf8");
const WRITTEN = /^```conf\n(?<text>.*?)^```$/ms.exec(GUIDE)?.groups?.["text"] ?? "";
/** The blocks of shell commands in the guide. */
export const BLOCKS: readonly string[] = [...GUIDE.matchAll(/^```sh\n(?<text>.*?)^```$/gms)].map(
  (match) => match.groups?.["text"] ?? "",
);

/** Returns the only block of the guide with a text. */
export function blockWith(text: string): string {
  const found = BLOCKS.filter((block) => block.includes(text));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  throw new Error(`${found.length} blocks of the guide have "${text}"`);
}

/** The user for `nats` and `orthant` of the guide, if this process is root and can become another user. */
export const SERVICE_USER = process.getuid?.() === 0 ? { name: "nobody", id: 65_534 } : undefined;

/** Returns commands of the guide with the user of a test in place of its own. */
export function asServiceUser(commands: string): string {
  if (SERVICE_USER === undefined)
    return commands.replaceAll(/runuser -u \w+ -- |-[og] (?:nats|orthant) /g, "");
  const { name, id } = SERVICE_USER;
  return commands
    .replaceAll(/(?<=runuser -u |^id )(?:nats|orthant)\b/gm, name)
    .replaceAll(/(?<=-[og] )(?:nats|orthant)\b/g, `${id}`);
}
/** With certificates that do not fit, a server logs some ten errors in this time. */
const QUIET_MS = 2_000;
/** The hosts of the guide. */
export const HOSTS: readonly string[] = ["a", "b", "c"];

/** The users of the guide with the passwords of a test. */
export const GUIDE_USERS = {
  owner: { user: "owner", password: "of-the-owners" },
  operator: { user: "operator", password: "of-the-operator" },
  gatewayA: { user: "gateway-a", password: "of-gateway-a" },
  gatewayB: { user: "gateway-b", password: "of-gateway-b" },
} as const;

const PASSWORDS: Readonly<Record<string, string>> = {
  SYSTEM: "of-the-system",
  OWNER: GUIDE_USERS.owner.password,
  OPERATOR: GUIDE_USERS.operator.password,
  GATEWAY_A: GUIDE_USERS.gatewayA.password,
  GATEWAY_B: GUIDE_USERS.gatewayB.password,
  GATEWAY_C: "of-gateway-c",
};

/**
 * The three NATS servers of the guide, with its configuration and its certificates. Each has a host of its own with the
 * name from the guide, where this machine can make networks; otherwise all are on `localhost`.
 */
export class GuideNats {
  readonly cluster: NatsCluster;
  readonly caFile: string;
  readonly network: Network;

  private constructor(cluster: NatsCluster, caFile: string, network: Network) {
    this.cluster = cluster;
    this.caFile = caFile;
    this.network = network;
  }

  /** Starts the servers. `folder` receives the certificates. */
  static async start(folder: string): Promise<GuideNats> {
    const network = canMakeNetworks() ? new NamespaceNetwork(HOSTS.length) : LOOPBACK;
    for (const folderOfHost of hostFolders(network)) {
      mkdirSync(folderOfHost, { recursive: true });
      const lines = HOSTS.map((host, member) => `${network.address(member)} ${host}.example.org`);
      writeFileSync(join(folderOfHost, "hosts"), ["127.0.0.1 localhost", ...lines, ""].join("\n"));
    }
    // The users of the guide reach what is in it.
    chmodSync(folder, 0o755);
    createCertificates(folder, network);
    const tls = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
    const written = (options: NatsConfiguration): string => guideConfiguration(options, folder, network);
    const runAs = SERVICE_USER?.id;
    const settings = { tls, written, ...(runAs !== undefined && { runAs }) };
    const cluster = await NatsCluster.start(HOSTS.length, settings, network);
    return new GuideNats(cluster, join(folder, "ca.pem"), network);
  }

  /** Connects a process in a role. */
  connect(
    role: NatsRole,
    credentials: { readonly user: string; readonly password: string },
  ): Promise<Backbone> {
    return this.cluster.connect({ role, credentials, tls: { caFile: this.caFile } });
  }

  /** Returns the errors that the servers have logged after a while, except for routes to servers that are down. */
  async errors(): Promise<readonly string[]> {
    await delay(QUIET_MS);
    const lines = this.cluster.nodes.flatMap(({ log }) => log.split("\n"));
    return lines.filter((line) => /\[(?:ERR|FTL)\]/.test(line) && !line.includes("connect to route"));
  }

  async dispose(): Promise<void> {
    await this.cluster.dispose();
    for (const folder of hostFolders(this.network)) rmSync(folder, { recursive: true });
    this.network.dispose();
  }
}

/** Creates the certificates of the servers with the commands of the guide, and installs them in a folder. */
export function createCertificates(folder: string, network: Network): void {
  // The client of the test has no names for the servers, and then verifies this one.
  const making = replaceAll(blockWith("# The authority"), [
    ...hostsIn(network),
    ["=$names", "=$names,DNS:localhost"],
  ]);
  const installing = replaceAll(asServiceUser(blockWith("install -m 600 secrets")), [["/etc/nats", folder]]);
  const workplace = mkdtempSync(join(tmpdir(), "orthant-guide-keys-"));
  try {
    const secrets = Object.entries(PASSWORDS).map(([user, password]) => `${user}_PASSWORD="${password}"\n`);
    writeFileSync(join(workplace, "secrets"), secrets.join(""));
    for (const commands of [making, installing])
      execFileSync("bash", ["-e", "-c", commands], { cwd: workplace, stdio: "ignore" });
    for (const file of ["cert.pem", "key.pem"])
      cpSync(join(workplace, file), join(folder, file === "cert.pem" ? "fullchain.pem" : "privkey.pem"));
  } finally {
    rmSync(workplace, { recursive: true });
  }
}

/** Returns the guide's configuration with the ports, files and passwords of a test. */
function guideConfiguration(options: NatsConfiguration, folder: string, network: Network): string {
  const passwords = Object.entries(PASSWORDS).map(([user, password]): [string, string] => [
    `$${user}_PASSWORD`,
    JSON.stringify(password),
  ]);
  return replaceAll(configurationInGuide(options, folder, network), passwords);
}

/** Returns the guide's configuration with the ports and files of a test, and the names of the passwords. */
export function configurationInGuide(options: NatsConfiguration, folder: string, network: Network): string {
  const { name, port, clusterPort, store, routes } = options;
  const own = Number(name.slice(1));
  const ports = routes.map((route) => Number(route.split(":").at(-1)));
  const clusterPorts = [...ports.slice(0, own), clusterPort, ...ports.slice(own)];
  return replaceAll(WRITTEN, [
    ["server_name: a", `server_name: ${name}`],
    ["0.0.0.0:4222", `0.0.0.0:${port}`],
    ["0.0.0.0:6222", `0.0.0.0:${clusterPort}`],
    // Any free port: without networks of their own, the servers share this address.
    ["127.0.0.1:8222", "127.0.0.1:-1"],
    ["/var/lib/nats", store],
    ["/etc/nats/", `${folder}/`],
    ...HOSTS.map((host, member): [string, string] => {
      const here = network === LOOPBACK ? "localhost" : `${host}.example.org`;
      return [`${host}.example.org:6222`, `${here}:${clusterPorts[member] ?? 0}`];
    }),
  ]);
}

function hostsIn(network: Network): readonly (readonly [written: string, here: string])[] {
  return HOSTS.flatMap((host, member): [string, string][] => [
    [`192.0.2.${member + 1}`, network.address(member)],
    [`${host}.example.org`, network === LOOPBACK ? "localhost" : `${host}.example.org`],
  ]);
}

/** Returns the folders whose files replace those in `/etc` for the members of a network. */
function hostFolders(network: Network): readonly string[] {
  if (network === LOOPBACK) return [];
  return HOSTS.map((_host, member) => `/etc/netns/${network.prefix(member).at(-1)}`);
}

/** Replaces every text, each of which must occur. */
function replaceAll(text: string, positions: readonly (readonly [written: string, here: string])[]): string {
  return positions.reduce((before, [written, here]) => {
    if (!before.includes(written)) throw new Error(`the guide does not contain ${written}`);
    return before.replaceAll(written, here);
  }, text);
}
