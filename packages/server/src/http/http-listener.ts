import { readFile } from "node:fs/promises";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { OrthantError } from "@orthant/core";
import type { ServerLimits } from "./limits.ts";

/** A certificate chain and its private key in PEM: as files, which can be reloaded, or as values. */
export type TlsOptions =
  | { readonly certificateFile: string; readonly keyFile: string }
  | { readonly certificate: string | Uint8Array; readonly key: string | Uint8Array };

/** The form that `node:tls` expects. */
interface Certificate {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** Reads the current certificate. */
async function readCertificate(tls: TlsOptions): Promise<Certificate> {
  if ("certificate" in tls) return { cert: pemOf(tls.certificate), key: pemOf(tls.key) };
  try {
    const [cert, key] = await Promise.all([readFile(tls.certificateFile), readFile(tls.keyFile)]);
    return { cert, key };
  } catch (cause) {
    throw certificateError("the certificate cannot be read", cause);
  }
}

/** Returns the error for an unusable certificate, with the original message. */
function certificateError(what: string, cause: unknown): OrthantError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new OrthantError("ORT_LISTEN", `${what}: ${why}`, { operation: "certificate" }, { cause });
}

function pemOf(pem: string | Uint8Array): string | Buffer {
  return typeof pem === "string" ? pem : Buffer.from(pem);
}

/** Sockets beyond those of connections, for health checks and for telling clients that the server is full. */
const SPARE_SOCKETS = 256;
/** Interval between Node's checks for slow requests. */
const STALL_CHECK_MS = 1_000;
const KEEP_ALIVE_MS = 5_000;
const REQUESTS_PER_SOCKET_MAX = 1_000;

/** An HTTP server, or an HTTPS one with a certificate, that slow or excessive senders cannot block. */
export class HttpListener {
  readonly server: HttpServer | HttpsServer;
  readonly #tls: TlsOptions | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(server: HttpServer | HttpsServer, tls: TlsOptions | undefined) {
    this.server = server;
    this.#tls = tls;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  /** Creates the server; it does not listen yet. */
  static async create(tls: TlsOptions | undefined, limits: ServerLimits): Promise<HttpListener> {
    const options = {
      headersTimeout: limits.httpHeaderMs,
      requestTimeout: limits.httpHeaderMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: Math.min(STALL_CHECK_MS, limits.httpHeaderMs),
      maxHeaderSize: limits.httpHeaderBytesMax,
    };
    const server =
      tls === undefined ? createHttpServer(options) : await secureServer(tls, limits.httpHeaderMs, options);
    server.maxRequestsPerSocket = REQUESTS_PER_SOCKET_MAX;
    server.maxConnections = limits.connectionsMax + SPARE_SOCKETS;
    return new HttpListener(server, tls);
  }

  /** Whether the traffic is encrypted. */
  get isSecure(): boolean {
    return this.#tls !== undefined;
  }

  /** Starts to listen and returns the port. Throws `ORT_LISTEN` when it cannot. */
  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      const fail = (cause: unknown): void => reject(listenError(`${host}, port ${port}`, cause));
      this.server.once("error", fail);
      this.server.listen({ port, host }, () => {
        this.server.off("error", fail);
        resolve();
      });
    });
    return (this.server.address() as AddressInfo).port;
  }

  /** Reloads the certificate from its files. Open connections keep the old one. */
  async reloadCertificate(): Promise<void> {
    if (this.#tls === undefined || !("setSecureContext" in this.server)) return;
    const certificate = await readCertificate(this.#tls);
    const { server } = this;
    acceptingCertificate(() => server.setSecureContext(certificate));
  }

  /** Stops listening and drops all open sockets. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      // All of them: Node's own list lacks those in the middle of a TLS handshake.
      for (const socket of this.#sockets) socket.destroy();
    });
  }
}

async function secureServer(
  tls: TlsOptions,
  handshakeTimeout: number,
  options: object,
): Promise<HttpsServer> {
  const certificate: Certificate = await readCertificate(tls);
  return acceptingCertificate(() =>
    createHttpsServer({ ...options, ...certificate, handshakeTimeout, minVersion: "TLSv1.2" }),
  );
}

function acceptingCertificate<Result>(use: () => Result): Result {
  try {
    return use();
  } catch (cause) {
    throw certificateError("the certificate and its key cannot be used", cause);
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "another program listens there already"],
  ["EADDRNOTAVAIL", "this machine has no such address"],
  ["ENOTFOUND", "there is no machine of that name"],
  ["EAI_AGAIN", "there is no machine of that name"],
  ["EACCES", "this user may not; ports below 1024 often belong to the system"],
]);

/** Returns the error of a server that cannot listen at an address, with the reason. */
export function listenError(position: string, cause: unknown): OrthantError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why = REASONS.get(code) ?? (cause instanceof Error ? cause.message : String(cause));
  return new OrthantError(
    "ORT_LISTEN",
    `cannot listen at ${position}: ${why}`,
    { operation: "listen" },
    { cause },
  );
}
