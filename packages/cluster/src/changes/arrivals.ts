import { isOrthantError, OrthantError, type Position } from "@orthant/core";
import { regionBox } from "@orthant/core/lattice";
import type { BorderEdit } from "@orthant/world/engine";
import {
  type EditTransfer,
  editTransferBytes,
  requireInRegion,
  STEP_TRANSFERS_MAX,
} from "../shard/border-edits.ts";
import { compareTransfers, type TransferId } from "../shard/entity-record.ts";
import { nameOfPosition } from "../shard/sectors.ts";
import type { EditTransferRequest, TransferOutcome } from "../shard/transfer-messages.ts";
import type { OwnerContext } from "./owner-context.ts";

/** Edits of another shard that wait for a step. */
export interface Arrival {
  readonly from: string;
  readonly transfer: EditTransfer;
  low: TransferId;
  /** Whether no step can apply it. It then counts as applied, without an effect. */
  isRefused: boolean;
}

/** Time for which an answer waits for the step that applies the edits. */
const ANSWER_MS_MAX = 2_000;
/** Size of the edits of other shards above which no more of them join those that a step applies. */
const STEP_BYTES_MAX = 262_144;
/** Delay before the next attempt to read a region that could not be read. */
const BLOCKED_MS = 10_000;

/** The edits of other shards that wait for a step of this one. Nothing of them is stored before that. Rule K67. */
export class Arrivals {
  readonly #context: OwnerContext;
  readonly #waiting = new Map<string, Arrival>();
  /** Regions that could not be read, and the times of the last attempts. */
  readonly #blocked = new Map<string, number>();
  /** Those that the next step applies. */
  #chosen: readonly Arrival[] = [];
  #applied: readonly Arrival[] = [];
  #wake: (() => void)[] = [];
  #isEnded = false;

  constructor(context: OwnerContext) {
    this.#context = context;
  }

  /** Whether edits wait. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** The edits that the next step applies. */
  get chosen(): readonly Arrival[] {
    return this.#chosen;
  }

  /** The edits that the last step began with. */
  get applied(): readonly Arrival[] {
    return this.#applied;
  }

