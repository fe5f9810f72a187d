import { ByteReader, type Codec, magic } from "@orthant/core";
import { variants } from "../../message/variants.ts";
import { WIRE1_DATAGRAM_BYTES_MAX } from "../message/datagram-codec.ts";

/** A received datagram or a server tick. Rules W60 to W63 in docs/formats/wire-v1.md. */
export type Wire1Event = Wire1TickEvent | Wire1DatagramEvent;

/** A tick of the server. */
export interface Wire1TickEvent {
  readonly kind: "tick";
  /** Milliseconds since the previous event. */
  readonly afterMs: number;
}

/** A received datagram. */
export interface Wire1DatagramEvent {
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
export const wire1RecordingHeaderCodec: Codec<undefined> = {
  write(out) {
    magicCodec.write(out, MAGIC);
    out.varUint(VERSION);
  },
  read(input) {
    magicCodec.read(input);
    const version = input.varUint();
    if (version !== VERSION)
      throw input.fail("ORT_VERSION", `a recording of version ${version}, known is ${VERSION}`);
    return undefined;
  },
};

/** One event. Its datagram may contain anything, like all network input. */
export const wire1EventCodec: Codec<Wire1Event> = variants<Wire1Event>({
  tick: {
    write: (out, { afterMs }) => out.varUint(afterMs),
    read: (input) => ({ kind: "tick", afterMs: input.varUint() }),
  },
  datagram: {
    write(out, { afterMs, address, port, datagram }) {
      out.varUint(afterMs);
      out.varUint(address);
      out.u16(port);
      out.bytes(datagram, WIRE1_DATAGRAM_BYTES_MAX);
    },
    read: (input) => ({
      kind: "datagram",
      afterMs: input.varUint(),
      address: input.varUint(),
      port: input.u16(),
      datagram: input.bytes(WIRE1_DATAGRAM_BYTES_MAX),
    }),
  },
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
