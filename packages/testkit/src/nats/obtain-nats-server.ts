import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The cluster needs atomic batches, which this version introduced. */
const OLDEST_NATS_SERVER: readonly [major: number, minor: number] = [2, 12];

/** Default folder of the server: outside the repository, and kept for the next run. */
export const NATS_SERVER_FOLDER: string = join(tmpdir(), "orthant-nats-server");

/** The Debian suite that is new enough. */
const SUITE = "sid";
const PACKAGE = "nats-server";
const BINARY = join("usr", "sbin", "nats-server");

/**
 * Returns the path of a server that is new enough: the installed one, a previously downloaded one, or one
 * downloaded now from this machine's package source. apt checks its signature, as for all packages.
 */
export function obtainNatsServer(folder: string = NATS_SERVER_FOLDER): string {
  const found = ["nats-server", join(folder, "nats-server")].find((path) =>
    isNewEnough(natsServerVersion(path)),
  );
  return found ?? fetchServer(folder);
}

/** Returns the version that a server reports, such as `2.15.1`; `undefined` when it cannot be run. */
export function natsServerVersion(path: string): string | undefined {
  try {
    const said = execFileSync(path, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return /v(?<version>\d+\.\d+\.\d+)/.exec(said)?.groups?.["version"];
  } catch {
    // Not installed is a valid result.
    return undefined;
  }
}

function isNewEnough(version: string | undefined): boolean {
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NATS_SERVER;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** Works in a temporary folder and renames the result into place, so that processes may run it at once. */
function fetchServer(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const workplace = mkdtempSync(join(folder, "fetch-"));
  try {
    unpackServer(workplace);
    const fetched = join(workplace, "unpacked", BINARY);
    if (!existsSync(fetched)) throw new Error(`the package ${PACKAGE} of ${SUITE} has no ${BINARY}`);
    const version = natsServerVersion(fetched);
    if (!isNewEnough(version)) {
      throw new Error(
        `${SUITE} has nats-server ${version}, ${OLDEST_NATS_SERVER.join(".")} or newer is needed`,
      );
    }
    const kept = join(folder, "nats-server");
    renameSync(fetched, kept);
    return kept;
  } finally {
    rmSync(workplace, { recursive: true });
  }
}

function unpackServer(workplace: string): void {
  const sources = join(workplace, "sources.list");
  writeFileSync(sources, `deb ${packageSource()} ${SUITE} main\n`);
  for (const path of ["lists/partial", "cache/archives/partial"]) {
    mkdirSync(join(workplace, path), { recursive: true });
  }
  const settings = [
    `Dir::Etc::sourcelist=${sources}`,
    "Dir::Etc::sourceparts=/dev/null",
    `Dir::State::lists=${join(workplace, "lists")}`,
    `Dir::Cache=${join(workplace, "cache")}`,
    "Acquire::Languages=none",
  ].flatMap((setting) => ["-o", setting]);
  run("apt-get", [...settings, "update"], workplace);
  run("apt-get", [...settings, "download", PACKAGE], workplace);
  const archive = readdirSync(workplace).find((name) => name.endsWith(".deb"));
  if (archive === undefined) throw new Error(`apt-get download ${PACKAGE} left no package`);
  run("dpkg", ["-x", archive, "unpacked"], workplace);
}

/** Returns where apt gets the suite of this machine. Not hard-coded, as every machine has its mirror. */
function packageSource(): string {
  const codename = /^VERSION_CODENAME=(?<name>\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.groups?.[
    "name"
  ];
  const format = "$(RELEASE) $(COMPONENT) $(REPO_URI)";
  const source = run("apt-get", ["indextargets", "--format", format, "Created-By: Packages"], ".")
    .split("\n")
    .map((line) => line.split(" "))
    .find(([release, component]) => release === codename && component === "main")?.[2];
  if (source === undefined)
    throw new Error(`apt has no source for ${codename} main; install nats-server by hand`);
  return source;
}

function run(command: string, parameters: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, parameters, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    throw new Error(`${command} ${parameters.join(" ")} failed: ${stderr ?? ""}`, { cause: error });
  }
}
