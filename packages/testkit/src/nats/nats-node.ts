import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One NATS server in a separate process, which can be killed, paused and restarted on the same files. */
export class NatsNode {
  readonly url: string;
  readonly name: string;
  readonly #command: readonly string[];
  readonly #configurationFile: string;
  #child: ChildProcess | undefined;
  #said = "";

  /** `command` is the server, preceded by what runs it in its own network. */
  constructor(command: readonly string[], folder: string, options: Omit<NatsConfiguration, "store">) {
    this.name = options.name;
    this.url = `${options.tls === undefined ? "nats" : "tls"}://${options.address}:${options.port}`;
    this.#command = command;
    const store = join(folder, options.name);
    mkdirSync(store, { recursive: true });
    const { runAs } = options;
    if (runAs !== undefined) for (const path of [folder, store]) chownSync(path, runAs, runAs);
    this.#configurationFile = join(folder, `${options.name}.conf`);
    const { written = natsConfiguration } = options;
    writeFileSync(this.#configurationFile, written({ ...options, store }));
  }

  /** Resolves when the server accepts connections. */
  async start(): Promise<void> {
    const [program = "", ...parameters] = [...this.#command, "-c", this.#configurationFile];
    const child = spawn(program, parameters, { stdio: ["ignore", "ignore", "pipe"] });
    this.#child = child;
    this.#said = "";
    process.once("exit", () => child.kill("SIGKILL"));
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on("data", (text: Buffer) => {
        this.#said = (this.#said + text.toString()).slice(-20_000);
        if (this.#said.includes("Server is ready")) resolve();
      });
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`nats-server ${this.name} ended: ${this.#said}`)));
    });
  }

  /** The end of its log. */
  get log(): string {
    return this.#said;
  }

  /** Its process id, while it runs. */
  get processId(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Ends it at once, like a lost machine. */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** Shuts it down in order. */
  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  /** Suspends it until `resume`. */
  pause(): void {
    this.#child?.kill("SIGSTOP");
  }

  resume(): void {
    this.#child?.kill("SIGCONT");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
}

/** Settings of a server in a test. */
export interface NatsConfiguration {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly clusterPort: number;
  readonly store: string;
  /** The other servers' cluster addresses; none for a single server. */
  readonly routes: readonly string[];
  /** Settings to omit or change, so that a node has something to reject. */
  readonly syncInterval?: string;
  readonly maxPayload?: string;
  readonly maxFileStore?: string;
  readonly importsSettings?: boolean;
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** The number of the user and the group that run the server, instead of those of the test. */
  readonly runAs?: number;
  /** Replaces `natsConfiguration` as the writer of the configuration. */
  readonly written?: (options: NatsConfiguration) => string;
}

/** Credentials for the servers of a test. */
export const TEST_CREDENTIALS = { user: "orthant", password: "for tests alone" } as const;

/** Returns the configuration of the guide, with the addresses of a test. */
function natsConfiguration(options: NatsConfiguration): string {
  const { name, address, port, clusterPort, store, routes } = options;
  const { syncInterval = "always", maxPayload = "2MB", importsSettings = true, tls } = options;
  const { maxFileStore = "64GB" } = options;
  const settingsImport = `{ service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ" }, to: "orthant.jsz" }`;
  const lines = [
    `server_name: ${name}`,
    `listen: "${address}:${port}"`,
    `max_payload: ${maxPayload}`,
    `max_pending: 256MB`,
    `jetstream { store_dir: ${JSON.stringify(store)}, sync_interval: ${JSON.stringify(syncInterval)}, max_file_store: ${maxFileStore} }`,
    `accounts {`,
    `  SYS { users: [{ user: system, password: ${JSON.stringify(TEST_CREDENTIALS.password)} }],`,
    `    exports: [{ service: "$SYS.REQ.SERVER.PING.JSZ", response_type: stream }] }`,
    `  ORTHANT { jetstream: enabled, users: [{ user: ${TEST_CREDENTIALS.user}, password: ${JSON.stringify(TEST_CREDENTIALS.password)} }],`,
    `    imports: [${importsSettings ? settingsImport : ""}] }`,
    `}`,
    `system_account: SYS`,
    ...(tls === undefined
      ? []
      : [`tls { cert_file: ${JSON.stringify(tls.certFile)}, key_file: ${JSON.stringify(tls.keyFile)} }`]),
    ...(routes.length === 0
      ? []
      : [
          `cluster { name: test, listen: "${address}:${clusterPort}", routes: [${routes.map((route) => `"nats://${route}"`).join(", ")}] }`,
        ]),
  ];
  return `${lines.join("\n")}\n`;
}
