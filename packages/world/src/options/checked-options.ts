import {
  callback,
  checkedOptions,
  choiceOf,
  fieldsOf,
  requireFlag,
  requireTime,
  upTo,
  whole,
  withMethods,
  wrongArgument,
} from "@orthant/core/arguments";
import { requireRegistry } from "@orthant/core/generate";
import type { CacheLimits } from "@orthant/core/tree";
import type { Retention } from "@orthant/save";
import { requireMoment } from "./checked-arguments.ts";
import {
  ENTITY_HYSTERESIS_CHUNKS_MAX,
  type EngineOptions,
  type LoadOptions,
  type WorldCadence,
} from "./world-options.ts";

/** The longest delay of a timer. */
const DELAY_MS_MAX = 2 ** 31 - 1;

/** The most generations that each field of a retention may keep. */
const RETENTION_MAX = 100_000;

const delay = whole(1, DELAY_MS_MAX);
const cadenceOf = fieldsOf<Partial<WorldCadence>>({ worldMs: delay, playersMs: delay, entitiesMs: delay });
const retentionOf = fieldsOf<Partial<Retention>>({
  newest: whole(1, RETENTION_MAX),
  minutes: whole(0, RETENTION_MAX),
  hours: whole(0, RETENTION_MAX),
  days: whole(0, RETENTION_MAX),
});
const bytes = upTo(Number.POSITIVE_INFINITY);
const cacheLimitsOf = fieldsOf<Partial<CacheLimits>>({ softBytes: bytes, hardBytes: bytes });

/** Returns the options of `loadChunks`. Throws `ORT_ARGUMENT` for one that does not exist or has a wrong value. */
export function checkedLoadOptions(options: LoadOptions): LoadOptions {
  return checkedOptions("the options", options, { toEdit: requireFlag });
}

/**
 * Returns the options of a world as an object of our own, which no getter of a caller can change. Throws `ORT_ARGUMENT`
 * for an option that does not exist or has a value that it cannot have.
 */
export function checkedEngineOptions(options: EngineOptions): EngineOptions {
  return checkedOptions("the options", options, {
    readOnly: requireFlag,
    at(name, moment) {
      requireMoment(name, moment);
      return moment instanceof Date ? new Date(moment) : moment;
    },
    time: requireTime,
    generators: requireRegistry,
    allowUnknownGenerator: requireFlag,
    generation: withMethods("it is a pool: write generationPool() of @orthant/worker-pool/node", "open"),
    autosave: requireFlag,
    cadence: cadenceOf,
    entityHysteresisChunks: upTo(ENTITY_HYSTERESIS_CHUNKS_MAX),
    durability: choiceOf("snapshot", "journal"),
    damagedJournal: choiceOf("refuse", "cut"),
    retention(name, value) {
      const { newest, minutes = 0, hours, days } = retentionOf(name, value);
      if (newest !== undefined && hours !== undefined && days !== undefined)
        return { newest, minutes, hours, days };
      throw wrongArgument(
        name,
        value,
        "it is { newest, minutes?, hours, days }, such as { newest: 2, minutes: 10, hours: 24, days: 30 }",
      );
    },
    loadedBytesMax: bytes,
    cacheLimits(name, value) {
      const { softBytes, hardBytes } = cacheLimitsOf(name, value);
      if (softBytes !== undefined && hardBytes !== undefined) return { softBytes, hardBytes };
      throw wrongArgument(name, value, "it is { softBytes, hardBytes }");
    },
    random: callback,
  });
}
