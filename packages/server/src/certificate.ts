import { readFile } from "node:fs/promises";
import { OrthantError } from "@orthant/core";

/** A certificate chain and its private key in PEM: as files, which can be reloaded, or as values. */
export type TlsOptions =
  | { readonly certificateFile: string; readonly keyFile: string }
  | { readonly certificate: string | Uint8Array; readonly key: string | Uint8Array };

/** The form that `node:tls` expects. */
export interface Certificate {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** Reads the current certificate. */
export async function readCertificate(tls: TlsOptions): Promise<Certificate> {
  if ("certificate" in tls) return { cert: pemOf(tls.certificate), key: pemOf(tls.key) };
  try {
    const [cert, key] = await Promise.all([readFile(tls.certificateFile), readFile(tls.keyFile)]);
    return { cert, key };
  } catch (cause) {
    throw certificateError("the certificate cannot be read", cause);
  }
}

/** Returns the error for an unusable certificate, with the original message. */
export function certificateError(what: string, cause: unknown): OrthantError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new OrthantError("ORT_LISTEN", `${what}: ${why}`, { operation: "certificate" }, { cause });
}

function pemOf(pem: string | Uint8Array): string | Buffer {
  return typeof pem === "string" ? pem : Buffer.from(pem);
}
