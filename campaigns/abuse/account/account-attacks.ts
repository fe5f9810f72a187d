import { setTimeout as delay } from "node:timers/promises";
import type { Box } from "@orthant/core";
import { encode, encodeUtf8 } from "@orthant/core/bytes";
import { cubeAt, positionFrom } from "@orthant/core/lattice";
import type { Hello } from "@orthant/protocol";
import { type ClientMessage, clientFrameCodec } from "@orthant/protocol/internal";
import { DEFAULT_SYNC_LIMITS } from "@orthant/protocol/server";
import { WebSocket } from "ws";
import { addressIn, edit, placement, randomId, type Target } from "../attacker.ts";
import { helloOf, interestOf } from "../hostile-frames.ts";
import { TARGET_RULES, type TargetGame } from "./target-rules.ts";

/** Where an attack goes to, with whose token, and when it ends. */
interface AttackPlan {
  readonly port: number;
  readonly token: string;
  readonly endsAtMs: number;
}

/** The edge, in chunks, of a box with as many regions as a client may hold: 8 x 8 x 8 x 8. */
const WIDEST_CHUNKS = 32;
const INTEREST_EVERY_MS = 100;
const EDITS_AT_ONCE = 60;
const EDIT_EVERY_MS = 250;
const PAUSE_MS = 50;
const CONNECTIONS = 50;
/** Connections in one network: fewer than a server lets in. */
const CONNECTIONS_PER_NETWORK = 30;
const VIEWERS = 310;
const FOREIGN_GENERATORS: readonly bigint[] = [7n];
const FAR_CHUNKS = 1_000_000;
const CLIENTS_PER_PLAYER = DEFAULT_SYNC_LIMITS.clientsPerPlayer;
/** Where large edits are, on each axis: outside of what honest clients see. */
const LARGE_EDITS_AT = 4_096;

/** What one attacker does, with how many accounts, and from how many networks without one. */
export interface AccountAttack {
  readonly name: string;
  readonly accounts: number;
  readonly networks: number;
  /** The rules of the game that is attacked; by default it has none. */
  readonly game?: TargetGame;
  /** Keeps connections busy until the plan ends. */
  run(plan: AttackPlan): Promise<void>;
}

/** Attacks of one account over fifty connections, and of anonymous players. */
export const ACCOUNT_ATTACKS: readonly AccountAttack[] = [
  {
    name: "changes its interest all the time",
    accounts: 1,
    networks: 0,
    run: (plan) => changesInterest(plan, CONNECTIONS, 1),
  },
  {
    name: "changes its interest without generators",
    accounts: 1,
    networks: 0,
    run: (plan) => changesInterest(plan, CONNECTIONS, 1, { generators: FOREIGN_GENERATORS }),
  },
  {
    name: "edits with fresh ids",
    accounts: 1,
    networks: 0,
    run: (plan) => freshIds(plan, CONNECTIONS, 11),
  },
  {
    name: "holds regions",
    accounts: 1,
    networks: 0,
    run: (plan) => holds(plan, CONNECTIONS, 21, withToken(plan)),
  },
  {
    name: "views from one network",
    accounts: 0,
    networks: 1,
    run: (plan) => holds(plan, CONNECTIONS_PER_NETWORK, 31, {}),
  },
  {
    name: "views from many networks",
    accounts: 0,
    networks: Math.ceil(VIEWERS / CONNECTIONS_PER_NETWORK),
    run: (plan) => holds(plan, VIEWERS, 31, {}),
  },
  {
    name: "connects again and again",
    accounts: 1,
    networks: 0,
    run: (plan) => reconnects(plan, CONNECTIONS, 51),
  },
  {
    name: "reads nothing",
    accounts: 1,
    networks: 0,
    run: (plan) => readsNothing(plan, CONNECTIONS, 61),
  },
  {
    name: "does all of it at once",
    accounts: 1,
    networks: 1,
    async run(plan) {
      await Promise.all([
        changesInterest(plan, 10, 1),
        freshIds(plan, 10, 11),
        holds(plan, 10, 21, withToken(plan)),
        holds(plan, 10, 31, {}),
        reconnects(plan, 5, 51),
        readsNothing(plan, 5, 61),
      ]);
    },
  },
  ...Object.keys(TARGET_RULES).map(
    (game): AccountAttack => ({
      name: `makes large edits, where the rules are: ${game}`,
      accounts: 1,
      networks: 0,
      game: game as TargetGame,
      run: (plan) => largeEdits(plan, CLIENTS_PER_PLAYER, 71),
    }),
  ),
];

