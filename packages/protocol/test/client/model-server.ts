import type { Position } from "@orthant/core";
import { PositionMap, PositionSet, positionsLexicographic, regionsTouching } from "@orthant/core/lattice";
import { CLOCK_NEVER } from "@orthant/core/tree";
import type { NumberedEditResult } from "@orthant/protocol";
import type { ClientFrame, ClientMessage, InterestMessage, ServerMessage } from "@orthant/protocol/internal";
import { blank, change, forget, heartbeat, patch, reset, tick } from "./sample-client.ts";

/** The clock of a region that the client may or may not hold. */
const UNKNOWN_CLOCK = -1;

/** Returns the only chunk of a region that the model's world ever changes. */
export const chunkIn = ([x, y, z, w]: Position): Position => [x * 4, y * 4, z * 4, w * 4];

/**
 * The smallest correct server, for one client: each region has one block, each patch one region, and a
 * resync sends everything it may concern again. The real server is far more elaborate, and so harder to
 * trust.
 */
export class ModelServer {
  /** The block of each region that was ever changed. */
  readonly blocks = new PositionMap<{ readonly block: number; readonly clock: number }>();
  readonly results = new Map<number, NumberedEditResult>();
  #welcome: ServerMessage | undefined;
  #interest: InterestMessage | undefined;
  readonly #wanted = new PositionSet();
  readonly #held = new PositionMap<number>();
  #items: { readonly number: number; readonly region: Position }[] = [];
  #streamNumber = 0;
  #step = 0;
  #lastEditId = 0;
  #mustReset = false;
  #replies: ServerMessage[] = [];

  constructor(welcome: ServerMessage) {
    this.#welcome = welcome;
  }

  clockOf(region: Position): number {
    return this.blocks.get(...region)?.clock ?? CLOCK_NEVER;
  }

  /** Changes a region. */
  edit(region: Position, block: number): void {
    this.#step++;
    this.blocks.set(...region, { block, clock: tick(this.#step) });
  }

  receive({ messages }: ClientFrame): void {
    for (const message of messages) this.#receive(message);
  }

  /** Returns the messages of the next frame. */
  frame(): readonly ServerMessage[] {
    const messages = this.#replies;
    this.#replies = [];
    if (this.#interest === undefined) return messages;
    for (const region of [...this.#held.positions()]) {
      if (!this.#wanted.has(...region))
        messages.push(...this.#item(region, (number) => forget(number, region)));
    }
    for (const region of this.#wanted)
      if (this.#held.get(...region) !== this.clockOf(region)) messages.push(...this.#bring(region));
    return [...messages, heartbeat(this.#streamNumber, this.#interest.interestId, true)];
  }

  #receive(message: ClientMessage): void {
    if (message.kind === "hello" && this.#welcome !== undefined) this.#replies.push(this.#welcome);
    if (message.kind === "interest" && message.interestId > (this.#interest?.interestId ?? 0))
      this.#want(message);
    if (message.kind === "voxels") {
      if (message.editId === this.#lastEditId + 1) {
        this.#lastEditId++;
        this.results.set(message.editId, { editId: message.editId, status: "unchanged" });
      }
      const result = this.results.get(message.editId);
      if (result !== undefined) this.#replies.push({ kind: "editResults", results: [result] });
    }
    if (message.kind !== "resync") return;
    const lost = this.#items.filter(({ number }) => number >= message.expected).map(({ region }) => region);
    for (const region of [...lost, ...message.regions.map((asked) => asked.region)]) {
      // Regions outside the interest are forgotten again.
      if (this.#wanted.has(...region)) this.#held.delete(...region);
      else this.#held.set(...region, UNKNOWN_CLOCK);
    }
    this.#mustReset = true;
  }

  #want(interest: InterestMessage): void {
    this.#interest = interest;
    this.#wanted.clear();
    for (const box of interest.boxes) {
      for (const region of positionsLexicographic(regionsTouching(box))) this.#wanted.add(...region);
    }
  }

  #bring(region: Position): readonly ServerMessage[] {
    const made = this.blocks.get(...region);
    const before = this.#held.get(...region);
    if (made === undefined)
      return this.#item(region, (number) => blank(number, "generated", region), CLOCK_NEVER);
    const chunks = [[chunkIn(region), made.block] as const];
    const base = before === undefined || before === UNKNOWN_CLOCK ? "generated" : before;
    return this.#item(
      region,
      (number) => patch(number, change(region, base, made.clock, chunks)),
      made.clock,
    );
  }

  #item(region: Position, item: (number: number) => ServerMessage, clock?: number): readonly ServerMessage[] {
    const number = ++this.#streamNumber;
    const messages = this.#mustReset ? [reset(number), item(number)] : [item(number)];
    this.#mustReset = false;
    this.#items.push({ number, region });
    if (clock === undefined) this.#held.delete(...region);
    else this.#held.set(...region, clock);
    return messages;
  }
}
