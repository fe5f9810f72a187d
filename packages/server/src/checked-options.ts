import type { Dimensions, TimeSource } from "@orthant/core";
import {
  type Check,
  callback,
  checkedOptions,
  choiceOf,
  fieldsOf,
  isListOf,
  matching,
  type OptionTable,
  requireFlag,
  requireObject,
  secret,
  whole,
  withMethods,
} from "@orthant/core/arguments";
import { requireDataCodec, requireMessages } from "@orthant/core/world";
import { BOX_EDGE_MAX, BOX_MOTION_MAX } from "@orthant/mesh";
import { ORIENTATION_STEPS_MAX, POSITION_STEPS_MAX, type Precision } from "@orthant/protocol";
import type { AuthOptions } from "./auth/authorization.ts";
import { ROLES } from "./auth/token.ts";
import { requireOrigins } from "./http/host-and-origin.ts";
import type { MetricsOptions } from "./http/http-handler.ts";
import type { TlsOptions } from "./http/http-listener.ts";
import type { Limits } from "./http/limits.ts";
import type { PageOptions } from "./http/page-policy.ts";
import type { MovementOptions } from "./movement.ts";
import type { OwnerEndpointsOptions, ServerOptions } from "./server-options.ts";
import { requireRules } from "./sync/game-rules.ts";
import { requireOperationRoles } from "./sync/operation-options.ts";
import type { Wire1Options } from "./wire1/wire1-listener.ts";

const PORT_MAX = 65_535;
const TICK_MS_MAX = 60_000;
const PROXIES_MAX = 16;
/** A DNS name or an address, without a scheme and a port. */
const HOST_NAME = /^(?:[a-z\d_](?:[a-z\d_-]*[a-z\d_])?\.)*[a-z\d_](?:[a-z\d_-]*[a-z\d_])?$/i;
const VISIBLE_TEXT = /^[\x20-\x7e]+$/;
/** Least edge of a player's box. */
const PLAYER_EDGE_MIN = 0.125;

const port = whole(0, PORT_MAX);
const address = matching<string>('it is an address such as "0.0.0.0"', isText);
const text = matching<string>("it is text", isText);
const pem = secret<string | Uint8Array>("it is PEM, as text or bytes", isTextOrBytes);
const role = choiceOf(...ROLES);
const requirePage = matching<string | URL | PageOptions>(
  "it is a folder, as a path or a URL, or { folder, frameAncestors, contentSecurityPolicy }",
  (value) => isFolder(value) || (isObject(value) && isFolder(field(value, "folder"))),
);
const speed = matching<number>(
  // A box moves no farther in a second.
  `it is a number of voxels per second, above 0 and up to ${BOX_MOTION_MAX}`,
  (value) => typeof value === "number" && value > 0 && value <= BOX_MOTION_MAX,
);
const limit = matching<number>("it is a number above 0", (value) => typeof value === "number" && value > 0);

/** Options inside an option that may hold a secret, even where its value is not an object. */
function secretOptions<Options extends object>(table: OptionTable<Options>): Check<Options> {
  const check = fieldsOf(table);
  const isOne = secret("it is an object", isObject);
  return (name, value) => check(name, isOne(name, value));
}

/** An object whose fields all have one check. */
function eachOf<Fields extends object>(check: Check<unknown>): Check<Fields> {
  return (name, value) => {
    requireObject(name, value, "it is an object");
    for (const [field, each] of Object.entries(value))
      if (each !== undefined) check(`${name}.${field}`, each);
    return value as Fields;
  };
}

function listOf<Item>(advice: string, accepts: (item: unknown) => boolean): Check<readonly Item[]> {
  return matching(advice, (value) => isListOf(value, accepts));
}

const requireTls = fieldsOf<Record<"certificateFile" | "keyFile" | "certificate" | "key", unknown>>({
  certificateFile: text,
  keyFile: text,
  certificate: pem,
  key: pem,
});

const requireKeyPair = secret<TlsOptions>(
  "it is { certificateFile, keyFile } or { certificate, key }",
  (value) =>
    isObject(value) && (has(value, "certificateFile", "keyFile") || has(value, "certificate", "key")),
);

/** Options of everything that listens for requests. */
const LISTENER_OPTIONS = {
  port,
  host: address,
  hosts: listOf<string>(
    'it is a list of host names such as "play.example.org", without a scheme and a port',
    (name) => isText(name) && HOST_NAME.test(name),
  ),
  tls(name: string, value: unknown): TlsOptions {
    const tls = requireKeyPair(name, value);
    requireTls(name, tls);
    return tls;
  },
  proxies: whole(0, PROXIES_MAX),
  metrics: secretOptions<MetricsOptions>({
    registry: matching("it is a prom-client registry", isObject),
    bearer: secret(
      "it is text of letters, digits and signs of ASCII",
      (value) => isText(value) && VISIBLE_TEXT.test(value),
    ),
    public: requireFlag,
  }),
};

const OWNER_OPTIONS: OptionTable<OwnerEndpointsOptions> = {
  ...LISTENER_OPTIONS,
  counts: callback,
  unready: callback,
};

