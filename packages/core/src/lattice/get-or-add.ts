/** A `Map`, a `WeakMap` or what looks things up like one. */
interface Lookup<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** Returns the value of a key; adds what `create` returns if there is none. */
export function getOrAdd<Key, Value>(map: Lookup<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
