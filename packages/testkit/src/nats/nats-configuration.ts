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
  readonly hasSettingsDoor?: boolean;
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** Replaces `natsConfiguration` as the writer of the configuration. */
  readonly written?: (options: NatsConfiguration) => string;
}

/** Credentials for the servers of a test. */
export const TEST_CREDENTIALS = { user: "orthant", password: "for tests alone" } as const;

/** Returns the configuration of the guide, with the addresses of a test. */
export function natsConfiguration(options: NatsConfiguration): string {
  const { name, address, port, clusterPort, store, routes } = options;
  const { syncInterval = "always", maxPayload = "2MB", hasSettingsDoor = true, tls } = options;
  const door = `{ service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ" }, to: "orthant.jsz" }`;
  const lines = [
    `server_name: ${name}`,
    `listen: "${address}:${port}"`,
    `max_payload: ${maxPayload}`,
    `max_pending: 256MB`,
    `jetstream { store_dir: ${JSON.stringify(store)}, sync_interval: ${JSON.stringify(syncInterval)}, max_file_store: 64GB }`,
    `accounts {`,
    `  SYS { users: [{ user: system, password: ${JSON.stringify(TEST_CREDENTIALS.password)} }],`,
    `    exports: [{ service: "$SYS.REQ.SERVER.PING.JSZ", response_type: stream }] }`,
    `  ORTHANT { jetstream: enabled, users: [{ user: ${TEST_CREDENTIALS.user}, password: ${JSON.stringify(TEST_CREDENTIALS.password)} }],`,
    `    imports: [${hasSettingsDoor ? door : ""}] }`,
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
