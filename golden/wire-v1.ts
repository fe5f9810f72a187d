import { deepEqual, equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { decode, encode } from "@orthant/core/bytes";
import { type TileChunk, tileChunkCodec } from "@orthant/core/chunk";
import {
  readDatagram,
  WIRE1_BATCH_CHUNKS_MAX,
  type Wire1Message,
  wire1Codec,
} from "@orthant/protocol/internal";
import { fromHex, toHex } from "@orthant/testkit";
import { goldenPath } from "@orthant/testkit/golden";
import { type GoldenRow, type GoldenSuite, parseJson, row } from "./suite.ts";
import { converse } from "./wire1/conversation.ts";
import { type DescribedMessage, describedMessage } from "./wire1/wire1-described.ts";
import { DIFFERENCES, type OurVerdict, REFUSED_MESSAGES, STAGES } from "./wire1/wire1-verdicts.ts";

interface MessageRow extends DescribedMessage {
  readonly hex?: string;
  readonly hex_file?: string;
  readonly sha256?: string;
  readonly datagram_size?: number;
  readonly fits_udp_65507?: boolean;
}

interface MalformedRow {
  readonly name: string;
  readonly hex: string;
  readonly verdict: "accepted" | "rejected" | "partially_accepted";
  readonly reason: string;
  readonly canonical?: boolean;
}

interface SpokenRow {
  readonly dir: "c>s" | "s>c";
  readonly hex?: string;
  readonly size?: number;
  readonly sha256?: string;
}

const DATAGRAM_BYTES_MAX = 65_507;
/** The initial sync: 25 chunks around the origin. */
const SYNC_RADIUS_CHUNKS = 2;

/** Datagrams of Wire v1, compared with what the original wrote and accepted. */
export const wire1Suites: readonly GoldenSuite[] = [
  {
    file: "wire-v1/vectors.json",
    async check(file) {
      const { vectors, malformed } = parseJson<{ vectors: MessageRow[]; malformed: MalformedRow[] }>(file);
      const messages = await Promise.all(vectors.map(checkMessage));
      return [...messages, ...malformed.map(checkMalformed)];
    },
  },
  { file: "wire-v1/initial_sync_25_generated.bin", check: async (file) => [checkSync(file)] },
  { file: "wire-v1/live_initial_sync.bin", check: async (file) => [checkSync(file)] },
  {
    file: "wire-v1/live_transcript.json",
    async check(file) {
      const spoken = parseJson<SpokenRow[]>(file);
      return [...spoken.map(checkSpoken), ...(await checkConversation(spoken))];
    },
  },
];

async function checkMessage(vector: MessageRow): Promise<GoldenRow> {
  const { name, hex, hex_file: file } = vector;
  if (file !== undefined) {
    const bytes = await readFile(goldenPath("wire-v1", file));
    return row(name, () => {
      equal(sha256(bytes), vector.sha256);
      checkBothWays(bytes, undefined);
    });
  }
  return row(name, () => {
    if (hex === undefined) checkSize(vector);
    else if (REFUSED_MESSAGES.includes(name)) equal(verdictOn(fromHex(hex)), "chunks");
    else checkBothWays(fromHex(hex), describedMessage(vector));
  });
}

/** The bytes decode to the message, and the message encodes to exactly these bytes. */
function checkBothWays(bytes: Uint8Array, message: Wire1Message | undefined): void {
  const read = decode(wire1Codec, bytes);
  if (message !== undefined) {
    deepEqual(read, message);
    equal(toHex(encode(wire1Codec, message)), toHex(bytes));
  }
  deepEqual(encode(wire1Codec, read), new Uint8Array(bytes));
}

/** Rows with only a size: how many chunks fit a datagram. */
function checkSize({ fields, datagram_size: size, fits_udp_65507: fits }: MessageRow): void {
  const count = fields.chunk_count ?? 0;
  const chunk: TileChunk = { x: 0, y: 0, tiles: new Uint16Array(1024) };
  const sizes = Array.from({ length: count }, (_, x) => encode(tileChunkCodec, { ...chunk, x }).length);
  const payload = sizes.reduce((sum, bytes) => sum + bytes, 1);
  const bytes = 2 + 3 + payload;
  equal(bytes, size);
  equal(bytes <= DATAGRAM_BYTES_MAX, fits);
  equal(count <= WIRE1_BATCH_CHUNKS_MAX, fits);
}

function checkMalformed({ name, hex, verdict, reason, canonical }: MalformedRow): GoldenRow {
  return row(name, () => {
    const bytes = fromHex(hex);
    const ours = verdictOn(bytes);
    const difference = DIFFERENCES[name];
    if (difference !== undefined) {
      ok(verdict !== "rejected", "the original refuses this too: that is not a difference");
      equal(ours, difference);
      return;
    }
    if (verdict === "accepted") {
      equal(canonical, true);
      equal(ours, "accepted");
      checkBothWays(bytes, undefined);
      return;
    }
    ok((STAGES[reason] ?? ["chunks"]).includes(ours), `we say ${ours}, the original ${reason}`);
  });
}

function checkSync(bytes: Uint8Array): GoldenRow {
  return row("25 chunks around the origin, by x and then y", () => {
    checkBothWays(bytes, undefined);
    const read = decode(wire1Codec, bytes);
    const positions = read.kind === "batch" ? read.chunks.map(({ x, y }) => [x, y]) : [];
    const edge = 2 * SYNC_RADIUS_CHUNKS + 1;
    const expected = Array.from({ length: edge * edge }, (_, index) => [
      Math.floor(index / edge) - SYNC_RADIUS_CHUNKS,
      (index % edge) - SYNC_RADIUS_CHUNKS,
    ]);
    deepEqual(positions, expected);
  });
}

function checkSpoken({ dir, hex, size, sha256: digest }: SpokenRow, index: number): GoldenRow {
  return row(`${index + 1}, ${dir}`, () => {
    if (hex === undefined) equal(digest, "646ba26b48d106ffbd28d28cd2bb5332823f905c191251e63719026a1d5a9522");
    else {
      const bytes = fromHex(hex);
      checkBothWays(bytes, undefined);
      if (size !== undefined) equal(bytes.length, size);
      if (digest !== undefined) equal(sha256(bytes), digest);
    }
  });
}

/** The same exchange over UDP: an ACK, the same chunks, one per datagram, and the same answer to a tile. */
async function checkConversation(spoken: readonly SpokenRow[]): Promise<readonly GoldenRow[]> {
  const initialSync = await readFile(goldenPath("wire-v1", "live_initial_sync.bin"));
  const [syn, ack, , setTile, shown] = spoken;
  const { answers, chunks, shown: ours } = await converse(initialSync, setTile?.hex ?? "");
  return [
    row("our server answers a SYN by an ACK, and a SYN of its own", () =>
      deepEqual(answers, [ack?.hex, syn?.hex]),
    ),
    row("our server sends the same initial sync, chunk by chunk", () =>
      deepEqual(encode(wire1Codec, { kind: "batch", chunks }), new Uint8Array(initialSync)),
    ),
    row("our server answers a tile by the same datagram", () => equal(ours, shown?.hex)),
  ];
}

function verdictOn(bytes: Uint8Array): OurVerdict {
  const read = readDatagram(bytes);
  return "stage" in read ? read.stage : "accepted";
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
