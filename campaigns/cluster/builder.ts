import { connectReplica } from "@orthant/client/node";
import type { WorldReplica } from "@orthant/client/replica";
import type { Position } from "@orthant/core";
import { PositionMap, positionFrom } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import { SERVER_FRAME_BYTES_MAX } from "@orthant/protocol";
import type { Prng } from "@orthant/testkit";
import { WebSocket } from "ws";
import { tokenOf } from "../sim/sim-plan.ts";
import { anyBlock } from "../sockets/bot-world.ts";
import { Contest, type Fate } from "./contested.ts";

const EDGE = 16;
const RADIUS_CHUNKS = 2;
const OPEN_EDITS_MAX = 20;
const HISTORY_MAX = 8;
/** Every fifth edit changes two voxels, one on each side of a border between shards. */
const PAIR_EVERY = 5;
/** Every fourth edit overwrites a voxel that other builders overwrite too. */
const CONTESTED_EVERY = 4;
/** Builders that overwrite the same voxels. Successive builders begin at different gateways. */
export const CONTEST_BUILDERS = 4;

/** A voxel that a builder filled, or tried to. No voxel is filled twice, so the expected content is known. */
export interface Brick {
  readonly voxel: Position;
  readonly block: number;
  fate: Fate;
}

/** Callbacks of a builder. */
export interface BuilderEvents {
  /** The builder's view changed, or one of its edits was settled. */
  onChange(): void;
  /**
   * An edit was acknowledged, `waitMs` after it or an earlier one that was refused was made. `history` is what the
   * connection went through lately.
   */
  onAcknowledged(waitMs: number, history: readonly string[]): void;
}

/** Returns a contest for each group of builders. */
export function contestsFor(builders: number): readonly Contest[] {
  return Array.from({ length: Math.ceil(builders / CONTEST_BUILDERS) }, (_, group) => {
    const [x, y, z, w] = centerOf(group);
    // Below what they build, and between two lanes.
    return new Contest([x, y - EDGE / 2 - 1, z, w + 1]);
  });
}

/** Returns a voxel near the corner where shards meet, so that many edits are close to a border. */
function centerOf(group: number): Position {
  const [column, row] = [group % 3, Math.floor(group / 3) % 3];
  return [((column - 1) * EDGE) / 2, 32, ((row - 1) * EDGE) / 2, group * CONTEST_BUILDERS * 2];
}

/** A client that builds in its own lane, `w`, and reconnects through another gateway when it loses one. */
export class Builder {
  readonly world: WorldReplica;
  readonly lane: number;
  readonly bricks: PositionMap<Brick> = new PositionMap<Brick>();
  readonly refusals: string[] = [];
  readonly faults: string[] = [];
  readonly contest: Contest;
  readonly #prng: Prng;
  readonly #center: Position;
  readonly #events: BuilderEvents;
  #count = 0;
  #open = 0;
  #acknowledged = 0;
  /** When it made the first edit since the last acknowledged one. */
  #triedMs: number | undefined;
  readonly #history: string[] = [];

  constructor(
    gateways: readonly string[],
    number: number,
    contest: Contest,
    prng: Prng,
    events: BuilderEvents,
  ) {
    this.lane = number * 2;
    this.contest = contest;
    this.#prng = prng;
    this.#events = events;
    const [x, y, z] = centerOf(Math.floor(number / CONTEST_BUILDERS));
    this.#center = [x, y, z, this.lane];
    let attempt = number;
    this.world = connectReplica(gateways[0] ?? "", {
      name: `builder ${number}`,
      token: tokenOf(number + 1, "builder"),
      interest: { center: this.#center, radiusChunks: RADIUS_CHUNKS },
      // All of them join at once, and faults may already happen.
      timeoutMs: Number.POSITIVE_INFINITY,
      socket: () =>
        new WebSocket(gateways[attempt++ % gateways.length] ?? "", {
          maxPayload: SERVER_FRAME_BYTES_MAX,
          perMessageDeflate: false,
        }),
    });
    this.world.onChange(events.onChange);
    this.world.onStatus((status, { error, retryInMs }) => {
      const detail = error === undefined ? "" : ` for ${retryInMs} ms: ${error.message}`;
      this.#history.push(`${Math.round(performance.now())} ${status}${detail}`);
      this.#history.splice(0, this.#history.length - HISTORY_MAX);
      if (status === "closed") this.faults.push(`gave up: ${error}`);
    });
  }

  get openEdits(): number {
    return this.#open;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  get center(): Position {
    return this.#center;
  }

  /** Builds one or two more voxels, unless too many edits are open. */
  async build(): Promise<void> {
    if (this.#open >= OPEN_EDITS_MAX) return;
    this.#triedMs ??= performance.now();
    this.#open++;
    try {
      if (this.#prng.between(1, CONTESTED_EVERY) === 1) await this.#overwrite();
      else await this.#addBricks();
    } catch (error) {
      this.faults.push(`an edit without a result: ${error}`);
    }
    this.#open--;
    this.#events.onChange();
  }

  async #addBricks(): Promise<void> {
    const bricks = this.#nextBricks();
    const fate = await this.#set(bricks);
    for (const brick of bricks) brick.fate = fate;
  }

  async #overwrite(): Promise<void> {
    const write = this.contest.begin(this.#prng);
    write.fate = await this.#set([write]);
    // What was made of an edit in parts is unknown.
    if (write.fate !== "parts") write.endMs = performance.now();
  }

  async #set(placements: readonly VoxelPlacement[]): Promise<Fate> {
    const result = await this.world.setVoxels(placements);
    if (result.status !== "rejected") {
      this.#acknowledged++;
      if (this.#triedMs !== undefined)
        this.#events.onAcknowledged(performance.now() - this.#triedMs, this.#history);
      this.#triedMs = undefined;
      return "made";
    }
    this.refusals.push(`${result.reason}, ${result.detail}`);
    return result.detail.includes("ORT_EDIT_PARTS") ? "parts" : "refused";
  }

  #nextBricks(): readonly Brick[] {
    const isPair = this.#count % PAIR_EVERY === 0;
    const one = this.#brickAt(this.#positionOf(this.#count++));
    if (!isPair) return [one];
    const [x, y, z, w] = one.voxel;
    // No other builder uses the gaps between lanes.
    return [one, this.#brickAt([-1 - x, y, z, w + 1])];
  }

  #brickAt(voxel: Position): Brick {
    const brick: Brick = { voxel, block: anyBlock(this.#prng), fate: "open" };
    this.bricks.set(...voxel, brick);
    return brick;
  }

  #positionOf(count: number): Position {
    const offset = [count % EDGE, Math.floor(count / EDGE ** 2), Math.floor(count / EDGE) % EDGE, 0];
    return positionFrom((axis) => this.#center[axis] + (axis === 3 ? 0 : (offset[axis] ?? 0) - EDGE / 2));
  }
}
