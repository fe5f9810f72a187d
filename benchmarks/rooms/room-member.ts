import type { Position } from "@orthant/core";
import { WebSocket } from "ws";
import { type CrowdMember, headerBytes } from "../server/member.ts";
import { EDIT_MESSAGE, ROOM_NAME } from "./orders.ts";
import type { RoomReader } from "./room-reader.ts";

/** Kinds of Colyseus messages, which are their first bytes. */
const JOIN_ROOM = 10;
const ROOM_DATA = 13;
const ROOM_STATE = 14;
const ROOM_STATE_PATCH = 15;
/** MessagePack's first byte of a list with five entries. */
const LIST_OF_FIVE = 0x95;
/** Numbers up to this one are their own only byte. */
const SMALL_MAX = 127;

/** Events of a client in a room. */
export interface RoomEvents {
  /** A message arrived. Its bytes include the header of its WebSocket message. */
  readonly onFrame: (bytes: number) => void;
  /** A patch with this many edits arrived. */
  readonly onPatch: (edits: number) => void;
  /** An edit arrived, for a client that watches each. */
  readonly onEdit?: (chunk: Position, index: number) => void;
  readonly onFault: (detail: string) => void;
}

/**
 * A client of a Colyseus room that reads every message but keeps no copy of the state, like a {@link CrowdMember} of an
 * Orthant server. It does what the SDK does: reserves a seat by HTTP, connects, and confirms that it joined.
 */
export class RoomMember implements CrowdMember {
  readonly #reader: RoomReader;
  readonly #events: RoomEvents;
  #socket: WebSocket | undefined;
  #complete = false;
  #hasLeft = false;

  constructor(port: number, reader: RoomReader, events: RoomEvents) {
    this.#reader = reader;
    this.#events = events;
    this.#connect(port).catch((error: unknown) => events.onFault(`${error}`));
  }

  get isComplete(): boolean {
    return this.#complete;
  }

  /** Does nothing: the `ws` package answers the pings of a Colyseus server. */
  acknowledge(): void {}

  edit(voxel: Position, block: number): void {
    const values = [...voxel, block];
    if (values.some((value) => value < 0 || value > SMALL_MAX))
      throw new RangeError(`${values.join()} has a number above ${SMALL_MAX}`);
    if (this.#socket?.readyState === WebSocket.OPEN)
      this.#socket.send(Uint8Array.of(ROOM_DATA, EDIT_MESSAGE, LIST_OF_FIVE, ...values));
  }

  close(): void {
    this.#hasLeft = true;
    this.#socket?.terminate();
  }

  async #connect(port: number): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${port}/matchmake/joinOrCreate/${ROOM_NAME}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
    });
    const { processId, roomId, sessionId } = (await response.json()) as Readonly<Record<string, string>>;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/${processId}/${roomId}?sessionId=${sessionId}`, {
      perMessageDeflate: false,
    });
    socket.binaryType = "nodebuffer";
    socket.on("message", (data: Buffer) => this.#receive(socket, data));
    socket.on("error", (error) => this.#events.onFault(error.message));
    socket.on("close", (code) => {
      if (!this.#hasLeft) this.#events.onFault(`closed with ${code}`);
    });
    this.#socket = socket;
  }

  #receive(socket: WebSocket, data: Buffer): void {
    const { onFrame, onPatch, onEdit, onFault } = this.#events;
    onFrame(data.length + headerBytes(data.length));
    switch (data[0]) {
      case JOIN_ROOM:
        socket.send(Uint8Array.of(JOIN_ROOM));
        return;
      case ROOM_STATE:
        this.#reader.read(data.subarray(1));
        this.#complete = true;
        return;
      case ROOM_STATE_PATCH:
        onPatch(this.#reader.read(data.subarray(1), onEdit));
        return;
      default:
        onFault(`a message of kind ${data[0]}`);
    }
  }
}
