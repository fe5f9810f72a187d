import { AIR, type ChunkShape, OrthantError } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import { boxVolume, chunkOfVoxel, getOrAdd, regionOf } from "@orthant/core/lattice";
import type { ClockChange, EditOrigin, VoxelPlacement } from "@orthant/core/tree";
import { EDIT_VOXELS_MAX, placementsOf, type RequestedEdit } from "@orthant/protocol";
import type { WorldEditResult } from "@orthant/protocol/server";
import { EDITS_MAX, type ShardEditResult } from "../shard/owner-messages.ts";
import { RECORD_BYTES_MAX } from "../shard/shard-record.ts";
import { editedRegions, requireEditSize } from "../shard/sized-boxes.ts";
import { OwnerQueue, type OwnerQueueContext, type SendRequest } from "./owner-queue.ts";

/** Dependencies of a forwarder. */
interface EditForwarderOptions extends OwnerQueueContext {
  readonly shape: ChunkShape;
  /** Resolves when the effect of the changes is visible at this gateway. */
  readonly whenSeen: (clocks: readonly ClockChange[]) => Promise<void>;
}

/** The origin of an edit, and when this gateway got it. */
interface TimedOrigin extends EditOrigin {
  readonly givenMs: number;
}

/** The part of an edit that belongs to one shard. */
interface Part {
  readonly shard: string;
  readonly origin: TimedOrigin;
  readonly edit: RequestedEdit;
  readonly resolve: (outcome: Settled) => void;
  /** True if an owner may have received the part; then only an owner knows its outcome. */
  isSent: boolean;
}

type Settled = Exclude<ShardEditResult, { kind: "elsewhere" }>;

interface WaitingEdit {
  readonly edit: RequestedEdit;
  readonly origin: TimedOrigin;
  readonly resolve: (result: WorldEditResult) => void;
  readonly reject: (error: unknown) => void;
}

/** The unsettled edits of one client. */
interface Client {
  readonly queue: WaitingEdit[];
  open: number;
  /** The shard of all open edits, if there is exactly one. */
  shard: string | undefined;
}

/**
 * Forwards edits to the owners of their shards. An owner accepts a client's edits once each and in order of
 * their ids, so they must arrive in order: an edit waits for earlier ones unless all of them went to the same
 * shard.
 */
export class EditForwarder {
  readonly #options: EditForwarderOptions;
  readonly #queue: OwnerQueue<Part>;
  readonly #clients = new Map<bigint, Client>();
  #isOnline = true;
  #tickedMs: number;
  #stalledUntilMs = 0;

