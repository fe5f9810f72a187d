import { OrthantError } from "@orthant/core";
import { printable } from "@orthant/core/arguments";

/** Directives of the content security policy that an owner may extend. */
export type PolicyDirective =
  | "connect-src"
  | "font-src"
  | "form-action"
  | "frame-src"
  | "img-src"
  | "media-src"
  | "script-src"
  | "style-src"
  | "worker-src";

/** A web page to serve, and what it may do beyond the strict defaults. */
export interface PageOptions {
  /** The folder of the page, with an `index.html`. */
  readonly folder: string | URL;
  /**
   * Origins of web pages that may show this one in a frame, such as `https://example.org`; by default none
   * may, because a page that frames another can trick visitors into clicks.
   */
  readonly frameAncestors?: readonly string[];
  /**
   * Sources to add to the content security policy, by directive, such as
   * `{ "style-src": ["'unsafe-inline'"], "connect-src": ["https://api.example.org"] }`. By default the page
   * may load and reach only this server.
   */
  readonly contentSecurityPolicy?: Readonly<Partial<Record<PolicyDirective, readonly string[]>>>;
}

/** The page may load and reach only its own server, sends no forms, and other pages may not frame it. */
const STRICT_SOURCES: Readonly<Record<PolicyDirective, readonly string[]>> = {
  "script-src": ["'self'"],
  "worker-src": ["'self'"],
  "style-src": ["'self'"],
  "img-src": ["'self'", "blob:"],
  "connect-src": ["'self'"],
  "font-src": [],
  "media-src": [],
  "frame-src": [],
  "form-action": [],
};

/** An origin of the web as a policy has it: no path, no wildcard, and no character that ends a directive. */
const ORIGIN = /^https?:\/\/[a-z\d](?:[a-z\d._-]*[a-z\d])?(?::\d{1,5})?$/;
/** A keyword, a hash, a scheme, or a host with an optional scheme, port and path. */
const SOURCE =
  /^(?:\*|'(?:self|unsafe-inline|unsafe-eval|unsafe-hashes|wasm-unsafe-eval|strict-dynamic)'|'sha(?:256|384|512)-[A-Za-z\d+/_-]+={0,2}'|[a-z][a-z\d+.-]*:|(?:[a-z][a-z\d+.-]*:\/\/)?(?:\*\.)?[a-z\d](?:[a-z\d._-]*[a-z\d])?(?::(?:\d{1,5}|\*))?(?:\/[\w/.~%@&=+$-]*)?)$/;

/**
 * Returns the `Content-Security-Policy` of a page. Throws `ORT_ARGUMENT` for a value that is not an origin or
 * source, so that no value can add a directive or a header of its own.
 */
export function pagePolicy({
  frameAncestors = [],
  contentSecurityPolicy = {},
}: Omit<PageOptions, "folder">): string {
  const notOrigin = frameAncestors.find((origin) => !isMatch(ORIGIN, origin));
  if (notOrigin !== undefined) {
    throw refused("frameAncestors", notOrigin, "an origin such as https://example.org, without a path");
  }
  for (const [directive, sources] of Object.entries(contentSecurityPolicy)) {
    if (!Object.hasOwn(STRICT_SOURCES, directive)) {
      throw refused("contentSecurityPolicy", directive, `one of ${Object.keys(STRICT_SOURCES).join(", ")}`);
    }
    const notSource = sources.find((source) => !isMatch(SOURCE, source));
    if (notSource !== undefined) {
      const wanted = "one source, such as https://api.example.org, data: or 'unsafe-inline'";
      throw refused(`contentSecurityPolicy["${directive}"]`, notSource, wanted);
    }
  }
  return [
    "default-src 'none'",
    ...Object.entries(STRICT_SOURCES).flatMap(([directive, strict]) => {
      const sources = [...strict, ...(contentSecurityPolicy[directive as PolicyDirective] ?? [])];
      // Forms are the only ones of these that `default-src` does not cover.
      if (sources.length === 0) return directive === "form-action" ? ["form-action 'none'"] : [];
      return [`${directive} ${sources.join(" ")}`];
    }),
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(" ")}`,
  ].join("; ");
}

function isMatch(pattern: RegExp, value: unknown): boolean {
  return typeof value === "string" && pattern.test(value);
}

function refused(option: string, value: unknown, wanted: string): OrthantError {
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  return new OrthantError("ORT_ARGUMENT", `${printable(shown)} in page.${option} is not ${wanted}`);
}
