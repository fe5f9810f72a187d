import { inspect } from "node:util";
import { type DataCodec, type Dimensions, OrthantError } from "@orthant/core";
import { isListOf, printable } from "@orthant/core/arguments";
import { BOX_EDGE_MAX, BOX_MOTION_MAX } from "@orthant/mesh";
import { ORIENTATION_STEPS_MAX, POSITION_STEPS_MAX } from "@orthant/protocol";
import { ROLES } from "./auth/token.ts";
import { RULE_NAMES } from "./game-rules.ts";
import { requireOrigins } from "./http/host-and-origin.ts";
import type { OwnerEndpointsOptions, ServerOptions } from "./server-options.ts";

/** The valid values of an option, and a test for them. */
interface Rule {
  readonly wanted: string;
  readonly accepts: (value: unknown) => boolean;
  /** Whether errors must not contain the value. */
  readonly isSecret?: boolean;
}

type Rules = Readonly<Record<string, Rule>>;

const PORT_MAX = 65_535;
const TICK_MS_MAX = 60_000;
const PROXIES_MAX = 16;
const SHOWN_LENGTH_MAX = 80;
/** A DNS name or an address, without a scheme and a port. */
const HOST_NAME = /^(?:[a-z\d_](?:[a-z\d_-]*[a-z\d_])?\.)*[a-z\d_](?:[a-z\d_-]*[a-z\d_])?$/i;
const VISIBLE_TEXT = /^[\x20-\x7e]+$/;

const PORT: Rule = { wanted: `a whole number from 0 to ${PORT_MAX}`, accepts: wholeNumber(0, PORT_MAX) };
const ADDRESS: Rule = { wanted: 'an address such as "0.0.0.0"', accepts: isText };
const FLAG: Rule = { wanted: "true or false", accepts: (value) => typeof value === "boolean" };
const FUNCTION: Rule = { wanted: "a function", accepts: isFunction };
const OBJECT: Rule = { wanted: "an object", accepts: isObject };
const TEXT: Rule = { wanted: "text", accepts: isText };
const PEM: Rule = { wanted: "PEM, as text or bytes", accepts: isTextOrBytes, isSecret: true };
const SECRETIVE_OBJECT: Rule = { ...OBJECT, isSecret: true };
const LIST: Rule = { wanted: "a list", accepts: Array.isArray };
const ROLE: Rule = {
  wanted: "viewer, builder or admin",
  accepts: (value) => (ROLES as readonly unknown[]).includes(value),
};

/** Options of everything that listens for requests. */
const LISTENER_RULES = {
  port: PORT,
  host: ADDRESS,
  hosts: {
    wanted: 'a list of host names such as "play.example.org", without a scheme and a port',
    accepts: (value) => isListOf(value, (name) => isText(name) && HOST_NAME.test(name as string)),
  },
  tls: {
    wanted: "{ certificateFile, keyFile } or { certificate, key }",
    accepts: (value) =>
      isObject(value) && (has(value, "certificateFile", "keyFile") || has(value, "certificate", "key")),
    isSecret: true,
  },
  proxies: { wanted: `a whole number from 0 to ${PROXIES_MAX}`, accepts: wholeNumber(0, PROXIES_MAX) },
  metrics: SECRETIVE_OBJECT,
} satisfies Rules;

