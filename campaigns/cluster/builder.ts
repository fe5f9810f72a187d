import { connectReplica } from "@orthant/client/node";
import type { WorldReplica } from "@orthant/client/replica";
import type { Position } from "@orthant/core";
import { PositionMap, positionFrom } from "@orthant/core/engine";
import { SERVER_FRAME_BYTES_MAX } from "@orthant/protocol";
import type { Prng } from "@orthant/testkit";
import { WebSocket } from "ws";
import { tokenOf } from "../sim/sim-plan.ts";
import { anyBlock } from "../sockets/bot-world.ts";

const EDGE = 16;
const RADIUS_CHUNKS = 2;
const OPEN_EDITS_MAX = 20;
/** Every fifth edit changes two voxels, one on each side of a border between shards. */
const PAIR_EVERY = 5;

/** Outcome of an edit as reported to the builder. */
export type Fate = "open" | "made" | "refused" | "parts";

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
  /** An edit got its result, `waitMs` after it was made. */
  onResult(waitMs: number): void;
}

/** A client that builds in its own lane, `w`, and reconnects through another gateway when it loses one. */
export class Builder {
  readonly world: WorldReplica;
  readonly lane: number;
  readonly bricks: PositionMap<Brick> = new PositionMap<Brick>();
  readonly refusals: string[] = [];
  readonly faults: string[] = [];
  readonly #prng: Prng;
  readonly #center: Position;
  readonly #events: BuilderEvents;
  #count = 0;
  #open = 0;
  #acknowledged = 0;

  constructor(gateways: readonly string[], number: number, prng: Prng, events: BuilderEvents) {
    this.lane = number * 2;
    this.#prng = prng;
    this.#events = events;
    // Near the corner where shards meet, so that many edits are close to a border.
    const group = Math.floor(number / 10);
    this.#center = [((group % 3) - 1) * 8, 32, ((Math.floor(group / 3) % 3) - 1) * 8, this.lane];
    let attempt = number;
    this.world = connectReplica(gateways[0] ?? "", {
      name: `builder ${number}`,
      token: tokenOf(number + 1, "builder"),
      interest: { center: this.#center, radiusChunks: RADIUS_CHUNKS },
      socket: () =>
        new WebSocket(gateways[attempt++ % gateways.length] ?? "", {
          maxPayload: SERVER_FRAME_BYTES_MAX,
          perMessageDeflate: false,
        }),
    });
    this.world.onChange(events.onChange);
    this.world.onStatus((status, { error }) => {
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
    const bricks = this.#nextBricks();
    const startMs = performance.now();
    this.#open++;
    try {
      const result = await this.world.setVoxels(bricks);
      const isRefused = result.status === "rejected";
      if (isRefused) this.refusals.push(`${result.reason}, ${result.detail}`);
      else this.#acknowledged++;
      const fate = isRefused ? (result.detail.includes("ORT_EDIT_PARTS") ? "parts" : "refused") : "made";
      for (const brick of bricks) brick.fate = fate;
    } catch (error) {
      this.faults.push(`an edit without a result: ${error}`);
    }
    this.#open--;
    this.#events.onResult(performance.now() - startMs);
    this.#events.onChange();
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
