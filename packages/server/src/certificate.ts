import { readFile } from "node:fs/promises";
import { OrthantError } from "@orthant/core";

/** A certificate chain and its private key, both in PEM: in files, which can be read again, or as they are. */
export type TlsOptions =
  | { readonly certificateFile: string; readonly keyFile: string }
  | { readonly certificate: string | Uint8Array; readonly key: string | Uint8Array };

/** What `node:tls` takes. */
export interface Certificate {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** The certificate as it is now. */
export async function readCertificate(tls: TlsOptions): Promise<Certificate> {
  if ("certificate" in tls) return { cert: pemOf(tls.certificate), key: pemOf(tls.key) };
  try {
    const [cert, key] = await Promise.all([readFile(tls.certificateFile), readFile(tls.keyFile)]);
    return { cert, key };
  } catch (cause) {
    throw certificateError("the certificate cannot be read", cause);
  }
}

/** What is wrong with a certificate, in the words of whoever found out. */
export function certificateError(what: string, cause: unknown): OrthantError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new OrthantError("ORT_LISTEN", `${what}: ${why}`, { operation: "certificate" }, { cause });
}

function pemOf(pem: string | Uint8Array): string | Buffer {
  return typeof pem === "string" ? pem : Buffer.from(pem);
}