const SERVER_RULES: Rules = {
  ...LISTENER_RULES,
  world: { wanted: "a world that is open, such as createWorld gives", accepts: isWorld },
  acknowledge: {
    wanted: '"applied" or "durable"',
    accepts: (value) => value === "applied" || value === "durable",
  },
  readOnly: FLAG,
  tickMs: { wanted: `a whole number from 1 to ${TICK_MS_MAX}`, accepts: wholeNumber(1, TICK_MS_MAX) },
  precision: OBJECT,
  entityRates: OBJECT,
  origins: {
    wanted: 'a list of origins such as "https://example.org", or ["*"]',
    accepts: (value) => isListOf(value, isText),
  },
  dataCodec: { wanted: "{ encode, decode }, two functions", accepts: isDataCodec },
  auth: SECRETIVE_OBJECT,
  authorize: FUNCTION,
  revoked: LIST,
  limits: OBJECT,
  rules: OBJECT,
  movement: OBJECT,
  logger: {
    wanted: "a pino logger, options for one, or false",
    accepts: (value) => value === false || isObject(value),
  },
  cluster: FUNCTION,
  page: {
    wanted: "a folder, as a path or a URL, or { folder, frameAncestors, contentSecurityPolicy }",
    accepts: (value) => isFolder(value) || (isObject(value) && isFolder(field(value, "folder"))),
  },
  wire1: OBJECT,
  time: {
    wanted: "a TimeSource",
    accepts: (value) =>
      isObject(value) && ["nowMs", "after", "wait"].every((name) => isFunction(field(value, name))),
  },
  closeWorld: FLAG,
} satisfies Record<keyof ServerOptions, Rule>;

const OWNER_RULES: Rules = {
  ...LISTENER_RULES,
  counts: FUNCTION,
  unready: FUNCTION,
} satisfies Record<keyof OwnerEndpointsOptions, Rule>;

const AUTH_RULES: Rules = {
  secret: { wanted: "text or bytes", accepts: isTextOrBytes, isSecret: true },
  publicKey: {
    wanted: "an Ed25519 key, in PEM or as a KeyObject",
    accepts: (value) => isText(value) || isObject(value),
    isSecret: true,
  },
  audience: TEXT,
  anonymous: {
    wanted: "true, false, viewer, builder or admin",
    accepts: (value) => FLAG.accepts(value) || ROLE.accepts(value),
  },
};
const METRICS_RULES: Rules = {
  registry: { wanted: "a prom-client registry", accepts: isObject },
  bearer: {
    wanted: "text of letters, digits and signs of ASCII",
    accepts: (value) => isText(value) && VISIBLE_TEXT.test(value as string),
    isSecret: true,
  },
  public: FLAG,
};
const TLS_RULES: Rules = { certificateFile: TEXT, keyFile: TEXT, certificate: PEM, key: PEM };
const WIRE1_RULES: Rules = {
  port: PORT,
  host: ADDRESS,
  allow: {
    wanted: 'a list of addresses and networks such as "10.0.0.0/24"',
    accepts: (value) => isListOf(value, isText),
  },
  role: ROLE,
  record: FUNCTION,
  onCommand: FUNCTION,
};
const PAGE_RULES: Rules = {
  folder: { wanted: "a folder, as a path or a URL", accepts: isFolder },
  frameAncestors: {
    wanted: 'a list of origins such as "https://example.org"',
    accepts: (value) => isListOf(value, isText),
  },
  contentSecurityPolicy: {
    wanted: 'lists of sources by directive, such as { "img-src": ["data:"] }',
    accepts: (value) => isObject(value) && Object.values(value).every((sources) => isListOf(sources, isText)),
  },
};
const PRECISION_RULES: Rules = {
  positionSteps: stepsUpTo(POSITION_STEPS_MAX),
  orientationSteps: stepsUpTo(ORIENTATION_STEPS_MAX),
};
const SPEED: Rule = {
  // A box moves no farther in a second.
  wanted: `a number of voxels per second, above 0 and up to ${BOX_MOTION_MAX}`,
  accepts: (value) => typeof value === "number" && value > 0 && value <= BOX_MOTION_MAX,
};
/** Least edge of a player's box. */
const PLAYER_EDGE_MIN = 0.125;
const MOVEMENT_RULES: Rules = {
  speedMax: SPEED,
  riseSpeedMax: SPEED,
  fallSpeedMax: SPEED,
  size: {
    wanted: `an edge for each axis, from ${PLAYER_EDGE_MIN} to ${BOX_EDGE_MAX} voxels, such as [0.6, 1.8, 0.6]`,
    accepts: (value) => isListOf(value, isPlayerEdge) && (value as readonly unknown[]).length >= 2,
  },
  isSolid: FUNCTION,
  reach: {
    wanted: "a number of voxels, 0 or more",
    accepts: (value) => typeof value === "number" && value >= 0,
  },
};
const NESTED_RULES: ReadonlyMap<string, Rules> = new Map([
  ["auth", AUTH_RULES],
  ["precision", PRECISION_RULES],
  ["movement", MOVEMENT_RULES],
  ["metrics", METRICS_RULES],
  ["page", PAGE_RULES],
  ["tls", TLS_RULES],
  ["wire1", WIRE1_RULES],
]);

