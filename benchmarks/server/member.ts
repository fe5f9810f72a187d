import type { Box, Position, Vector } from "@orthant/core";
import { ByteWriter, decode } from "@orthant/core/bytes";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { cubeAt } from "@orthant/core/lattice";
import type { RegionPatch } from "@orthant/core/tree";

import {
  type ClientMessage,
  clientFrameCodec,
  KNOWN_FEATURES,
  PROTOCOL_VERSION,
  type ServerMessage,
  serverFrameCodec,
} from "@orthant/protocol/internal";
import { WebSocket } from "ws";
import type { SharedFrames } from "./shared-frames.ts";

/** Events of a member of the crowd. */
export interface MemberEvents {
  readonly onPatch: (patch: RegionPatch) => void;
  /** A frame arrived. Its bytes include the header of its WebSocket message. */
  readonly onFrame: (bytes: number, messages: readonly ServerMessage[]) => void;
  /** The member has sent its position. */
  readonly onStep: (playerId: bigint, position: Vector) => void;
  readonly onFault: (detail: string) => void;
}

/** One of many clients in a process. */
export interface CrowdMember {
  /** Whether it has everything that it joined for. */
  readonly isComplete: boolean;
  /** Does what keeps an idle client connected. */
  acknowledge(): void;
  /** Sets a voxel. */
  edit(voxel: Position, block: number): void;
  close(): void;
}

/** Shared, because only one frame is written at a time. */
const writer = new ByteWriter();

/**
 * A client of an Orthant server: it reads every message, acknowledges like a real client and notices a
 * gap, but keeps no replica. A thousand full clients would need more of the machine than the measured server.
 */
export class Member implements CrowdMember {
  readonly #socket: WebSocket;
  readonly #boxes: readonly Box[];
  readonly #events: MemberEvents;
  readonly #frames: SharedFrames | undefined;
  #codec = serverFrameCodec(undefined);
  #acknowledged = 0;
  #applied = 0;
  #position: Vector;
  #complete = false;
  #editId = 0;
  #joined = false;
  #playerId = 0n;

  /** With `frames`, it shares the work of decoding with other members. */
  constructor(
    url: string,
    home: Position,
    boxes: readonly Box[],
    events: MemberEvents,
    frames: SharedFrames | undefined,
  ) {
    this.#boxes = boxes;
    this.#frames = frames;
    this.#position = home;
    this.#events = events;
    this.#socket = new WebSocket(url, { perMessageDeflate: false });
    this.#socket.binaryType = "nodebuffer";
    this.#socket.on("open", () => this.#sendHello());
    this.#socket.on("message", (data: Buffer) => this.#receive(data));
    this.#socket.on("error", (error) => events.onFault(error.message));
    this.#socket.on("close", () => (this.#joined = false));
  }

  /** Whether it holds all of its interest. */
  get isComplete(): boolean {
    return this.#complete;
  }

  /** Moves by a step, reports its position, and acknowledges what it received. */
  step(dx: number, dz: number): void {
    if (!this.#joined) return;
    const [x, y, z, w] = this.#position;
    this.#position = [x + dx, y, z + dz, w];
    this.#send([this.#move([dx, 0, dz, 0])]);
    this.#events.onStep(this.#playerId, this.#position);
  }

  /** Only acknowledges what it received: the server disconnects a client that is silent for long. */
  acknowledge(): void {
    if (this.#joined) this.#send([]);
  }

  /** Sets a voxel. */
  edit(voxel: Position, block: number): void {
    this.#send([{ kind: "voxels", editId: ++this.#editId, placements: [{ voxel, block }] }]);
  }

  /** Stops reading from the socket, without notice. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Resumes reading. */
  resumeReading(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.terminate();
  }

  #sendHello(): void {
    this.#send([
      {
        kind: "hello",
        version: PROTOCOL_VERSION,
        generators: DEFAULT_GENERATORS.versionHashes,
        featureBits: KNOWN_FEATURES,
        clientId: crypto.getRandomValues(new BigUint64Array(1))[0] ?? 1n,
        token: new Uint8Array(0),
        name: "member",
        kept: undefined,
        openEditId: 1,
        blocksHash: 0n,
      },
    ]);
  }

  #receive(data: Buffer): void {
    const { number, messages } = this.#frames?.read(this.#codec, data) ?? decode(this.#codec, data);
    if (number !== this.#acknowledged + 1)
      this.#events.onFault(`frame ${number} behind ${this.#acknowledged}`);
    this.#acknowledged = number;
    this.#events.onFrame(data.length + headerBytes(data.length), messages);
    for (const message of messages) this.#handle(message);
  }

  #handle(message: ServerMessage): void {
    switch (message.kind) {
      case "welcome":
        this.#codec = serverFrameCodec(message.shape.volume, message.precision);
        this.#playerId = message.playerId;
        this.#joined = true;
        // It goes to its group before it looks around: no crowd stands where players join.
        this.#send([
          this.#move([0, 0, 0, 0]),
          {
            kind: "interest",
            interestId: 1,
            center: this.#position,
            motion: [0, 0, 0, 0],
            boxes: this.#boxes,
            held: [],
            heldBlank: [],
          },
        ]);
        return;
      case "heartbeat":
        this.#complete = message.complete && message.interestId === 1;
        return;
      case "patch":
        this.#count(message.patch.patchSeq);
        this.#events.onPatch(message.patch);
        return;
      case "blank":
      case "forget":
        this.#count(message.streamNumber);
        return;
      case "goodbye":
        this.#events.onFault(`goodbye: ${message.reason}, ${message.detail}`);
        return;
      case "editResults":
        for (const result of message.results) {
          if (result.status === "rejected")
            this.#events.onFault(`refused: ${result.reason} ${result.detail}`);
        }
        return;
      default:
        return;
    }
  }

  #move(orientation: Vector): ClientMessage {
    const timeMs = Math.floor(performance.now());
    return { kind: "move", timeMs, position: this.#position, orientation };
  }

  #count(streamNumber: number): void {
    if (streamNumber !== this.#applied + 1)
      this.#events.onFault(`item ${streamNumber} behind ${this.#applied}`);
    this.#applied = streamNumber;
  }

  #send(messages: readonly ClientMessage[]): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    writer.clear();
    clientFrameCodec.write(writer, { acknowledged: this.#acknowledged, applied: this.#applied, messages });
    this.#socket.send(Buffer.from(writer.view()));
  }
}

/** Returns the bytes before the payload of a WebSocket message from a server. */
export function headerBytes(payloadBytes: number): number {
  if (payloadBytes < 126) return 2;
  return payloadBytes < 65_536 ? 4 : 10;
}

/** Returns a box of chunks around a chunk. */
export function chunksAround([x, y, z, w]: Position, radius: number): Box {
  return cubeAt([x - radius, y - radius, z - radius, w - radius], radius * 2 + 1);
}
