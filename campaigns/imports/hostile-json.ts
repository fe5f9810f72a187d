import type { Prng } from "@orthant/testkit";

/** Values where another one is expected. */
const EDGES: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    90,
    0.5,
    1e9,
    -1e300,
    "",
    "#all",
    "block/stone",
    "minecraft:block/stairs",
    "a".repeat(200),
  ],
  ...[[], {}, [[]], [0, 0, 0], [16, 16, 16], [0, 16, 16, 0], { "": 1 }, { texture: "#all" }, { OR: [{}] }],
];
const LEVELS_MAX = 64;
const COPIES_MAX = 2_048;

/** Returns JSON with a few values replaced, repeated, exchanged, or put inside of many others. */
export function hostileJson(sample: unknown, prng: Prng): unknown {
  const copy = structuredClone(sample);
  for (let changes = prng.between(1, 4); changes > 0; changes--) {
    const places = placesIn(copy);
    if (places.length === 0) return prng.pick(EDGES);
    const [holder, key] = prng.pick(places);
    holder[key] = changed(holder[key], places, prng);
  }
  return copy;
}

type Holder = Record<string, unknown>;
type Place = readonly [holder: Holder, key: string];

function changed(value: unknown, places: readonly Place[], prng: Prng): unknown {
  const [otherHolder, otherKey] = prng.pick(places);
  switch (prng.below(6)) {
    case 0:
      return structuredClone(otherHolder[otherKey]);
    case 1:
      return Array.from({ length: prng.chance(0.05) ? COPIES_MAX : prng.between(0, 5) }, () => value);
    case 2: {
      const isList = prng.chance(0.5);
      const levels = prng.chance(0.2) ? LEVELS_MAX : 2;
      return Array.from({ length: levels }).reduce<unknown>(
        (inner) => (isList ? [inner] : { OR: [inner] }),
        value,
      );
    }
    default:
      return structuredClone(prng.pick(EDGES));
  }
}

/** Returns every place of a value inside of an object or list. */
function placesIn(value: unknown): readonly Place[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Holder;
  return Object.keys(holder).flatMap((key) => [[holder, key] as const, ...placesIn(holder[key])]);
}
