import { isOrthantError, OrthantError } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import { ByteReader, ByteWriter, type Codec, list } from "@orthant/core/bytes";
import { type TileChunk, tileChunkCodec } from "@orthant/core/chunk";
import { formById, formOf, type Wire1Command } from "./wire1-command.ts";

/** The three datagrams that start and maintain a session. */
export type Wire1Control = "syn" | "ack" | "heartbeat";

/** The content of one datagram. */
export type Wire1Message =
  | { readonly kind: "control"; readonly control: Wire1Control }
  | { readonly kind: "command"; readonly playerId: number; readonly command: Wire1Command }
  | { readonly kind: "chunk"; readonly chunk: TileChunk }
  | ChunkBatch;

/** Unique chunks, ordered by x, then y. */
interface ChunkBatch {
  readonly kind: "batch";
  readonly chunks: readonly TileChunk[];
}

/** The version in the first byte of each datagram. */
const WIRE1_VERSION = 1;
/** Maximum bytes of a datagram over IPv4. */
export const WIRE1_DATAGRAM_BYTES_MAX = 65_507;
/** Maximum number of chunks that fit into a datagram. */
export const WIRE1_BATCH_CHUNKS_MAX = 31;

/** The part of a datagram in which reading failed. */
export type ReadingStage =
  | "version"
  | "legacy"
  | "kind"
  | "length"
  | "control"
  | "command"
  | "unknownCommand"
  | "payload"
  | "chunks";

const CONTROLS: readonly Wire1Control[] = ["syn", "ack", "heartbeat"];
const CONTROL_KIND = 1;
const COMMAND_KIND = 2;
const CHUNK_KIND = 3;
const BATCH_KIND = 4;
const KIND_OF: Readonly<Record<Wire1Message["kind"], number>> = {
  control: CONTROL_KIND,
  command: COMMAND_KIND,
  chunk: CHUNK_KIND,
  batch: BATCH_KIND,
};
const SPACE = 0x20;
const TILDE = 0x7e;

const chunksCodec = list(tileChunkCodec, WIRE1_BATCH_CHUNKS_MAX);

/** One complete datagram. Rules W1 to W24 in docs/formats/wire-v1.md. */
export const wire1Codec: Codec<Wire1Message> = {
  write(out, message) {
    out.u8(WIRE1_VERSION);
    out.u8(KIND_OF[message.kind]);
    const payload = new ByteWriter();
    writePayload(payload, message);
    out.bytes(payload.view(), WIRE1_DATAGRAM_BYTES_MAX);
  },

  read: (input) => readDatagramIn(input, () => undefined),
};

/** Reads a datagram like the codec, and calls `atStage` before each part. */
function readDatagramIn(input: ByteReader, atStage: (stage: ReadingStage) => void): Wire1Message {
  atStage("version");
  const version = input.u8();
  if (version !== WIRE1_VERSION) throw otherVersion(input, version, atStage);
  atStage("kind");
  const kind = input.u8();
  if (kind < CONTROL_KIND || kind > BATCH_KIND) throw input.fail("ORT_TAG", `a message of kind ${kind}`);
  atStage("length");
  const bytes = input.varUint();
  if (bytes !== input.remaining) {
    throw input.fail("ORT_MESSAGE", `${bytes} bytes are announced and ${input.remaining} are there`);
  }
  switch (kind) {
    case CONTROL_KIND:
      atStage("control");
      return ended(input, { kind: "control", control: readControl(input) });
    case COMMAND_KIND:
      return readCommand(input, atStage);
    case CHUNK_KIND:
      atStage("chunks");
      return ended(input, { kind: "chunk", chunk: tileChunkCodec.read(input) });
    default:
      atStage("chunks");
      return ended(input, { kind: "batch", chunks: readBatch(input) });
  }
}

/** Returns true when the bytes begin like a datagram that only a server sends. */
export function isFromServer(datagram: Uint8Array): boolean {
  return datagram[0] === WIRE1_VERSION && (datagram[1] === CHUNK_KIND || datagram[1] === BATCH_KIND);
}

