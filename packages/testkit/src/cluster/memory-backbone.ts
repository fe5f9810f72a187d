import type {
  AppendOutcome,
  Backbone,
  BackboneStatus,
  BackboneTable,
  Journal,
  StoredRecord,
  Subscription,
  TableEntry,
} from "@orthant/cluster";
import { OrthantError } from "@orthant/core";
import { type DeniedWrites, type MemoryAppend, type MemoryJournal, MemoryState } from "./memory-state.ts";

/** Directions in which a node is cut off from the backbone. */
export type Partition = "none" | "to backbone" | "from backbone" | "both";

/** Timeout for calls. */
const CALL_MS_MAX = 2_000;
/** Time after which a node notices that it is cut off, and the backbone notices the same. */
const NOTICE_MS = 1_500;

interface Watcher {
  readonly prefix: string;
  readonly listener: (entry: TableEntry) => void;
  /** Revision of the last write sent to it. */
  sent: number;
}

interface Follower {
  readonly world: string;
  readonly sector: string;
  readonly listener: (record: Uint8Array) => void;
}

type Answer = (request: Uint8Array) => Promise<Uint8Array>;

/**
 * The reference backbone, in one process and on a given clock. Nodes connect to it, and each can be cut off,
 * paused and ended. It has a leader, without which nothing is stored.
 */
export class MemoryHub extends MemoryState {
  readonly backbones: Set<MemoryBackbone> = new Set();

  /** Opens a node's connection. */
  connect(): MemoryBackbone {
    const backbone = new MemoryBackbone(this);
    this.backbones.add(backbone);
    return backbone;
  }

  /** Delivers stored records to all followers of their sectors. */
  publish(world: string, _shard: string, { published }: MemoryAppend): void {
    for (const record of published)
      for (const backbone of this.backbones) backbone.deliverRecord(world, record);
  }

  /** Called when a node has answered a request, whether or not the answer arrives. */
  answered(_address: string, _request: Uint8Array, _answer: Uint8Array): void {}

  /** Delivers new writes to all watchers. */
  announce(): void {
    for (const backbone of this.backbones) backbone.deliverWrites();
  }
}

/** One node's connection to a {@link MemoryHub}. */
export class MemoryBackbone implements Backbone {
  readonly table: BackboneTable;
  /** The writes that the backbone refuses to this node. */
  denied: DeniedWrites = "none";
  readonly #hub: MemoryHub;
  readonly #watchers = new Set<Watcher>();
  readonly #followers = new Set<Follower>();
  readonly #answers = new Map<string, Set<Answer>>();
  readonly #listeners = new Map<string, Set<(bytes: Uint8Array) => void>>();
  readonly #statusListeners = new Set<(status: BackboneStatus) => void>();
  /** Deliveries that arrived while the node was paused. */
  #inbox: (() => void)[] | undefined;
  #partition: Partition = "none";
  #isNoticed = false;
  #isClosed = false;
  #sentUntilMs = 0;
  #receivedUntilMs = 0;

  constructor(hub: MemoryHub) {
    this.#hub = hub;
    this.table = {
      get: (key) => this.#call(() => hub.table.get(key)),
      put: (key, value) => this.#write(() => hub.table.put(key, value)).then(({ revision }) => revision),
      swap: (key, value, expected) =>
        this.#write(() => hub.table.swap(key, value, expected)).then((entry) => entry?.revision),
      watch: (prefix, listener) => this.#watch(prefix, listener),
    };
  }

  async journal(world: string, shard: string, firstSequence = 1): Promise<Journal> {
    await this.#call(() => this.#hub.makeJournal(world, shard, firstSequence));
    return this.#journalOf(world, shard);
  }

  async findJournal(world: string, shard: string): Promise<Journal | undefined> {
    const isThere = await this.#call(() => this.#hub.journal(world, shard) !== undefined);
    return isThere ? this.#journalOf(world, shard) : undefined;
  }

  removeJournal(world: string, shard: string): Promise<void> {
    return this.#call(() => this.#hub.loseJournal(world, shard));
  }

