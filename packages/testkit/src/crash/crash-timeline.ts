import { getOrAdd } from "@orthant/core/lattice";
import { type DiskImage, isWithin, parentOf } from "@orthant/disk";
import type { Prng } from "../base/prng.ts";
import type { CrashModel } from "./crash-model.ts";
import { type DiskOperation, type Effect, effectsOf, type NameEffect } from "./operation.ts";

type ContentEffect = Exclude<Effect, NameEffect>;

interface Tracked<Kind extends Effect> {
  readonly effect: Kind;
  durable: boolean;
}

/** A choice of pending effects: kept or lost, with perhaps one of the kept ones torn. */
interface SurvivingEffects {
  readonly kept: readonly boolean[];
  /** The effect whose sector is only half written. */
  readonly torn: number | undefined;
}

/** Follows a log operation by operation and knows, at each point, what is durable and what is pending. */
export class CrashTimeline {
  readonly #model: CrashModel;
  readonly #files = new Map<number, FileHistory>();
  readonly #names: NameHistory;
  #step = 0;

  constructor(start: DiskImage, model: CrashModel) {
    this.#model = model;
    this.#names = new NameHistory(start);
    let inode = 0;
    for (const bytes of start.files.values()) this.#files.set(inode++, new FileHistory(bytes));
  }