  /** Adds the edits of a request to those that wait, each once. */
  add({ from, low, transfers }: EditTransferRequest): void {
    for (const transfer of transfers) {
      if (!this.#isNew(from, transfer)) continue;
      const key = keyOf(from, transfer);
      const known = this.#waiting.get(key);
      if (known === undefined) this.#waiting.set(key, { from, transfer, low, isRefused: false });
      else if (compareTransfers(known.low, low) < 0) known.low = low;
    }
  }

  /** Returns the outcomes of a request when a step has applied its edits, or after a while. */
  async whenDone({ from, transfers }: EditTransferRequest): Promise<readonly TransferOutcome[]> {
    const { log, options } = this.#context;
    const isDone = (): boolean => transfers.every((transfer) => !this.#isWaiting(from, transfer));
    let isLate = false;
    const timer = options.time.wait(ANSWER_MS_MAX, () => {
      isLate = true;
      this.#wakeAll();
    });
    while (!isDone() && !isLate && !this.#isEnded)
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    timer.cancel();
    const outcomes = transfers.map((transfer): TransferOutcome => {
      if (!log.owns(transfer.region)) return "elsewhere";
      return log.border.edits.inbox.has(from, transfer) ? "stored" : "later";
    });
    // Also what was applied before may not be stored yet.
    await log.whenDurable();
    return outcomes;
  }

  /**
   * Chooses what the next step applies, and keeps the regions of it in memory until the returned function is called. A region
   * that cannot be read holds up its own edits only.
   */
  async choose(): Promise<() => void> {
    const releases: (() => void)[] = [];
    const chosen: Arrival[] = [];
    const regions = new Map<string, boolean>();
    let bytes = 0;
    for (const arrival of this.#inOrder()) {
      const { region } = arrival.transfer;
      bytes += editTransferBytes(arrival.transfer);
      if (chosen.length >= STEP_TRANSFERS_MAX || (chosen.length > 0 && bytes > STEP_BYTES_MAX)) break;
      const name = nameOfPosition(region);
      const isLoaded = regions.get(name) ?? (await this.#load(region, releases));
      regions.set(name, isLoaded);
      if (isLoaded) chosen.push(arrival);
    }
    this.#chosen = chosen;
    return () => {
      for (const release of releases) release();
    };
  }

  /** Has the next step apply these, whose regions are in memory. */
  chooseOnly(arrivals: readonly Arrival[]): void {
    this.#chosen = arrivals;
  }

  /** Returns the edits with which the step begins that is being made now. Its record says that they were applied. */
  begin(): readonly BorderEdit[] {
    const { world, log } = this.#context;
    this.#applied = this.#chosen.filter(
      ({ from, transfer }) => this.#isNew(from, transfer) && world.isLoaded(regionBox(transfer.region)),
    );
    log.taking = this.#applied.map(({ from, transfer, low }) => {
      const { term, number, region } = transfer;
      return { from, region, transfer: { term, number }, low };
    });
    const effective = this.#applied.filter(({ isRefused }) => !isRefused);
    for (const { transfer } of effective) requireInRegion(world.shape, transfer);
    return effective.flatMap(({ transfer }) => transfer.edits);
  }

  /** Forgets what the next step was to apply, after a step was made or not. */
  clear(): void {
    this.#chosen = [];
    this.#applied = [];
    this.#context.log.taking = [];
  }

  /** Gives up edits that no step can apply, and reports them. */
  refuse(arrival: Arrival, cause: unknown): void {
    const { shard, events } = this.#context.options;
    arrival.isRefused = true;
    const { region, edits } = arrival.transfer;
    const detail = `shard ${shard} cannot apply ${edits.length} edits of shard ${arrival.from} in region [${region}]: ${cause}`;
    const code = isOrthantError(cause) ? cause.code : "ORT_ARGUMENT";
    events?.onRefusedEdits?.(shard, new OrthantError(code, detail, {}, { cause }));
  }

  /** Forgets what steps have applied or what belongs to other shards, and lets requests for it be answered. */
  settle(): void {
    for (const [key, { from, transfer }] of this.#waiting)
      if (!this.#isNew(from, transfer)) this.#waiting.delete(key);
    this.#wakeAll();
  }

  /** Applies nothing more. The senders try the next owner. */
  end(): void {
    this.#isEnded = true;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const resolve of this.#wake.splice(0)) resolve();
  }

  #isNew(from: string, transfer: EditTransfer): boolean {
    const { log } = this.#context;
    return log.owns(transfer.region) && !log.border.edits.inbox.has(from, transfer);
  }

  #isWaiting(from: string, transfer: EditTransfer): boolean {
    return this.#waiting.has(keyOf(from, transfer)) && this.#isNew(from, transfer);
  }

  #inOrder(): readonly Arrival[] {
    return [...this.#waiting.values()].sort((one, other) =>
      one.from === other.from
        ? compareTransfers(one.transfer, other.transfer)
        : one.from < other.from
          ? -1
          : 1,
    );
  }

  /** Loads a region and keeps it. Returns false if it cannot be read. */
  async #load(region: Position, releases: (() => void)[]): Promise<boolean> {
    const { world, options } = this.#context;
    const { time, shard, events } = options;
    const name = nameOfPosition(region);
    // The clock may have been set back.
    if (Math.abs(time.nowMs() - (this.#blocked.get(name) ?? 0)) < BLOCKED_MS) return false;
    const box = regionBox(region);
    releases.push(world.keep(box));
    try {
      await world.load(box);
      if (world.state.isAsynchronous) releases.push(await world.state.keepGenerated([box]));
      this.#blocked.delete(name);
      return true;
    } catch (cause) {
      if (world.failure !== undefined || !isOrthantError(cause)) throw cause;
      this.#blocked.set(name, time.nowMs());
      const detail = `edits of other shards wait for region [${region}] of shard ${shard}, which cannot be read: ${cause}`;
      events?.onRefusedEdits?.(shard, new OrthantError(cause.code, detail, {}, { cause }));
      return false;
    }
  }
}

function keyOf(from: string, { term, number }: TransferId): string {
  return `${from} ${term}.${number}`;
}
