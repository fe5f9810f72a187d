import type { Box, Position } from "@orthant/core";
import { positionsLexicographic, regionsTouching } from "@orthant/core/lattice";
import type { ServerMessage } from "@orthant/protocol/internal";
import { Prng } from "@orthant/testkit";
import { expect, test } from "vitest";
import { chunkIn, ModelServer } from "./model-server.ts";
import { TestClient, WELCOME } from "./sample-client.ts";

const SEEDS = 40;
const STEPS = 200;
const CALM_STEPS = 400;
const STEP_MS = 50;

interface OnItsWay {
  readonly atStep: number;
  readonly deliver: () => void;
}

/** A network that loses, duplicates and delays everything it carries, until it calms down. */
class Network {
  readonly #prng: Prng;
  #onItsWay: OnItsWay[] = [];
  #step = 0;
  isCalm = false;

  constructor(prng: Prng) {
    this.#prng = prng;
  }

  carry(deliver: () => void): void {
    const copies = this.isCalm ? 1 : [0, 1, 1, 1, 1, 2][this.#prng.below(6)];
    for (let copy = 0; copy < (copies ?? 1); copy++) {
      const delay = this.isCalm ? 1 : 1 + this.#prng.below(6);
      this.#onItsWay.push({ atStep: this.#step + delay, deliver });
    }
  }

  step(): void {
    this.#step++;
    const due = this.#onItsWay.filter(({ atStep }) => atStep <= this.#step);
    this.#onItsWay = this.#onItsWay.filter(({ atStep }) => atStep > this.#step);
    for (const { deliver } of due) deliver();
  }
}

function boxAround(x: number, y: number): Box {
  return { min: [x, y, 0, 0], max: [x + 8, y + 8, 4, 4] };
}

const regionsOf = (box: Box): readonly Position[] => [...positionsLexicographic(regionsTouching(box))];
const ALL_REGIONS = regionsOf({ min: [0, 0, 0, 0], max: [24, 24, 4, 4] });

/** Returns the regions whose content does not match their clock. */
function mixed({ sync }: TestClient, history: ReadonlyMap<string, number>): readonly Position[] {
  return ALL_REGIONS.filter((region) => {
    const clock = sync.replica?.clockOf(region);
    const expected = clock === undefined ? undefined : (history.get(`${region} ${clock}`) ?? 0);
    return sync.replica?.chunkAt(chunkIn(region))?.uniformBlock !== expected;
  });
}

test("whatever a network does to the frames, a client ends with exactly the server's state", () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const prng = new Prng(seed);
    const network = new Network(prng);
    const server = new ModelServer(WELCOME);
    const client = new TestClient();
    let box = boxAround(0, 0);
    let frameNumber = 0;
    const edits: number[] = [];
    /** The block of each region at every clock it ever had. */
    const history = new Map<string, number>();
    const exchange = (): void => {
      client.pass(STEP_MS);
      for (const frame of client.frames.splice(0)) network.carry(() => server.receive(frame));
      const messages: readonly ServerMessage[] = server.frame();
      const number = ++frameNumber;
      network.carry(() => client.receiveAs(number, ...messages));
      network.step();
    };
    client.sync.setInterest({ boxes: [box], center: [0, 0, 0, 0] });
    client.connect();
    for (let step = 1; step <= STEPS; step++) {
      if (prng.below(20) === 0) {
        box = boxAround(prng.below(5) * 4, prng.below(5) * 4);
        client.sync.setInterest({ boxes: [box], center: [0, 0, 0, 0] });
      }
      if (prng.below(3) === 0) {
        const region: Position = [prng.below(6), prng.below(6), 0, 0];
        const block = 1 + prng.below(1_000);
        server.edit(region, block);
        history.set(`${region} ${server.clockOf(region)}`, block);
      }
      if (prng.below(30) === 0) edits.push(client.sync.setVoxels([{ voxel: [-1, -1, -1, 0], block: 1 }]));
      exchange();
      expect(mixed(client, history), `seed ${seed}, step ${step}`).toEqual([]);
    }
    network.isCalm = true;
    for (let step = 0; step < CALM_STEPS && !(step > 40 && client.sync.isComplete); step++) exchange();
    const why = `seed ${seed}`;
    expect(client.sync.isComplete, why).toBe(true);
    expect(client.isClosed, why).toBe(false);
    const held = client.sync.keep()?.regions.map(({ region, clock }) => ({ region, clock }));
    expect(held, why).toEqual(regionsOf(box).map((region) => ({ region, clock: server.clockOf(region) })));
    expect(client.sync.openEdits, why).toEqual([]);
    expect(
      client.results.map(({ editId }) => editId).sort((a, b) => a - b),
      why,
    ).toEqual(edits);
  }
});