  /** Processes the next operation of the log. */
  advance(operation: DiskOperation): void {
    if (operation.kind === "syncWrite") this.#save((effect) => effect.step === operation.write);
    else if (operation.kind === "sync" || operation.kind === "syncDirectory")
      this.#save((effect) => this.#model.saves(operation, effect));
    else for (const effect of effectsOf(operation, this.#step)) this.#add(effect);
    this.#step++;
  }

  /** Returns the effects that a power cut now could keep or lose, in the order in which they were made. */
  pending(): readonly Effect[] {
    const effects: Effect[] = [...this.#names.pending()];
    for (const file of this.#files.values()) effects.push(...file.pending());
    return effects.sort((a, b) => a.step - b.step);
  }

  /** Returns the disk that remains if only the selected pending effects arrived. */
  image(pending: readonly Effect[], { kept, torn }: SurvivingEffects): DiskImage {
    const survivors = new Set<Effect>(pending.filter((_, index) => kept[index]));
    const tornEffect = torn === undefined ? undefined : pending[torn];
    const contents = new Map<number, Uint8Array>();
    for (const [inode, file] of this.#files) contents.set(inode, file.content(survivors, tornEffect));
    return this.#names.image(survivors, contents);
  }

  #add(effect: Effect): void {
    if (effect.kind === "name") {
      this.#names.add(effect);
      return;
    }
    const file = getOrAdd(this.#files, effect.inode, () => new FileHistory(new Uint8Array(0)));
    file.add(effect);
  }

  #save(isSaved: (effect: Effect) => boolean): void {
    this.#names.save(isSaved);
    for (const file of this.#files.values()) file.save(isSaved);
  }
}

/** The effects on one subject; the durable ones at the front are folded into its base. */
abstract class History<Kind extends Effect> {
  protected tail: Tracked<Kind>[] = [];

  add(effect: Kind): void {
    this.tail.push({ effect, durable: false });
  }

  save(isSaved: (effect: Effect) => boolean): void {
    for (const tracked of this.tail) tracked.durable ||= isSaved(tracked.effect);
    const firstPending = this.tail.findIndex(({ durable }) => !durable);
    const folded = this.tail.splice(0, firstPending < 0 ? this.tail.length : firstPending);
    if (folded.length > 0) this.fold(folded.map(({ effect }) => effect));
  }

  pending(): readonly Kind[] {
    return this.tail.filter(({ durable }) => !durable).map(({ effect }) => effect);
  }

  /** Returns what remains of the tail after a cut: the durable effects and the survivors, in order. */
  protected left(survivors: ReadonlySet<Effect>): readonly Kind[] {
    return this.tail
      .filter(({ effect, durable }) => durable || survivors.has(effect))
      .map(({ effect }) => effect);
  }

  protected abstract fold(effects: readonly Kind[]): void;
}

class FileHistory extends History<ContentEffect> {
  #base: Uint8Array;

  constructor(base: Uint8Array) {
    super();
    this.#base = base;
  }

  /** Returns the file's bytes, shared between images if nothing pending survived. */
  content(survivors: ReadonlySet<Effect>, torn: Effect | undefined): Uint8Array {
    const effects = this.left(survivors);
    return effects.length === 0 ? this.#base : applyContent(this.#base, effects, torn);
  }

  protected override fold(effects: readonly ContentEffect[]): void {
    this.#base = applyContent(this.#base, effects, undefined);
  }
}

class NameHistory extends History<NameEffect> {
  #files: ReadonlyMap<string, number>;
  #directories: ReadonlySet<string>;

  constructor(start: DiskImage) {
    super();
    this.#files = new Map(Array.from(start.files.keys(), (path, inode) => [path, inode]));
    this.#directories = new Set(["", ...start.directories]);
  }

  image(survivors: ReadonlySet<Effect>, contents: ReadonlyMap<number, Uint8Array>): DiskImage {
    const { files, directories } = this.#apply(this.#left(survivors));
    const reachable = new Map<string, Uint8Array>();
    for (const [path, inode] of files) {
      // A file in a directory whose own name was lost is lost with it.
      if (isReachable(parentOf(path), directories))
        reachable.set(path, contents.get(inode) ?? new Uint8Array(0));
    }
    const reached = [...directories].filter((path) => path !== "" && isReachable(path, directories));
    return { directories: reached, files: reachable };
  }

  protected override fold(effects: readonly NameEffect[]): void {
    const { files, directories } = this.#apply(effects);
    this.#files = files;
    this.#directories = directories;
  }

  /** Returns what remains of the tail, with paths adjusted for lost directory moves. */
  #left(survivors: ReadonlySet<Effect>): readonly NameEffect[] {
    const lost: NameEffect[] = [];
    const nameNow = (path: string | undefined): string | undefined =>
      path && lost.reduceRight((name, { added, removed }) => moved(name, added, removed), path);
    return this.tail.flatMap(({ effect, durable }) => {
      if (durable || survivors.has(effect))
        return [{ ...effect, removed: nameNow(effect.removed), added: nameNow(effect.added) }];
      if (isDirectoryMove(effect)) lost.push(effect);
      return [];
    });
  }

  #apply(effects: readonly NameEffect[]): { files: Map<string, number>; directories: Set<string> } {
    const files = new Map(this.#files);
    const directories = new Set(this.#directories);
    for (const effect of effects) {
      const { inode, removed, added } = effect;
      if (isDirectoryMove(effect)) {
        moveAll(files, directories, effect);
        continue;
      }
      if (removed !== undefined && files.get(removed) === inode) files.delete(removed);
      if (added === undefined) continue;
      if (inode === undefined) directories.add(added);
      else files.set(added, inode);
    }
    return { files, directories };
  }
}

/** Whether an effect renames a directory. */
function isDirectoryMove({ inode, removed }: NameEffect): boolean {
  return inode === undefined && removed !== undefined;
}

function moveAll(files: Map<string, number>, directories: Set<string>, { removed, added }: NameEffect): void {
  for (const [path, inode] of [...files]) {
    files.delete(path);
    files.set(moved(path, removed, added), inode);
  }
  for (const path of [...directories]) {
    directories.delete(path);
    directories.add(moved(path, removed, added));
  }
}

/** Returns a path after a directory was renamed. */
function moved(path: string, from = "", to = ""): string {
  return isWithin(from, path) ? to + path.slice(from.length) : path;
}

function isReachable(directory: string, directories: ReadonlySet<string>): boolean {
  for (let path = directory; path !== ""; path = parentOf(path)) {
    if (!directories.has(path)) return false;
  }
  return true;
}

function applyContent(
  base: Uint8Array,
  effects: readonly ContentEffect[],
  torn: Effect | undefined,
): Uint8Array {
  // Data can arrive before the length that covers it, so allocate for the larger of both.
  const room = effects.reduce((most, effect) => Math.max(most, endOf(effect)), base.length);
  const bytes = new Uint8Array(room);
  bytes.set(base);
  let size = base.length;
  for (const effect of effects) {
    if (effect.kind === "data") {
      bytes.set(
        effect === torn ? effect.bytes.subarray(0, effect.bytes.length >>> 1) : effect.bytes,
        effect.offset,
      );
    } else if (effect.kind === "grow") {
      size = Math.max(size, effect.size);
    } else {
      bytes.fill(0, effect.size);
      size = effect.size;
    }
  }
  return bytes.subarray(0, size);
}

function endOf(effect: ContentEffect): number {
  return effect.kind === "data" ? effect.offset + effect.bytes.length : effect.size;
}

/** Draws per requested state before the sampling of one cut gives up. */
const DRAWS_PER_STATE = 8;

/**
 * Yields the possible outcomes of one power cut, each at most once: all of them if there are at most `limit`,
 * else nothing lost, everything lost, and random ones up to the limit.
 */
export function* selections(
  pending: readonly Effect[],
  model: CrashModel,
  prng: Prng,
  limit: number,
): Generator<SurvivingEffects> {
  const tearable = model.tearsSectors ? pending.filter(({ kind }) => kind === "data").length : 0;
  const exhaustive = 2 ** pending.length * (1 + tearable) <= limit;
  const seen = new Set<string>();
  for (const drawn of exhaustive ? everySubset(pending.length) : sample(pending, prng, limit)) {
    const kept = [...drawn];
    model.settle(pending, kept);
    const torn = model.tearsSectors ? tearableOf(pending, kept) : [];
    for (const selection of exhaustive ? everyTear(kept, torn) : [drawTear(kept, torn, prng)]) {
      const key = `${kept.map((keep) => (keep ? 1 : 0)).join("")}/${selection.torn ?? ""}`;
      if (seen.has(key)) continue;
      seen.add(key);
      yield selection;
      if (seen.size >= limit) return;
    }
  }
}

function* everySubset(count: number): Generator<readonly boolean[]> {
  for (let bits = 0; bits < 2 ** count; bits++) {
    yield Array.from({ length: count }, (_, index) => ((bits >>> index) & 1) === 1);
  }
}

function* sample(pending: readonly Effect[], prng: Prng, limit: number): Generator<readonly boolean[]> {
  yield pending.map(() => false);
  yield pending.map(() => true);
  for (let draw = 0; draw < limit * DRAWS_PER_STATE; draw++) yield drawSubset(pending, prng);
}

/** Returns one of six kinds of cut, each of which finds faults that the others rarely do. */
function drawSubset(pending: readonly Effect[], prng: Prng): readonly boolean[] {
  const position = prng.below(pending.length);
  const step = pending[position]?.step;
  const density = prng.pick([0.1, 0.5, 0.9]);
  switch (prng.below(6)) {
    case 0: // everything up to a moment
      return pending.map((_, index) => index <= position);
    case 1: // all but one effect
      return pending.map((_, index) => index !== position);
    case 2: // all but one operation
      return pending.map((effect) => effect.step !== step);
    case 3: // one operation alone
      return pending.map((effect) => effect.step === step);
    case 4: // random whole operations
      return keepWholeOperations(pending, prng, density);
    default: // random single effects
      return pending.map(() => prng.chance(density));
  }
}

function keepWholeOperations(pending: readonly Effect[], prng: Prng, density: number): readonly boolean[] {
  const decided = new Map<number, boolean>();
  return pending.map(({ step }) => {
    const keep = getOrAdd(decided, step, () => prng.chance(density));
    return keep;
  });
}

function tearableOf(pending: readonly Effect[], kept: readonly boolean[]): readonly number[] {
  return pending.flatMap(({ kind }, index) => (kind === "data" && kept[index] ? [index] : []));
}

function everyTear(kept: readonly boolean[], torn: readonly number[]): readonly SurvivingEffects[] {
  return [{ kept, torn: undefined }, ...torn.map((index) => ({ kept, torn: index }))];
}

/** In a quarter of the cuts, one of the kept sectors is only half written. */
function drawTear(kept: readonly boolean[], torn: readonly number[], prng: Prng): SurvivingEffects {
  return { kept, torn: torn.length > 0 && prng.chance(0.25) ? prng.pick(torn) : undefined };
}
