import { connectReplica } from "@orthant/client/node";
import type { WebSocketLike, WorldReplica } from "@orthant/client/replica";
import { type Box, GeneratorRegistry, type Position } from "@orthant/core";
import { chunkOfVoxel, PositionMap, positionFrom } from "@orthant/core/lattice";
import { type Pose, SERVER_FRAME_BYTES_MAX } from "@orthant/protocol";
import type { Prng } from "@orthant/testkit";
import { WebSocket } from "ws";
import { anyBlock, anyPosition, SHARED_LANE, voxelNear } from "./bot-world.ts";

/** Most edits without a result; a client with more waits, even while the server is down. */
const OPEN_EDITS_MAX = 40;
const EDIT_VOXELS_MAX = 6;
const SHARED_LANE_CHANCE = 0.2;
const INTEREST_CHANCE = 0.05;
const CUT_CHANCE = 0.002;
const RADIUS_CHUNKS = 5;
/** Smaller, because the server must send every chunk to a client without generators. */
const NO_GENERATORS_RADIUS_CHUNKS = 2;

/** A client that moves, changes its interest and builds in its lane, and records its acknowledged edits. */
export class Bot {
  readonly world: WorldReplica;
  readonly lane: number;
  /** True when it has no generators, so that the server sends it every voxel. */
  readonly lacksGenerators: boolean;
  /** Voxels that it built in its lane, where no other client builds. */
  readonly built = new PositionMap<number>();
  /** Bytes received on each connection until its interest was complete. */
  readonly joinBytes: number[] = [];
  readonly faults: string[] = [];
  readonly #prng: Prng;
  readonly #onChange: () => void;
  #center: Position;
  #pose: Pose | undefined;
  #socket: CountedSocket | undefined;
  #joinCount = 0;
  #openEdits = 0;
  #acknowledged = 0;
  #cuts = 0;

  constructor(url: string, lane: number, lacksGenerators: boolean, prng: Prng, onChange: () => void) {
    this.lane = lane;
    this.lacksGenerators = lacksGenerators;
    this.#prng = prng;
    this.#onChange = onChange;
    this.#center = anyPosition(prng);
    this.world = connectReplica(url, {
      name: `lane ${lane}`,
      timeoutMs: Number.POSITIVE_INFINITY,
      interest: this.#interest(),
      socket: (address) => {
        this.#socket = new CountedSocket(address);
        return this.#socket.socket;
      },
      ...(lacksGenerators ? { generators: new GeneratorRegistry([]) } : {}),
    });
    this.world.onChange(onChange);
    this.world.onEntities(onChange);
    this.world.onStatus((status, { error, goodbye }) => {
      onChange();
      // A killed server sends no goodbye, and these clients give it no reason to.
      if (goodbye !== undefined) this.faults.push(`was disconnected: ${goodbye.reason}: ${goodbye.detail}`);
      if (status === "joined") this.#joined();
      if (status === "closed") this.faults.push(`gave up: ${error}`);
    });
  }

  /** Number of times that it joined. */
  get joinCount(): number {
    return this.#joinCount;
  }

  /** Number of edits without a result. */
  get openEdits(): number {
    return this.#openEdits;
  }

  /** Number of acknowledged edits. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Number of times that its connection was cut, other than by the server. */
  get cuts(): number {
    return this.#cuts;
  }

  /** Its pose, if it ever moved. */
  get pose(): Pose | undefined {
    return this.#pose;
  }

  /** The chunks that it sees. */
  get interest(): Box {
    const middle = chunkOfVoxel(this.world.shape, this.#center);
    const { radiusChunks } = this.#interest();
    return {
      min: positionFrom((axis) => middle[axis] - radiusChunks),
      max: positionFrom((axis) => middle[axis] + radiusChunks + 1),
    };
  }

  /** Moves, builds, and sometimes changes its interest or loses its connection. */
  act(): void {
    const prng = this.#prng;
    if (prng.chance(INTEREST_CHANCE)) {
      this.#center = anyPosition(prng);
      this.world.setInterest(this.#interest());
    }
    this.#pose = {
      position: positionFrom((axis) => this.#center[axis] + prng.between(-256, 256) / 64),
      orientation: [0, 0, 0, 1],
    };
    this.world.move(this.#pose);
    if (this.#openEdits < OPEN_EDITS_MAX) void this.#build();
    if (this.world.status === "joined" && prng.chance(CUT_CHANCE)) {
      this.cut();
    }
  }

  /** Cuts its connection. */
  cut(): void {
    this.#cuts++;
    this.#socket?.cut();
  }

  /** Returns the bytes that a new client with the same interest receives until it is complete. */
  async newClientBytes(url: string): Promise<number> {
    let socket: CountedSocket | undefined;
    const newClient = connectReplica(url, {
      timeoutMs: Number.POSITIVE_INFINITY,
      interest: this.#interest(),
      socket: (address) => {
        socket = new CountedSocket(address);
        return socket.socket;
      },
      ...(this.lacksGenerators ? { generators: new GeneratorRegistry([]) } : {}),
    });
    await newClient.complete();
    await newClient.close();
    return socket?.receivedBytes ?? 0;
  }

  async #build(): Promise<void> {
    const prng = this.#prng;
    const lane = prng.chance(SHARED_LANE_CHANCE) ? SHARED_LANE : this.lane;
    const placements = Array.from({ length: prng.between(1, EDIT_VOXELS_MAX) }, () => ({
      voxel: voxelNear(this.#center, lane, prng),
      block: anyBlock(prng),
    }));
    this.#openEdits++;
    if (lane === this.lane) for (const { voxel, block } of placements) this.built.set(...voxel, block);
    try {
      const result = await this.world.setVoxels(placements);
      if (result.status === "rejected") this.faults.push(`refused: ${result.reason}, ${result.detail}`);
      else this.#acknowledged++;
    } catch (error) {
      this.faults.push(`an edit without an edit result: ${error}`);
    }
    this.#openEdits--;
    this.#onChange();
  }

  #interest(): { readonly center: Position; readonly radiusChunks: number } {
    return {
      center: this.#center,
      radiusChunks: this.lacksGenerators ? NO_GENERATORS_RADIUS_CHUNKS : RADIUS_CHUNKS,
    };
  }

  #joined(): void {
    this.#joinCount++;
    const socket = this.#socket;
    const note = (): void => {
      if (socket !== undefined && socket === this.#socket) this.joinBytes.push(socket.receivedBytes);
    };
    // The client may close or lose this connection before its interest is complete.
    this.world.complete().then(note, () => undefined);
  }
}

/** A client socket that counts received bytes and can be cut. */
class CountedSocket {
  readonly socket: WebSocketLike;
  readonly #webSocket: WebSocket;
  #receivedBytes = 0;

  constructor(url: string) {
    this.#webSocket = new WebSocket(url, { maxPayload: SERVER_FRAME_BYTES_MAX, perMessageDeflate: false });
    this.socket = this.#webSocket;
    this.#webSocket.on("message", (data: ArrayBuffer) => {
      this.#receivedBytes += data.byteLength;
    });
  }

  /** Bytes of all received frames. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Drops the connection without a closing handshake, as a network failure does. */
  cut(): void {
    this.#webSocket.terminate();
  }
}