const requireAnonymous = matching<NonNullable<AuthOptions["anonymous"]>>(
  "it is true, false, viewer, builder or admin",
  (value) => typeof value === "boolean" || (ROLES as readonly unknown[]).includes(value),
);

const pageOptions = fieldsOf<PageOptions>({
  folder: matching("it is a folder, as a path or a URL", isFolder),
  frameAncestors: listOf('it is a list of origins such as "https://example.org"', isText),
  contentSecurityPolicy: matching(
    'it is lists of sources by directive, such as { "img-src": ["data:"] }',
    (value) => isObject(value) && Object.values(value).every((sources) => isListOf(sources, isText)),
  ),
});

const movementOptions = fieldsOf<MovementOptions>({
  speedMax: speed,
  riseSpeedMax: speed,
  fallSpeedMax: speed,
  size: matching(
    `it is an edge for each axis, from ${PLAYER_EDGE_MIN} to ${BOX_EDGE_MAX} voxels, such as [0.6, 1.8, 0.6]`,
    (value) => isListOf(value, isPlayerEdge) && value.length >= 2,
  ),
  isSolid: callback,
  reach: matching("it is a number of voxels, 0 or more", (value) => typeof value === "number" && value >= 0),
});

const SERVER_OPTIONS: OptionTable<ServerOptions> = {
  ...LISTENER_OPTIONS,
  world: matching("it is a world that is open, such as createWorld gives", isWorld),
  acknowledge: choiceOf("applied", "durable"),
  readOnly: requireFlag,
  tickMs: whole(1, TICK_MS_MAX),
  precision: fieldsOf<Partial<Precision>>({
    positionSteps: whole(1, POSITION_STEPS_MAX),
    orientationSteps: whole(1, ORIENTATION_STEPS_MAX),
  }),
  entityRates: matching("it is an object", isObject),
  origins(name, value) {
    const origins = listOf<string>('it is a list of origins such as "https://example.org", or ["*"]', isText);
    requireOrigins(origins(name, value));
    return value as readonly string[];
  },
  dataCodec: requireDataCodec,
  auth: secretOptions<AuthOptions>({
    secret: secret("it is text or bytes", isTextOrBytes),
    publicKey: secret(
      "it is an Ed25519 key, in PEM or as a KeyObject",
      (value) => isText(value) || isObject(value),
    ),
    audience: text,
    anonymous: requireAnonymous,
  }),
  authorize: callback,
  onRequest: callback,
  revoked: matching("it is a list", Array.isArray),
  limits: eachOf<Partial<Limits>>(limit),
  operations: requireOperationRoles,
  rules: requireRules,
  messages: requireMessages,
  movement(name, value) {
    const movement = movementOptions(name, value);
    speed(`${name}.speedMax`, movement.speedMax);
    return movement;
  },
  logger: matching(
    "it is a pino logger, options for one, or false",
    (value) => value === false || isObject(value),
  ),
  cluster: callback,
  page(name, value) {
    const page = requirePage(name, value);
    return isFolder(page) ? page : pageOptions(name, page);
  },
  wire1: fieldsOf<Wire1Options>({
    port,
    host: address,
    allow: listOf('it is a list of addresses and networks such as "10.0.0.0/24"', isText),
    role,
    record: callback,
    onCommand: callback,
  }),
  // Only looked at: a call would start a timer of a clock that a test has not wound up yet.
  time: withMethods<TimeSource>("it is a TimeSource", "nowMs", "after", "wait"),
  closeWorld: requireFlag,
};

/**
 * Returns the options as an object of our own. Throws `ORT_ARGUMENT` for an invalid one, with its name, its value and what
 * would be valid.
 */
export function checkedServerOptions<D extends Dimensions, Message, Sent>(
  given: ServerOptions<D, Message, Sent>,
): ServerOptions<D> {
  // The validators of the game tell what a message is.
  const options = given as unknown as ServerOptions<D>;
  const table = SERVER_OPTIONS as unknown as OptionTable<ServerOptions<D>>;
  const checked = checkedOptions("options", options, table);
  table.world("world", checked.world);
  return checked;
}

/** Does the same for the endpoints of an owner. */
export function checkedOwnerOptions(options: OwnerEndpointsOptions): OwnerEndpointsOptions {
  return checkedOptions("options", options, OWNER_OPTIONS);
}

function isWorld(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (isObject(field(value, "engine"))) return true;
  return isObject(field(value, "shape")) && typeof field(value, "save") === "function";
}

function isPlayerEdge(value: unknown): boolean {
  return typeof value === "number" && value >= PLAYER_EDGE_MIN && value <= BOX_EDGE_MAX;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isFolder(value: unknown): boolean {
  return isText(value) || value instanceof URL;
}

function isTextOrBytes(value: unknown): boolean {
  return typeof value === "string" || value instanceof Uint8Array;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function has(value: object, ...names: readonly string[]): boolean {
  return names.every((name) => field(value, name) !== undefined);
}

function field(value: object, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name];
}
