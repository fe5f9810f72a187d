import type { IncomingHttpHeaders } from "node:http";
import { isLoopback } from "./client-address.ts";

/** Which web pages may connect. */
export interface OriginRule {
  /** Origins such as `https://example.org`, or `*` for all; `undefined`: pages of the host that they connect to. */
  readonly origins: readonly string[] | undefined;
  /** Whether the host itself must be this machine: else any page could give its own name to this machine. */
  readonly loopbackOnly: boolean;
}

/** Whether a page, or a program that is no browser, may connect. Browsers say the truth about pages in `Origin`. */
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

/** `undefined` for what is no address, such as the `null` of a page without an origin. */
function parse(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return url.host === "" ? undefined : url;
  } catch {
    return undefined; // a header that makes no sense lets nobody in
  }
}
