import type { Box } from "@orthant/core";
import { type Codec, decode, encode } from "@orthant/core/bytes";
import type { Goodbye } from "@orthant/protocol";
import { type ClientMessage, clientFrameCodec, type ServerFrame } from "@orthant/protocol/internal";
import type { ServerSession, SyncServer } from "@orthant/protocol/server";
import type { Prng } from "@orthant/testkit";
import { type AttackerState, helloOf, hostileFrame, interestOf } from "./hostile-frames.ts";

/** How far an attacker acts as an honest client before it attacks. */
export const ATTACK_STAGES = ["connected", "welcomed", "interested", "building"] as const;
type AttackStage = (typeof ATTACK_STAGES)[number];

/** Larger frames are decoded only when they are the last: decoding all would take most of the time. */
const READ_BYTES_MAX = 2_048;
const EDITS_AT_ONCE = 5;
const FIRST_INTEREST: Box = { min: [-4, 0, 0, 0], max: [4, 1, 1, 1] };

/** A hostile connection to a server in the same process. */
export class ProtocolAttacker implements AttackerState {
  readonly clientId: bigint;
  readonly stage: AttackStage;
  /** Ids of the edits that the server has answered. */
  readonly answeredIds = new Set<number>();
  readonly #session: ServerSession;
  readonly #codec: Codec<ServerFrame>;
  readonly #onFault: (detail: string) => void;
  #acknowledged = 0;
  #applied = 0;
  #nextInterestId = 1;
  #nextEditId = 1;
  #lastFrame: Uint8Array | undefined;
  #goodbye: Goodbye | undefined;
  #closes = 0;
  #isGone = false;

  constructor(
    server: SyncServer,
    codec: Codec<ServerFrame>,
    clientId: bigint,
    stage: AttackStage,
    onFault: (detail: string) => void,
  ) {
    this.clientId = clientId;
    this.stage = stage;
    this.#codec = codec;
    this.#onFault = onFault;
    this.#session = server.connect({ send: (frame) => this.#receive(frame), close: () => this.#close() });
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  get applied(): number {
    return this.#applied;
  }

  get nextInterestId(): number {
    return this.#nextInterestId;
  }

  get nextEditId(): number {
    return this.#nextEditId;
  }

  /** Whether the server has ended the connection. */
  get isClosed(): boolean {
    return this.#closes > 0;
  }

  /** Why the server ended the connection. */
  get goodbye(): Goodbye | undefined {
    return this.#goodbye;
  }

  /** Sends a hello, unless it is a stranger. */
  sendHello(change: Parameters<typeof helloOf>[1]): void {
    if (this.stage !== "connected") this.#sendMessages([helloOf(this.clientId, change)]);
  }

  /** Acts out its stage after the welcome. */
  actHonestly(): void {
    if (this.stage === "interested" || this.stage === "building") {
      this.#sendMessages([interestOf(this.#nextInterestId, [FIRST_INTEREST])]);
      this.#nextInterestId++;
    }
    if (this.stage !== "building") return;
    const edits = Array.from(
      { length: EDITS_AT_ONCE },
      (): ClientMessage => ({
        kind: "voxels",
        editId: this.#nextEditId++,
        placements: [{ voxel: [this.#nextEditId, 0, 0, 0], block: 1 }],
      }),
    );
    this.#sendMessages(edits);
  }

  /** Sends an edit for each of these ids. */
  edit(ids: readonly number[]): void {
    this.#sendMessages(
      ids.map((editId) => ({
        kind: "voxels",
        editId,
        placements: [{ voxel: [editId % 8, 0, 0, 0], block: 1 + (editId % 9) }],
      })),
    );
  }

  /** Sends a hostile frame and returns it. */
  attack(recorded: readonly Uint8Array[], prng: Prng): Uint8Array {
    const frame = hostileFrame(this, recorded, prng);
    this.#nextInterestId += prng.below(2);
    this.#nextEditId += prng.below(2);
    this.#session.receive(frame);
    return frame;
  }

  /** Disconnects without a message. */
  leave(): void {
    this.#isGone = true;
    this.#session.disconnected();
  }

  #sendMessages(messages: readonly ClientMessage[]): void {
    if (this.isClosed) return;
    const frame = { acknowledged: this.#acknowledged, applied: this.#applied, messages };
    this.#session.receive(encode(clientFrameCodec, frame));
  }

  #receive(frame: Uint8Array): void {
    if (this.isClosed || this.#isGone) this.#onFault("a frame came after the end");
    this.#lastFrame = frame;
    this.#acknowledged++;
    if (frame.length > READ_BYTES_MAX) return;
    const { number, messages } = this.#read(frame);
    if (number !== this.#acknowledged) this.#onFault(`frame ${number} came as number ${this.#acknowledged}`);
    for (const message of messages) {
      if (message.kind === "heartbeat") this.#applied = message.sent;
      if (message.kind === "editResults")
        for (const { editId } of message.results) this.answeredIds.add(editId);
    }
  }

  #close(): void {
    this.#closes++;
    if (this.#closes > 1) this.#onFault("closed twice");
    const last = this.#lastFrame === undefined ? undefined : this.#read(this.#lastFrame).messages.at(-1);
    if (last?.kind === "goodbye") this.#goodbye = last;
    else this.#onFault(`closed after ${last?.kind ?? "nothing"} instead of a goodbye`);
  }

  #read(frame: Uint8Array): ServerFrame {
    return decode(this.#codec, frame);
  }
}