/** Throws `ORT_ARGUMENT` for an invalid option, with its name, its value and what would be valid. */
export function checkServerOptions<D extends Dimensions>(options: ServerOptions<D>): void {
  checkAll(options, SERVER_RULES);
  if (options.world === undefined) throw wrong("world", undefined, SERVER_RULES["world"] as Rule);
  for (const [name, value] of Object.entries(options.limits ?? {})) {
    const wanted = "a number above 0";
    const rule = { wanted, accepts: (limit: unknown) => typeof limit === "number" && limit > 0 };
    if (!rule.accepts(value)) throw wrong(`limits.${name}`, value, rule);
  }
  for (const [name, value] of Object.entries(options.rules ?? {})) {
    if (!RULE_NAMES.includes(name)) {
      const detail = `there is no rule ${printable(name)}; there are ${RULE_NAMES.join(", ")}`;
      throw new OrthantError("ORT_ARGUMENT", detail);
    }
    if (value !== undefined && !isFunction(value)) throw wrong(`rules.${name}`, value, FUNCTION);
  }
  const { movement } = options;
  if (movement !== undefined && movement.speedMax === undefined)
    throw wrong("movement.speedMax", undefined, SPEED);
  requireOrigins(options.origins ?? []);
}

/** Does the same for the endpoints of an owner. */
export function checkOwnerOptions(options: OwnerEndpointsOptions): void {
  checkAll(options, OWNER_RULES);
}

function checkAll(options: object, rules: Rules): void {
  if (!isObject(options)) throw wrong("options", options, OBJECT);
  check(options, rules, "");
  for (const [name, nested] of NESTED_RULES) {
    const value = field(options, name);
    if (isObject(value)) check(value, nested, `${name}.`);
  }
}

function check(options: object, rules: Rules, prefix: string): void {
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      const known = Object.keys(rules).join(", ");
      const detail = `there is no option ${prefix}${printable(name)}; there are ${known}`;
      throw new OrthantError("ORT_ARGUMENT", detail);
    }
    if (value !== undefined && !rule.accepts(value)) throw wrong(`${prefix}${name}`, value, rule);
  }
}

function wrong(name: string, value: unknown, { wanted, isSecret = false }: Rule): OrthantError {
  const shown = isSecret ? `of type ${typeof value}` : shownValue(value);
  return new OrthantError("ORT_ARGUMENT", `the option ${name} is ${shown}; it must be ${wanted}`);
}

function shownValue(value: unknown): string {
  const safe = printable(inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY }));
  return safe.length > SHOWN_LENGTH_MAX ? `${safe.slice(0, SHOWN_LENGTH_MAX)}...` : safe;
}

function isWorld(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (isObject(field(value, "engine"))) return true;
  return isObject(field(value, "shape")) && isFunction(field(value, "save"));
}

function wholeNumber(min: number, max: number): (value: unknown) => boolean {
  return (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function stepsUpTo(max: number): Rule {
  return { wanted: `a whole number from 1 to ${max}`, accepts: wholeNumber(1, max) };
}

function isPlayerEdge(value: unknown): boolean {
  return typeof value === "number" && value >= PLAYER_EDGE_MIN && value <= BOX_EDGE_MAX;
}

function isDataCodec(value: unknown): boolean {
  return (
    isObject(value) && isFunction((value as DataCodec).encode) && isFunction((value as DataCodec).decode)
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isFolder(value: unknown): boolean {
  return isText(value) || value instanceof URL;
}

function isTextOrBytes(value: unknown): boolean {
  return typeof value === "string" || value instanceof Uint8Array;
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
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