/** Asks for other regions as often as a client may. */
function changesInterest(
  plan: AttackPlan,
  count: number,
  network: number,
  hello: Partial<Hello> = {},
): Promise<void> {
  return crowd(plan, count, network, async (target) => {
    const client = await AttackingClient.join(target, { ...withToken(plan), ...hello });
    for (let interestId = 1; client?.isOpen === true && isOn(plan); interestId++) {
      client.send(interestIn(interestId, somewhere()));
      await delay(INTEREST_EVERY_MS);
    }
    client?.end();
  });
}

/** Makes as many edits as one client may, and goes on as another client. */
function freshIds(plan: AttackPlan, count: number, network: number): Promise<void> {
  return crowd(plan, count, network, async (target) => {
    const client = await AttackingClient.join(target, withToken(plan));
    const voxel = (index: number) =>
      [index % 8, Math.floor(Math.random() * 4_096), 64, target.network] as const;
    client?.send(
      ...Array.from({ length: EDITS_AT_ONCE }, (_, index) => edit(index + 1, voxel(index), 1 + (index % 9))),
    );
    await delay(EDIT_EVERY_MS);
    client?.end();
  });
}

/** Makes edits as large as a server might take: fills, copies and lists, and goes on as another client. */
function largeEdits(plan: AttackPlan, count: number, network: number): Promise<void> {
  let turn = 0;
  return crowd(plan, count, network, async (target) => {
    const client = await AttackingClient.join(target, withToken(plan));
    const shift = turn++;
    // One in a frame, so that the server never gets one that is too long.
    for (let index = 0; index < LARGE_EDITS_AT_ONCE; index++)
      client?.send(largeEdit(index + 1, shift + index));
    await delay(EDIT_EVERY_MS);
    client?.end();
  });
}

/** Far more than a player may make, and few enough that reading lists of voxels is not most of a server's work. */
const LARGE_EDITS_AT_ONCE = 16;
/** Edges of boxes of 2^20, 65,536 and 4,096 voxels: the most that may be filled, copied, and shown to rules. */
const LARGE_EDGES = [32, 16, 8] as const;
const LIST_VOXELS = 4_096;

function largeEdit(editId: number, kind: number): ClientMessage {
  const block = 1 + (kind % 9);
  const near = positionFrom(() => Math.floor(Math.random() * 64) + LARGE_EDITS_AT);
  const far = positionFrom((axis) => near[axis] + Math.floor(Math.random() * FAR_CHUNKS));
  const edge = LARGE_EDGES[kind % LARGE_EDGES.length] ?? 1;
  switch (kind % 8) {
    case 0:
      return { kind: "fill", editId, box: cubeAt(far, edge), block };
    case 1:
      return { kind: "fill", editId, box: cubeAt(near, edge), block };
    case 2:
      return { kind: "copy", editId, box: cubeAt(near, Math.min(edge, 16)), to: far };
    case 3:
      return { kind: "copy", editId, box: cubeAt(far, Math.min(edge, 16)), to: near };
    case 4: {
      const [x, y, z, w] = near;
      const placements = Array.from({ length: LIST_VOXELS }, (_, index) =>
        placement([x + (index % 64), y + (index >> 6), z, w], block),
      );
      return { kind: "voxels", editId, placements };
    }
    default:
      return { kind: "fill", editId, box: cubeAt(far, 8), block };
  }
}

/** Holds as many regions as a client may, each connection others. */
function holds(plan: AttackPlan, count: number, network: number, hello: Partial<Hello>): Promise<void> {
  return crowd(plan, count, network, async (target) => {
    const client = await AttackingClient.join(target, hello);
    client?.send(interestIn(1, somewhere()));
    while (client?.isOpen === true && isOn(plan)) {
      await delay(INTEREST_EVERY_MS * 10);
      client.send();
    }
    client?.end();
  });
}