  constructor(options: EditForwarderOptions) {
    this.#options = options;
    this.#tickedMs = options.time.nowMs();
    this.#queue = new OwnerQueue<Part>({
      ...options,
      batchMax: EDITS_MAX,
      shardOf: ({ shard }) => shard,
      bytesOf: ({ edit }) => requestBytesMax(edit),
      inOrder: inOrderOfIds,
      send: (parts, request) => this.#send(parts, request),
    });
  }

  /** True while the backbone is there. Without it edits wait. */
  get isOnline(): boolean {
    return this.#isOnline;
  }

  set isOnline(isOnline: boolean) {
    this.#isOnline = isOnline;
    if (isOnline) for (const [clientId, client] of [...this.#clients]) this.#startNext(clientId, client);
  }

  /** Number of unsettled edits. */
  get openEdits(): number {
    let open = 0;
    for (const client of this.#clients.values()) open += client.open + client.queue.length;
    return open;
  }

  /**
   * Forwards an edit and waits for its result. Edits wait while no owner can be reached: a refusal may never reach the
   * client, which would then take the answer to a repeat for the edit's result. Rule K54. Rejects with `ORT_EDIT_PARTS`
   * if only some shards applied their part, with `ORT_EDIT_SHARDS` for a copy, or a fill of more voxels than an edit may
   * list, over several shards, and with `ORT_LIMIT` if it is too large for an owner.
   */
  async edit(edit: RequestedEdit, origin: EditOrigin): Promise<WorldEditResult> {
    requireEditSize(edit, this.#options.shape);
    const advice = "make several smaller edits";
    requireAtMost(requestBytesMax(edit), RECORD_BYTES_MAX, "bytes of an edit", advice);
    const givenMs = this.#options.time.nowMs();
    return new Promise((resolve, reject) => {
      const client = getOrAdd(this.#clients, origin.clientId, () => ({
        queue: [],
        open: 0,
        shard: undefined,
      }));
      const isRepeat = origin.isRepeat === true || this.#isStalled();
      client.queue.push({ edit, origin: { ...origin, isRepeat, givenMs }, resolve, reject });
      this.#startNext(origin.clientId, client);
    });
  }

  /** Called every second. A longer break means that the process was paused. */
  tick(nowMs: number): void {
    if (this.#isStalled()) this.#stalledUntilMs = nowMs + STALLED_MS;
    this.#tickedMs = nowMs;
  }

  /** Stops forwarding. Pending edits never settle, because their outcome is unknown. */
  close(): void {
    this.#queue.close();
    this.#clients.clear();
  }

  /**
   * True if this process was paused a moment ago. Its clients may have gone to other gateways meanwhile, and what they
   * sent to this one before may only arrive now. Rule K41.
   */
  #isStalled(): boolean {
    const nowMs = this.#options.time.nowMs();
    return nowMs < this.#stalledUntilMs || Math.abs(nowMs - this.#tickedMs) > TICKS_MS_MAX;
  }

  /** True if an edit has waited here, and its client may have sent it to another gateway meanwhile. */
  #isLate({ givenMs }: TimedOrigin): boolean {
    return Math.abs(this.#options.time.nowMs() - givenMs) > LATE_MS;
  }

  #startNext(clientId: bigint, client: Client): void {
    if (!this.#isOnline) return;
    for (let next = client.queue[0]; next !== undefined; next = client.queue[0]) {
      const parts = this.#partsOf(next.edit);
      if (parts === undefined) {
        client.queue.shift();
        next.reject(acrossShards(next.edit));
        continue;
      }
      const shard = parts.size === 1 ? [...parts.keys()][0] : undefined;
      if (client.open > 0 && (shard === undefined || shard !== client.shard)) return;
      client.queue.shift();
      client.open++;
      client.shard = shard;
      void this.#make(next, parts).finally(() => {
        client.open--;
        this.#startNext(clientId, client);
      });
    }
    if (client.open === 0 && this.#clients.get(clientId) === client) this.#clients.delete(clientId);
  }

  async #make(
    { origin, resolve, reject }: WaitingEdit,
    parts: ReadonlyMap<string, RequestedEdit>,
  ): Promise<void> {
    const outcomes = await this.#submit(parts, origin, (part) => this.#queue.add(part));
    const clocks = outcomes.flatMap((outcome) => (outcome.kind === "applied" ? outcome.clocks : []));
    await this.#options.whenSeen(clocks);
    const refused = outcomes.filter((outcome) => outcome.kind === "rejected");
    const [first] = refused;
    if (first === undefined) resolve({ status: outcomeOf(outcomes, clocks), clocks });
    else if (refused.length === outcomes.length) reject(new OrthantError(first.code, "the edit was refused"));
    else {
      const detail = `${refused.length} of ${outcomes.length} shards refused their part: ${first.code}`;
      reject(new OrthantError("ORT_EDIT_PARTS", detail));
    }
  }

  #submit(
    parts: ReadonlyMap<string, RequestedEdit>,
    origin: TimedOrigin,
    add: (part: Part) => void,
  ): Promise<readonly Settled[]> {
    return Promise.all(
      Array.from(
        parts,
        ([shard, edit]) =>
          new Promise<Settled>((resolve) => add({ shard, origin, edit, resolve, isSent: false })),
      ),
    );
  }

  async #send(parts: readonly Part[], request: SendRequest): Promise<readonly Part[]> {
    // All parts are of one shard. A new shard may have vanished with a lost table; then no owner will ever
    // answer for it.
    const [first] = parts;
    if (first !== undefined && !this.#options.directory.has(first.shard))
      return parts.filter((part) => !this.#reroute(part));
    const edits = parts.map(({ origin, edit, isSent }) => ({
      ...origin,
      isRepeat: isSent || origin.isRepeat === true || this.#isLate(origin),
      edit,
    }));
    for (const part of parts) part.isSent = true;
    const answer = await request({ kind: "edits", edits });
    if (answer.kind !== "edits" || answer.outcomes.length !== parts.length) return parts;
    return parts.filter((part, index) => {
      const outcome = answer.outcomes[index];
      if (outcome === undefined) return true;
      if (outcome.kind === "elsewhere") return !this.#reroute(part);
      part.resolve(outcome);
      return false;
    });
  }

  /**
   * Sends a part to the shards that its voxels belong to now. Returns false if the shard, as known here, is
   * unchanged.
   */
  #reroute({ shard, origin, edit, resolve, isSent }: Part): boolean {
    const parts = this.#partsOf(edit);
    if (parts === undefined) {
      // A shard was split under the edit. If an owner may have received it, it may have been made before that.
      resolve({ kind: "rejected", code: isSent ? "ORT_EDIT_PARTS" : "ORT_EDIT_SHARDS" });
      return true;
    }
    if (parts.size === 1 && parts.has(shard)) return false;
    const again = isSent ? { ...origin, isRepeat: true } : origin;
    // A later edit of its client may wait for the same owner already, and must not overtake it. Rule K19.
    const adding = this.#submit(parts, again, (part) => this.#queue.addAgain(part));
    void adding.then((outcomes) => resolve(together(outcomes)));
    return true;
  }

  /** Returns the part of an edit for each shard, or `undefined` if it cannot be divided. */
  #partsOf(edit: RequestedEdit): ReadonlyMap<string, RequestedEdit> | undefined {
    const { directory, shape } = this.#options;
    if (edit.kind !== "voxels") {
      const shards = new Set<string>();
      for (const region of editedRegions(edit, shape)) shards.add(directory.shardOf(region));
      const [only] = shards;
      if (shards.size === 1 && only !== undefined) return new Map([[only, edit]]);
      if (edit.kind === "copy" || boxVolume(edit.box) > EDIT_VOXELS_MAX) return undefined;
    }
    const parts = new Map<string, VoxelPlacement[]>();
    for (const placement of edit.kind === "voxels" ? edit.placements : placementsOf(edit, NO_WORLD)) {
      const shard = directory.shardOf(regionOf(chunkOfVoxel(shape, placement.voxel)));
      getOrAdd(parts, shard, () => []).push(placement);
    }
    return new Map(Array.from(parts, ([shard, placements]) => [shard, { kind: "voxels", placements }]));
  }
}

