import { type Clock, cubeAt, DEFAULT_GENERATORS, positionsLexicographic } from "@orthant/core";
import { type ServerConnection, SyncClient, type SyncServer } from "@orthant/protocol";
import type { Prng } from "@orthant/testkit";
import type { World } from "@orthant/world";

const LOOKS_AT = cubeAt([-4, -4, -4, -4], 8);
/** The w coordinate of a place that no other client may edit. */
export const HONEST_W = 1_000;

/** An honest client of a host in the same process. */
export class HonestGuest {
  readonly #guest: SyncClient;
  readonly #session: ServerConnection;
  readonly #fromHost: Uint8Array[] = [];
  #asked = 0;
  #made = 0;
  readonly #faults: string[] = [];

  constructor(host: SyncServer, clock: Clock) {
    this.#guest = new SyncClient({
      clock,
      generators: DEFAULT_GENERATORS,
      clientId: 1n,
      name: "honest",
      token: () => new Uint8Array(0),
      events: {
        onEditResult: (result) => {
          if (result.outcome === "rejected") this.#faults.push(`refused an honest edit: ${result.reason}`);
          else this.#made++;
        },
        onGoodbye: ({ reason, detail }) => this.#faults.push(`told an honest client ${reason}: ${detail}`),
        onFault: (fault) => this.#faults.push(`told an honest client nonsense: ${fault}`),
      },
    });
    this.#session = host.connect({
      send: (frame) => this.#fromHost.push(frame),
      close: () => this.#faults.push("closed an honest connection"),
    });
    this.#guest.connected({ send: (frame) => this.#session.receive(frame), close: () => undefined });
    this.#guest.setInterest({ boxes: [LOOKS_AT, cubeAt([0, 0, 0, HONEST_W / 8], 1)], center: [0, 0, 0, 0] });
  }

  /** Edits that were requested, and those that were made. */
  get edits(): { readonly asked: number; readonly made: number } {
    return { asked: this.#asked, made: this.#made };
  }

  /** Processes received frames, and sends what is due. */
  tick(): void {
    for (const frame of this.#fromHost.splice(0)) this.#guest.receive(frame);
    this.#guest.tick();
  }

  /** Makes an edit. */
  build(prng: Prng): void {
    if (!this.#guest.isWelcome || this.#guest.openEdits.length > 0) return;
    this.#asked++;
    this.#guest.setVoxels([{ voxel: [prng.below(8), 0, 0, HONEST_W], material: prng.between(1, 9) }]);
  }

  /** Returns the faults that this client sees, once everything is quiet. */
  async findFaults(world: World): Promise<readonly string[]> {
    const faults = [...this.#faults];
    if (!this.#guest.isComplete) faults.push("the honest client does not hold what it looks at");
    if (this.#made !== this.#asked) faults.push(`${this.#made} of ${this.#asked} honest edits were made`);
    for (const chunk of positionsLexicographic(LOOKS_AT)) {
      const held = this.#guest.chunkAt(chunk);
      if (held?.equals(await world.chunk(chunk)) !== true)
        faults.push(`chunk [${chunk}] is not the server's`);
    }
    return faults;
  }
}
