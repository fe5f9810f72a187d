import type { CacheChange, CacheEntry, ReplicaCache } from "@orthant/client/replica";

/**
 * Checks the contract of a cache and returns what it breaks. `handle` returns another handle on the same,
 * initially empty store. Uses no Node API, so it can run in a page.
 */
export async function brokenPromises(handle: () => ReplicaCache): Promise<readonly string[]> {
  const broken: string[] = [];
  const check = (promise: string, isKept: boolean): void => {
    if (!isKept) broken.push(promise);
  };
  const first = handle();
  const second = handle();

  check("an empty cache holds nothing", (await first.load()).length === 0);
  check("the first who asks has the claim", await first.claim());
  check("no other client has it meanwhile", !(await second.claim()));

  await first.store([entry("a", 1), entry("b", 2, 2)]);
  check("what was stored is there", sameEntries(await first.load(), [entry("a", 1), entry("b", 2, 2)]));
  check("others can read it", sameEntries(await second.load(), [entry("a", 1), entry("b", 2, 2)]));

  const value = new Uint8Array([7, 7]);
  await first.store([{ key: "a", value: undefined }, { key: "c", value }, entry("b", 3)]);
  value.fill(9);
  const changed = [entry("b", 3), entry("c", 7, 7)];
  check("values are replaced, removed and copied", sameEntries(await first.load(), changed));
  for (const loaded of await first.load()) loaded.value.fill(9);
  check("what is loaded is a copy", sameEntries(await first.load(), changed));

  await first.store([entry("d", 1), { key: "d", value: undefined }, entry("b", 4), entry("b", 5)]);
  check(
    "the last change of a key counts",
    sameEntries(await first.load(), [entry("b", 5), entry("c", 7, 7)]),
  );

  const many = Array.from({ length: 4096 }, (_, index) => entry(`region ${index} 0 0 0`, index % 256));
  await first.store(many);
  check("much fits into one step", (await first.load()).length === 4096 + 2);
  await first.store(many.map(({ key }): CacheChange => ({ key, value: undefined })));

  await first.release();
  check("a claim that was given back can be taken", await second.claim());
  check(
    "what was stored outlives the claim",
    sameEntries(await second.load(), [entry("b", 5), entry("c", 7, 7)]),
  );
  await second.release();
  return broken;
}

function entry(key: string, ...bytes: readonly number[]): CacheEntry {
  return { key, value: new Uint8Array(bytes) };
}

function sameEntries(found: readonly CacheEntry[], expected: readonly CacheEntry[]): boolean {
  const text = (entries: readonly CacheEntry[]): string =>
    entries
      .map(({ key, value }) => `${key}: ${value}`)
      .sort()
      .join("; ");
  return text(found) === text(expected);
}
