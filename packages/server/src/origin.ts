import type { IncomingHttpHeaders } from "node:http";
import { OrthantError } from "@orthant/core";
import { isLoopback } from "./client-address.ts";

/** The web pages that may connect. */
export interface OriginRule {
  /** Origins such as `https://example.org`, or `*` for all; `undefined` allows pages of the same host. */
  readonly origins: readonly string[] | undefined;
  /** Whether the host itself must be this machine; otherwise any page could point its own name at it. */
  readonly loopbackOnly: boolean;
}

/** An origin as browsers send it: a scheme and a lower-case host without a path; `null` for none. */
const ORIGIN = /^(?:\*|null|[a-z][a-z\d+.-]*:\/\/[^/\s?#A-Z]+)$/;

/** Rejects entries that can never match an `Origin` header, which would silently keep every page out. */
export function requireOrigins(origins: readonly string[]): void {
  const wrong = origins.find((origin) => !ORIGIN.test(origin));
  if (wrong === undefined) return;
  throw new OrthantError(
    "ORT_ARGUMENT",
    `"${wrong}" is no origin; one looks like https://example.org, without a path, and * is all of them`,
  );
}

/** Whether a page, or a program other than a browser, may connect. Browsers send a page's true `Origin`. */
export function originMayConnect(
  headers: IncomingHttpHeaders,
  { origins, loopbackOnly }: OriginRule,
): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return true;
  if (origins !== undefined) return origins.includes("*") || origins.includes(origin);
  const page = parse(origin);
  const here = page && host !== undefined ? parse(`${page.protocol}//${host}`) : undefined;
  if (page === undefined || here === undefined || page.host !== here.host) return false;
  return !loopbackOnly || isLoopback(here.hostname);
}

/** Returns `undefined` for an invalid address, such as the `null` of a page without an origin. */
function parse(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return url.host === "" ? undefined : url;
  } catch {
    return undefined; // an invalid header grants no access
  }
}