/**
 * Gives each client's places in the list to its edits in order of their ids. After a split, a part of an earlier edit may
 * have to be sent before a later edit that waits already.
 */
function inOrderOfIds(parts: readonly Part[]): readonly Part[] {
  const byClient = new Map<bigint, Part[]>();
  for (const part of parts) {
    getOrAdd(byClient, part.origin.clientId, () => []).push(part);
  }
  for (const own of byClient.values()) own.sort((a, b) => b.origin.editId - a.origin.editId);
  return parts.map((part) => byClient.get(part.origin.clientId)?.pop() ?? part);
}

/** Time between two ticks that only a pause of the process explains, and time after it in which old messages may arrive. */
const TICKS_MS_MAX = 2_500;
const STALLED_MS = 2_000;
/** Time that an edit may wait here before its client may have sent it to another gateway. */
const LATE_MS = 500;

/** Bytes of an edit without its placements, and of a placement without its data. */
const EDIT_HEAD_BYTES = 128;
const PLACEMENT_BYTES_MAX = 32;

/** A fill reads nothing. */
const NO_WORLD = { voxelAt: (): number => AIR, dataAt: (): undefined => undefined };

/** Returns an upper bound for the size of an edit in a request. */
function requestBytesMax(edit: RequestedEdit): number {
  if (edit.kind !== "voxels") return EDIT_HEAD_BYTES;
  return edit.placements.reduce(
    (sum, { data }) => sum + PLACEMENT_BYTES_MAX + (data?.length ?? 0),
    EDIT_HEAD_BYTES,
  );
}

function acrossShards(edit: RequestedEdit): OrthantError {
  return new OrthantError(
    "ORT_EDIT_SHARDS",
    `a ${edit.kind} over several shards has at most ${edit.kind === "copy" ? 0 : EDIT_VOXELS_MAX} voxels`,
  );
}

function outcomeOf(outcomes: readonly Settled[], clocks: readonly ClockChange[]): WorldEditResult["status"] {
  if (clocks.length > 0) return "applied";
  // An owner that restarted may have forgotten a part that changes nothing. The others remember theirs.
  return outcomes.some(({ kind }) => kind === "duplicate") ? "duplicate" : "unchanged";
}

/** Merges the outcomes of a part that was split over several shards. */
function together(outcomes: readonly Settled[]): Settled {
  const refused = outcomes.find((outcome) => outcome.kind === "rejected");
  const made = outcomes.flatMap((outcome) => (outcome.kind === "applied" ? [outcome] : []));
  if (refused !== undefined) {
    const isWhole = outcomes.every(({ kind }) => kind === "rejected");
    return isWhole ? refused : { kind: "rejected", code: "ORT_EDIT_PARTS" };
  }
  const clocks = made.flatMap((outcome) => outcome.clocks);
  return clocks.length === 0 && made.length < outcomes.length
    ? { kind: "duplicate" }
    : { kind: "applied", clocks };
}
