import {
  ByteReader,
  bytes,
  type Codec,
  constant,
  encode,
  magic,
  record,
  u16,
  variants,
  varUint,
} from "@orthant/core/bytes";
import { WIRE1_DATAGRAM_BYTES_MAX } from "./message/wire1-message.ts";
import type { Wire1Address } from "./server/wire1-server-options.ts";

/** A received datagram or a server tick. Rules W60 to W63 in docs/formats/wire-v1.md. */
export type Wire1Event = Wire1TickEvent | Wire1DatagramEvent;

/** A tick of the server. */
interface Wire1TickEvent {
  readonly kind: "tick";
  /** Milliseconds since the previous event. */
  readonly afterMs: number;
}

/** A received datagram. */
interface Wire1DatagramEvent {
  readonly kind: "datagram";
  /** Milliseconds since the previous event. */
  readonly afterMs: number;
  /** Numbers the addresses of a recording, from 0, in the order of their first datagrams. */
  readonly address: number;
  readonly port: number;
  readonly datagram: Uint8Array;
}

const MAGIC = "OW1R";
const VERSION = 1;

const magicCodec: Codec<typeof MAGIC> = magic(MAGIC);

/** The header of a recording. */
const wire1RecordingHeaderCodec: Codec<undefined> = {
  write(out) {
    magicCodec.write(out, MAGIC);
    out.varUint(VERSION);
  },
  read(input) {
    magicCodec.read(input);
    const version = input.varUint();
    if (version !== VERSION)
      throw input.fail("ORT_VERSION", `unsupported version ${version} of a recording (expected ${VERSION})`);
    return undefined;
  },
};

/** One event. Its datagram may contain anything, like all network input. */
const wire1EventCodec: Codec<Wire1Event> = variants<Wire1Event>({
  tick: record<Wire1TickEvent>({ kind: constant("tick"), afterMs: varUint }),
  datagram: record<Wire1DatagramEvent>({
    kind: constant("datagram"),
    afterMs: varUint,
    address: varUint,
    port: u16,
    datagram: bytes(WIRE1_DATAGRAM_BYTES_MAX),
  }),
});

/**
 * Yields the events of a recording in order. Throws at the point where it is damaged, and `ORT_TRUNCATED`
 * where it was cut off, after yielding all events before that.
 */
export function* readWire1Recording(recording: Uint8Array): Generator<Wire1Event, void> {
  const input = new ByteReader(recording);
  wire1RecordingHeaderCodec.read(input);
  let addresses = 0;
  while (input.remaining > 0) {
    const event = wire1EventCodec.read(input);
    if (event.kind === "datagram") {
      if (event.address > addresses) {
        throw input.fail("ORT_MESSAGE", `address ${event.address} where ${addresses} is the next new one`);
      }
      addresses = Math.max(addresses, event.address + 1);
    }
    yield event;
  }
}

/** Maximum bytes of a recording, because any sender can fill it. */
export const WIRE1_RECORDING_BYTES_MAX = 268_435_456;

/** Records the received datagrams and the ticks of a server for replay. Addresses are replaced by numbers. */
export class Wire1Recorder {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #addresses = new Map<string, number>();
  #lastMs: number;
  #bytesLeft: number;

  /** Calls `write` with each piece of the recording, the first one at once. */
  constructor(
    write: (bytes: Uint8Array) => void,
    nowMs: number,
    bytesMax: number = WIRE1_RECORDING_BYTES_MAX,
  ) {
    this.#write = write;
    this.#lastMs = nowMs;
    this.#bytesLeft = bytesMax;
    this.#add(encode(wire1RecordingHeaderCodec, undefined));
  }

  /** Records a datagram of any content. Call it before the server receives the datagram. */
  datagram(from: Wire1Address, datagram: Uint8Array, nowMs: number): void {
    const address = this.#addresses.get(from.address) ?? this.#addresses.size;
    const { port } = from;
    const event: Wire1Event = { kind: "datagram", afterMs: this.#afterMs(nowMs), address, port, datagram };
    if (this.#add(encode(wire1EventCodec, event))) this.#addresses.set(from.address, address);
  }

  tick(nowMs: number): void {
    this.#add(encode(wire1EventCodec, { kind: "tick", afterMs: this.#afterMs(nowMs) }));
  }

  /** Returns whole milliseconds since the previous event. The remainder counts towards the next one. */
  #afterMs(nowMs: number): number {
    const afterMs = Math.max(0, Math.floor(nowMs - this.#lastMs));
    this.#lastMs += afterMs;
    return afterMs;
  }

  /** Returns false once the recording is full. Nothing is added after that, so that it has no gap. */
  #add(bytes: Uint8Array): boolean {
    if (bytes.length > this.#bytesLeft) {
      this.#bytesLeft = 0;
      return false;
    }
    this.#bytesLeft -= bytes.length;
    this.#write(bytes);
    return true;
  }
}

/** The target of a replay: a Wire v1 server and its sync server, on a clock that stands still between events. */
export interface Wire1ReplayTarget {
  advance(ms: number): void;
  /** Passes a datagram to the server. */
  receive(from: Wire1Address, datagram: Uint8Array): void;
  /** Ticks the Wire v1 server, then the sync server, and waits until their work is done. */
  tick(): Promise<void>;
}

/** Statistics of a replay. */
export interface Wire1Replay {
  readonly ticks: number;
  readonly datagrams: number;
  readonly durationMs: number;
}

/**
 * Replays a recording, or events of one. Two stages that start equal end equal. They also match the recorded server if it, too,
 * finished its work between ticks and nothing else changed its world.
 */
export async function replayWire1(
  recording: Uint8Array | Iterable<Wire1Event>,
  stage: Wire1ReplayTarget,
): Promise<Wire1Replay> {
  let [ticks, datagrams, durationMs] = [0, 0, 0];
  const events = recording instanceof Uint8Array ? readWire1Recording(recording) : recording;
  for (const event of events) {
    stage.advance(event.afterMs);
    durationMs += event.afterMs;
    if (event.kind === "tick") {
      ticks++;
      await stage.tick();
    } else {
      datagrams++;
      stage.receive({ address: `recorded ${event.address}`, port: event.port }, event.datagram);
    }
  }
  return { ticks, datagrams, durationMs };
}