/** Returns true when the bytes begin, with a printable character, like the protocol before Wire v1. */
export function isText([first = 0]: Uint8Array): boolean {
  return first >= SPACE && first <= TILDE;
}

function otherVersion(
  input: ByteReader,
  version: number,
  atStage: (stage: ReadingStage) => void,
): OrthantError {
  if (!isText(Uint8Array.of(version))) {
    return input.fail("ORT_VERSION", `unsupported wire version ${version} (expected ${WIRE1_VERSION})`);
  }
  atStage("legacy");
  return input.fail("ORT_VERSION", "a text message from before Wire v1; the sender has to be updated");
}

function ended<Message>(input: ByteReader, message: Message): Message {
  input.end();
  return message;
}

function readControl(input: ByteReader): Wire1Control {
  const number = input.u8();
  const control = CONTROLS[number - 1];
  if (control === undefined) throw input.fail("ORT_TAG", `a control message of type ${number}`);
  return control;
}

function readCommand(input: ByteReader, atStage: (stage: ReadingStage) => void): Wire1Message {
  atStage("command");
  const playerId = input.varU32();
  const commandId = input.varU32();
  const payload = input.within(input.varUint());
  input.end();
  atStage("unknownCommand");
  const form = formById(commandId);
  if (form === undefined) throw input.fail("ORT_TAG", `a command with the id ${commandId}`);
  atStage("payload");
  return { kind: "command", playerId, command: ended(payload, form.codec.read(payload)) };
}

function readBatch(input: ByteReader): readonly TileChunk[] {
  const chunks = chunksCodec.read(input);
  const problem = findDisorder(chunks);
  if (problem !== undefined) throw input.fail("ORT_MESSAGE", problem);
  return chunks;
}

function writePayload(out: ByteWriter, message: Wire1Message): void {
  switch (message.kind) {
    case "control":
      writeControl(out, message.control);
      break;
    case "command":
      writeCommand(out, message.playerId, message.command);
      break;
    case "chunk":
      tileChunkCodec.write(out, message.chunk);
      break;
    case "batch":
      writeBatch(out, message);
  }
}

function writeControl(out: ByteWriter, control: Wire1Control): void {
  const number = CONTROLS.indexOf(control) + 1;
  requireInteger(number, 1, CONTROLS.length);
  out.u8(number);
}

function writeCommand(out: ByteWriter, playerId: number, command: Wire1Command): void {
  const form = formOf(command);
  if (form === undefined) throw new OrthantError("ORT_ARGUMENT", `there is no command ${command.kind}`);
  const payload = new ByteWriter();
  form.codec.write(payload, command);
  out.varU32(playerId);
  out.varU32(form.id);
  out.bytes(payload.view());
}

function writeBatch(out: ByteWriter, { chunks }: ChunkBatch): void {
  const problem = findDisorder(chunks);
  if (problem !== undefined) throw new OrthantError("ORT_ARGUMENT", problem);
  chunksCodec.write(out, chunks);
}

/** Returns what is wrong with the order of chunks; only one is valid, so that a batch has one encoding. */
function findDisorder(chunks: readonly TileChunk[]): string | undefined {
  for (const [index, { x, y }] of chunks.entries()) {
    const before = chunks[index - 1];
    if (before === undefined || before.x < x || (before.x === x && before.y < y)) continue;
    return `chunk [${x}, ${y}] after chunk [${before.x}, ${before.y}]`;
  }
  return undefined;
}

/** An invalid datagram: the part in which reading failed, and a human-readable detail. */
export interface Unreadable {
  readonly stage: ReadingStage;
  readonly detail: string;
}

/** Reads a datagram, or returns why it is invalid. Never throws, whatever the bytes are. */
export function readDatagram(datagram: Uint8Array): Wire1Message | Unreadable {
  let stage: ReadingStage = "version";
  try {
    return readDatagramIn(new ByteReader(datagram), (next) => {
      stage = next;
    });
  } catch (error) {
    if (isOrthantError(error)) return { stage, detail: error.message };
    throw error;
  }
}