  follow(world: string, sector: string, listener: (record: Uint8Array) => void): Promise<Subscription> {
    const follower = { world, sector, listener };
    return this.#subscribe(
      () => this.#followers.add(follower),
      () => this.#followers.delete(follower),
    );
  }

  respond(address: string, answer: Answer): Promise<Subscription> {
    return this.#subscribe(
      () => addTo(this.#answers, address, answer),
      () => this.#answers.get(address)?.delete(answer),
    );
  }

  async request(address: string, request: Uint8Array, timeoutMilliseconds: number): Promise<Uint8Array> {
    return this.#exchange<Uint8Array>(timeoutMilliseconds, (resolve, reject) => {
      const there = [...this.#hub.backbones].filter((backbone) => backbone.#respondsAt(address));
      if (there.length === 0)
        reject(new OrthantError("ORT_BACKBONE_NO_RESPONDER", `no node answers at ${address}`));
      for (const backbone of there) backbone.#ask(address, request.slice(), resolve);
    });
  }

  broadcast(topic: string, bytes: Uint8Array): void {
    if (this.#isClosed || this.#isCut("to backbone")) return;
    for (const backbone of this.#hub.backbones) backbone.#receive(topic, bytes);
  }

  listen(topic: string, listener: (bytes: Uint8Array) => void): Promise<Subscription> {
    return this.#subscribe(
      () => addTo(this.#listeners, topic, listener),
      () => this.#listeners.get(topic)?.delete(listener),
    );
  }

  onStatus(listener: (status: BackboneStatus) => void): Subscription {
    this.#statusListeners.add(listener);
    return { end: () => this.#statusListeners.delete(listener) };
  }

  async close(): Promise<void> {
    this.kill();
  }

  /** Ends the node: its calls get no answers any more, and nothing reaches it. */
  kill(): void {
    this.#isClosed = true;
    this.#hub.backbones.delete(this);
  }

  /** Pauses the node like a stopped process: deliveries wait. */
  pause(): void {
    this.#inbox ??= [];
  }

  /** Resumes a paused node. */
  resume(): void {
    const inbox = this.#inbox ?? [];
    this.#inbox = undefined;
    for (const act of inbox) this.#happen(act);
  }

  /** Cuts the node off, or reconnects it. */
  get partition(): Partition {
    return this.#partition;
  }

  set partition(partition: Partition) {
    this.#partition = partition;
    if (partition !== "none") {
      this.#hub.time.after(NOTICE_MS, () => this.#notice());
      return;
    }
    if (this.#isNoticed) {
      this.#isNoticed = false;
      this.#notify("connected");
    }
    // Messages sent meanwhile are lost, noticed or not.
    this.#notify("lagging");
    this.deliverWrites();
  }

  /** Delivers a stored record to this node's followers, unless it is lost on the way. */
  deliverRecord(world: string, { subject, bytes }: StoredRecord): void {
    if (subject.kind !== "region") return;
    for (const follower of this.#followers) {
      if (follower.world !== world || follower.sector !== subject.sector) continue;
      if (this.#isCut("from backbone") || this.#hub.happens(this.#hub.faultPlan.deliveryLoss)) continue;
      this.#deliver(() => {
        if (this.#followers.has(follower)) follower.listener(bytes);
      });
    }
  }

  /** Delivers writes not sent yet. A watcher that was cut off misses none, because it may ask again. */
  deliverWrites(): void {
    if (this.#isCut("from backbone")) return;
    const { table } = this.#hub;
    for (const watcher of this.#watchers) {
      for (const entry of table.since(watcher.sent, watcher.prefix)) {
        watcher.sent = entry.revision;
        this.#deliver(() => {
          if (this.#watchers.has(watcher)) watcher.listener(entry);
        });
      }
    }
  }

  async #watch(prefix: string, listener: (entry: TableEntry) => void): Promise<Subscription> {
    const watcher: Watcher = { prefix, listener, sent: 0 };
    await this.#call(() => {
      this.#watchers.add(watcher);
      this.deliverWrites();
    });
    return { end: () => this.#watchers.delete(watcher) };
  }

  #journalOf(world: string, shard: string): Journal {
    const found = (): MemoryJournal => {
      const journal = this.#hub.journal(world, shard);
      if (journal === undefined) throw new OrthantError("ORT_JOURNAL", `shard ${shard} has no journal`);
      return journal;
    };
    const read = (from: number, to: number) => this.#call(() => found().read(from, to));
    return {
      state: () => this.#call(() => found().state),
      append: (records, expectedLast) =>
        this.#call((): AppendOutcome => {
          this.#requirePermitted("journal");
          const append = found().append(records, expectedLast);
          this.#hub.publish(world, shard, append);
          return append.outcome;
        }),
      async *read(from, to) {
        if (from <= to) yield* await read(from, to);
      },
      trim: (upTo) => this.#call(() => found().trim(upTo)),
      reserve: (bytes) => this.#call(() => this.#hub.reserve(found(), bytes)),
    };
  }

  #receive(topic: string, bytes: Uint8Array): void {
    for (const listener of this.#listeners.get(topic) ?? []) {
      if (this.#isCut("from backbone") || this.#hub.happens(this.#hub.faultPlan.deliveryLoss)) continue;
      this.#deliver(() => {
        if (this.#listeners.get(topic)?.has(listener) === true) listener(bytes.slice());
      });
    }
  }

  #respondsAt(address: string): boolean {
    // The backbone drops a lost node from its lists as soon as it notices.
    return !this.#isNoticed && (this.#answers.get(address)?.size ?? 0) > 0;
  }

  #ask(address: string, request: Uint8Array, resolve: (answer: Uint8Array) => void): void {
    if (this.#isCut("from backbone")) return;
    this.#deliver(() => {
      for (const answer of this.#answers.get(address) ?? []) {
        // A failed answer sends nothing, so the request times out.
        answer(request).then(
          (bytes) => {
            this.#hub.answered(address, request, bytes);
            this.#send(() => resolve(bytes));
          },
          () => undefined,
        );
      }
    });
  }

  /** Writes to the table and notifies all watchers. */
  #write<Result>(act: () => Result): Promise<Result> {
    return this.#call(() => {
      this.#requirePermitted("table");
      const result = act();
      this.#hub.announce();
      return result;
    });
  }

  #requirePermitted(what: DeniedWrites): void {
    if (this.denied === what)
      throw new OrthantError(
        "ORT_BACKBONE_PERMISSION",
        `the backbone does not permit this node to write a ${what}`,
      );
  }

  /** Makes a call that needs a leader. */
  #call<Result>(act: () => Result): Promise<Result> {
    return this.#exchange<Result>(CALL_MS_MAX, (resolve, reject) => {
      if (this.#hub.isAway && this.#hub.happens(0.5)) return;
      const isAnswered = !this.#hub.isAway;
      this.#hub.whenLed(() => {
        try {
          const result = act();
          if (isAnswered) resolve(result);
        } catch (error) {
          if (isAnswered) reject(error);
        }
      });
    });
  }

  /** Sends a request to the backbone and waits for its answer, at most for `timeoutMs`. */
  #exchange<Result>(
    timeoutMs: number,
    act: (resolve: (result: Result) => void, reject: (error: unknown) => void) => void,
  ): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new OrthantError("ORT_CLOSED", "the backbone was closed"));
    const { time, faultPlan } = this.#hub;
    return new Promise((resolve, reject) => {
      if (this.#isNoticed) {
        reject(away());
        return;
      }
      const timer = time.wait(timeoutMs, () => this.#happen(() => reject(away())));
      const answer = (settle: () => void): void => {
        if (this.#isCut("from backbone") || this.#hub.happens(faultPlan.answerLoss)) return;
        this.#deliver(() => {
          timer.cancel();
          settle();
        });
      };
      if (this.#hub.happens(faultPlan.requestLoss)) return;
      this.#send(() =>
        act(
          (result) => answer(() => resolve(result)),
          (error) => answer(() => reject(error)),
        ),
      );
    });
  }

  async #subscribe(add: () => void, remove: () => void): Promise<Subscription> {
    if (this.#isClosed) throw new OrthantError("ORT_CLOSED", "the backbone was closed");
    if (this.#isNoticed) throw away();
    add();
    return { end: remove };
  }

  /** Sends from the node to the backbone, in order. */
  #send(act: () => void): void {
    if (this.#isCut("to backbone")) return;
    const { time } = this.#hub;
    const dueMs = Math.max(this.#sentUntilMs, time.nowMs() + this.#hub.delayMs());
    this.#sentUntilMs = dueMs;
    time.wait(dueMs - time.nowMs(), act);
  }

  /** Delivers from the backbone to the node, in order. */
  #deliver(act: () => void): void {
    const { time } = this.#hub;
    const dueMs = Math.max(this.#receivedUntilMs, time.nowMs() + this.#hub.delayMs());
    this.#receivedUntilMs = dueMs;
    time.wait(dueMs - time.nowMs(), () => this.#happen(act));
  }

  #happen(act: () => void): void {
    if (this.#isClosed) return;
    if (this.#inbox !== undefined) this.#inbox.push(act);
    else act();
  }

  #notice(): void {
    if (this.#partition === "none" || this.#isNoticed || this.#isClosed) return;
    this.#isNoticed = true;
    this.#notify("disconnected");
  }

  #notify(status: BackboneStatus): void {
    this.#happen(() => {
      for (const listener of [...this.#statusListeners]) listener(status);
    });
  }

  #isCut(direction: Exclude<Partition, "none" | "both">): boolean {
    return this.#partition === "both" || this.#partition === direction || this.#isNoticed;
  }
}

function away(): OrthantError {
  return new OrthantError("ORT_BACKBONE_AWAY", "the backbone did not answer");
}

function addTo<Value>(sets: Map<string, Set<Value>>, key: string, value: Value): void {
  const set = sets.get(key) ?? new Set<Value>();
  set.add(value);
  sets.set(key, set);
}
