import { connectReplica } from "@orthant/client/node";
import type { Position } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { Prng } from "@orthant/testkit";
import { WebSocket } from "ws";
import { endWithParent } from "../child.ts";
import { loadPeer } from "../peer-stores.ts";
import { headerBytes } from "../server/member.ts";
import {
  anyEditedVoxel,
  changedVoxels,
  EDITED_BLOCKS,
  EDITED_CHUNKS_BOX,
  keysOfVoxel,
} from "./changed-voxels.ts";
import { type ClientOrder, type ClientReport, EDIT_MESSAGE, ROOM_NAME } from "./orders.ts";

// The process of one client that keeps a copy of the world: that of Orthant, or the SDK of Colyseus.

/** A client that has joined. */
interface Joined {
  blockOf(voxel: Position): number | undefined;
  /** Sets a voxel and waits until it is seen. */
  set(voxel: Position, block: number): Promise<void>;
  leave(): Promise<unknown>;
}

interface Chunk {
  readonly voxels: { get(cell: string): number | undefined };
}

interface SdkRoom {
  readonly state: { readonly chunks: { get(key: string): Chunk | undefined } };
  readonly onStateChange: ((listener: () => void) => void) & { once(listener: () => void): void };
  send(type: number, message: unknown): void;
  leave(): Promise<unknown>;
}

interface Sdk {
  readonly Client: new (url: string) => { joinOrCreate(name: string): Promise<SdkRoom> };
}

let receivedBytes = 0;
let joined: Joined | undefined;

/** The WebSocket of both clients. */
class CountingSocket extends WebSocket {
  constructor(url: string) {
    super(url, { perMessageDeflate: false });
    this.on("message", (data: Buffer | ArrayBuffer) => {
      const bytes = data instanceof ArrayBuffer ? data.byteLength : data.length;
      receivedBytes += bytes + headerBytes(bytes);
    });
  }
}
Object.assign(globalThis, { WebSocket: CountingSocket });

const prng = new Prng(process.pid);
/** Blocks that earlier clients of this process set. */
const laterBlocks = new Map<string, number>();

endWithParent();
process.on("message", (order: ClientOrder) => void handle(order));

async function handle(order: ClientOrder): Promise<void> {
  process.send?.(
    order.kind === "join" ? await join(order.server, order.port) : await leave(order.changedCount),
  );
}

async function join(server: "Orthant" | "Colyseus", port: number): Promise<ClientReport> {
  receivedBytes = 0;
  const startMs = performance.now();
  joined = await (server === "Orthant" ? joinOrthant(port) : joinColyseus(port));
  return { joinMs: performance.now() - startMs, bytes: receivedBytes, missing: 0 };
}

async function leave(changedCount: number): Promise<ClientReport> {
  if (joined === undefined) throw new Error("the client has not joined");
  const { blockOf, set, leave: close } = joined;
  const missing = changedVoxels(changedCount).filter(
    ({ voxel, block }) => blockOf(voxel) !== (laterBlocks.get(voxel.join()) ?? block),
  ).length;
  // A room in use changes between two joins, so that its server cannot send the same bytes again.
  const voxel = anyEditedVoxel(prng);
  const block = 1 + ((blockOf(voxel) ?? 0) % EDITED_BLOCKS);
  laterBlocks.set(voxel.join(), block);
  await set(voxel, block);
  await close();
  return { joinMs: 0, bytes: 0, missing };
}

async function joinOrthant(port: number): Promise<Joined> {
  const replica = connectReplica(`ws://127.0.0.1:${port}`, {
    generators: DEFAULT_GENERATORS,
    interest: { boxes: [EDITED_CHUNKS_BOX] },
    socket: (url) => new CountingSocket(url),
  });
  await replica.complete();
  return {
    blockOf: (voxel) => replica.voxelAt(voxel),
    async set(voxel, block) {
      const { status } = await replica.setVoxel(voxel, block);
      if (status !== "applied") throw new Error(`an edit was ${status}`);
    },
    leave: () => replica.close(),
  };
}

async function joinColyseus(port: number): Promise<Joined> {
  const { Client } = loadPeer("@colyseus/sdk") as Sdk;
  const room = await new Client(`http://127.0.0.1:${port}`).joinOrCreate(ROOM_NAME);
  await new Promise<void>((resolve) => room.onStateChange.once(resolve));
  const blockOf = (voxel: Position): number | undefined => {
    const { chunk, cell } = keysOfVoxel(voxel);
    return room.state.chunks.get(chunk)?.voxels.get(cell);
  };
  return {
    blockOf,
    async set(voxel, block) {
      room.send(EDIT_MESSAGE, [...voxel, block]);
      while (blockOf(voxel) !== block) await new Promise<void>((resolve) => room.onStateChange.once(resolve));
    },
    leave: () => room.leave(),
  };
}