/** Asks for as many regions as a client may, and leaves at once. */
function reconnects(plan: AttackPlan, count: number, network: number): Promise<void> {
  return crowd(plan, count, network, async (target) => {
    const client = await AttackingClient.join(target, withToken(plan));
    client?.send(interestIn(1, somewhere()));
    await delay(PAUSE_MS);
    client?.end();
  });
}

/** Asks for regions that have to be sent voxel by voxel, and reads nothing of them. */
function readsNothing(plan: AttackPlan, count: number, network: number): Promise<void> {
  return crowd(plan, count, network, async (target) => {
    const hello = { ...withToken(plan), generators: FOREIGN_GENERATORS };
    const client = await AttackingClient.join(target, hello);
    client?.send(interestIn(1, cubeAt([-16, -16, -16, -16], WIDEST_CHUNKS)));
    client?.stopReading();
    while (client?.isOpen === true && isOn(plan)) {
      await delay(INTEREST_EVERY_MS * 10);
      client.send();
    }
    client?.end();
  });
}

/** Runs one connection after the other in each of several places, until the plan ends. */
async function crowd(
  plan: AttackPlan,
  count: number,
  network: number,
  attack: (target: Target) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const target = { port: plan.port, network: network + Math.floor(index / CONNECTIONS_PER_NETWORK) };
      while (isOn(plan)) {
        await attack(target);
        await delay(PAUSE_MS);
      }
    }),
  );
}

function withToken({ token }: AttackPlan): Partial<Hello> {
  return { token: encodeUtf8(token) };
}

function interestIn(interestId: number, box: Box): ClientMessage {
  return interestOf(interestId, [box]);
}

function somewhere(): Box {
  const x = 4 * Math.floor(Math.random() * FAR_CHUNKS);
  return cubeAt([x, 0, 0, 0], WIDEST_CHUNKS);
}

function isOn({ endsAtMs }: AttackPlan): boolean {
  return performance.now() < endsAtMs;
}

/** Frames that a server may have sent without an acknowledgement before this client sends one by itself. */
const ACKNOWLEDGE_EVERY = 4;

/** A connection of an attacker. It reads nothing of what comes, so that one process can drive hundreds of them. */
class AttackingClient {
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  #frames = 0;
  #acknowledged = 0;
  #isOpen = false;

  private constructor(target: Target) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${target.port}/`, {
      localAddress: addressIn(target),
      perMessageDeflate: false,
    });
    this.#socket.on("error", () => undefined); // the socket closes then
    this.#socket.on("message", () => {
      this.#frames++;
      if (this.#frames >= this.#acknowledged + ACKNOWLEDGE_EVERY) this.send();
    });
    this.closed = new Promise((resolve) => this.#socket.once("close", () => resolve()));
    this.closed.then(() => {
      this.#isOpen = false;
    });
  }

  /** Connects and waits until the first frame came, the welcome or a goodbye; `undefined` when it was refused. */
  static async join(target: Target, hello: Partial<Hello>): Promise<AttackingClient | undefined> {
    const client = new AttackingClient(target);
    const opened = new Promise<void>((resolve) => client.#socket.once("open", () => resolve()));
    await Promise.race([opened, client.closed]);
    if (client.#socket.readyState !== WebSocket.OPEN) return undefined;
    client.#isOpen = true;
    const answered = new Promise<void>((resolve) => client.#socket.once("message", () => resolve()));
    client.send(helloOf(randomId(), hello));
    await Promise.race([answered, client.closed]);
    return client.isOpen ? client : undefined;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Frames that came. */
  get frames(): number {
    return this.#frames;
  }

  /** Sends messages in one frame, with the acknowledgement of all that came. */
  send(...messages: readonly ClientMessage[]): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#acknowledged = this.#frames;
    this.#socket.send(encode(clientFrameCodec, { acknowledged: this.#acknowledged, applied: 0, messages }));
  }

  /** Reads nothing more from the socket. */
  stopReading(): void {
    this.#socket.pause();
  }

  end(): void {
    this.#socket.terminate();
  }
}
