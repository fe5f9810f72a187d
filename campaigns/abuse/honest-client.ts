import { connectReplica } from "@orthant/client/node";
import type { WorldReplica } from "@orthant/client/replica";
import { issueToken } from "@orthant/server";
import { AUDIENCE, SECRET } from "./target-settings.ts";

const TOKEN_SECONDS = 3_600;
const BLOCKS = 9;

/** A real client that builds continuously and measures how long its edits take. */
export class HonestClient {
  readonly faults: string[] = [];
  readonly #world: WorldReplica;
  readonly #number: number;
  readonly #editEveryMs: number;
  #timer: NodeJS.Timeout | undefined;
  #latencies: number[] = [];
  #open = 0;
  #built = 0;
  #isClosing = false;

  private constructor(world: WorldReplica, number: number, editEveryMs: number) {
    this.#world = world;
    this.#number = number;
    this.#editEveryMs = editEveryMs;
    this.#plan();
    world.onStatus((status, { error }) => {
      if (status !== "joined" && !this.#isClosing)
        this.faults.push(`honest client ${number} became ${status}: ${error}`);
    });
  }

  /** Connects with a good token, and starts to build when its whole interest has arrived. */
  static async join(port: number, number: number, editEveryMs: number): Promise<HonestClient> {
    const claims = { playerId: BigInt(number), role: "builder", expiresInSeconds: TOKEN_SECONDS } as const;
    const token = await issueToken(claims, { secret: SECRET, audience: AUDIENCE });
    const interest = { center: [0, 0, 0, 0], radiusChunks: 4 } as const;
    const world = connectReplica(`ws://127.0.0.1:${port}`, { name: `honest ${number}`, token, interest });
    await world.complete();
    return new HonestClient(world, number, editEveryMs);
  }

  /** Edits without an edit result. */
  get openEdits(): number {
    return this.#open;
  }

  /** Returns the times in milliseconds from edits to their edit results since the last call. */
  takeLatencies(): readonly number[] {
    const latencies = this.#latencies;
    this.#latencies = [];
    return latencies;
  }

  /** Stops building. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  async close(): Promise<void> {
    this.stop();
    this.#isClosing = true;
    await this.#world.close();
  }

  /** Schedules the next edit at a random time: at a steady pace each would wait equally long for a tick. */
  #plan(): void {
    this.#timer = setTimeout(
      () => {
        this.#plan();
        void this.#build();
      },
      this.#editEveryMs * (0.5 + Math.random()),
    );
  }

  async #build(): Promise<void> {
    const startMs = performance.now();
    this.#open++;
    this.#built++;
    try {
      const result = await this.#world.setVoxel(
        [this.#built % 16, 8, 8, this.#number],
        1 + ((this.#built >> 4) % BLOCKS),
      );
      if (result.status === "rejected") this.faults.push(`an honest edit was refused: ${result.reason}`);
      this.#latencies.push(performance.now() - startMs);
    } catch (error) {
      this.faults.push(`an honest edit got no result: ${error}`);
    }
    this.#open--;
  }
}
