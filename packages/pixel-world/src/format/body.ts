import { OrthantError } from "@orthant/core";
import {
  requireBytes,
  requireFlag,
  requireId,
  requireInteger,
  requireList,
  requireObject,
  requireWhole,
  wrongArgument,
} from "@orthant/core/arguments";
import { ByteReader, ByteWriter, crc8, I32_MAX, I32_MIN } from "@orthant/core/bytes";
import { type BodyHeader, bodyHeader } from "./layout.ts";
import { BODY_EDGE_MAX, BODY_EXTENSION_BYTES_MAX, BODY_PIXELS_MAX, LAYERS_MAX } from "./limits.ts";
import { decodeSizedBlock, encodeSizedBlock } from "./lz4.ts";

/** Pixels that move as one: a crate, a boulder. Floats have 32-bit precision. */
export interface PixelBody {
  /** Never reused for another body. */
  readonly id: bigint;
  readonly position: readonly [x: number, y: number];
  /** In radians. */
  readonly rotation: number;
  readonly velocity: readonly [x: number, y: number];
  readonly angularVelocity: number;
  readonly width: number;
  readonly height: number;
  /** Start of the grid relative to the position. */
  readonly origin: readonly [x: number, y: number];
  /** `width * height` pixels, row by row, one byte per layer. */
  readonly pixels: Uint8Array;
  /** Which pixels belong to the body: one bit each, lowest first. */
  readonly mask: Uint8Array;
  /** Data that the game stores with the body. */
  readonly extension: Uint8Array;
}

function maskBytes(pixels: number): number {
  return Math.ceil(pixels / 8);
}

/** Packs booleans into a mask. */
export function packMask(solid: readonly boolean[]): Uint8Array {
  requireList("solid", solid, "it is a list of booleans");
  requireWhole("solid.length", solid.length, 0, BODY_PIXELS_MAX);
  const mask = new Uint8Array(maskBytes(solid.length));
  for (let index = 0; index < solid.length; index++) {
    if (requireFlag(`solid[${index}]`, solid[index]))
      mask[index >>> 3] = (mask[index >>> 3] ?? 0) | (1 << (index & 7));
  }
  return mask;
}

/** Whether a body has no pixels left. Such bodies are not stored. */
export function isEmptyBody({ mask }: PixelBody): boolean {
  return mask.every((byte) => byte === 0);
}

/** Returns the position of the chunk that contains a body. */
export function chunkOfBody(
  { position }: Pick<PixelBody, "position">,
  chunkEdge: number,
): readonly [x: number, y: number] {
  const at = (axis: 0 | 1): number => clampI32(Math.floor(Math.fround(position[axis]) / chunkEdge));
  return [at(0), at(1)];
}

/** Returns the chunk that the original assigned a body to. It truncated first, so -0.5 is in chunk 0. */
export function chunkOfBodyVersion1(
  { position }: Pick<PixelBody, "position">,
  chunkEdge: number,
): readonly [x: number, y: number] {
  const at = (axis: 0 | 1): number =>
    Math.floor(clampI32(Math.trunc(Math.fround(position[axis]))) / chunkEdge);
  return [at(0), at(1)];
}

/** Returns the fields of a body, each read once. Throws `ORT_ARGUMENT` for one of the wrong kind. */
function checkedBody(body: PixelBody): PixelBody {
  requireObject("body", body, "it is a PixelBody");
  const {
    id,
    position,
    rotation,
    velocity,
    angularVelocity,
    width,
    height,
    origin,
    pixels,
    mask,
    extension,
  } = body;
  requireId("body.id", id);
  requireBytes("body.pixels", pixels);
  requireBytes("body.mask", mask);
  requireBytes("body.extension", extension);
  for (const [name, value] of Object.entries({ rotation, angularVelocity, width, height })) {
    if (typeof value !== "number") throw wrongArgument(`body.${name}`, value, "it is a number");
  }
  return {
    id,
    position: requirePair("body.position", position),
    rotation,
    velocity: requirePair("body.velocity", velocity),
    angularVelocity,
    width,
    height,
    origin: requirePair("body.origin", origin),
    pixels,
    mask,
    extension,
  };
}

function requirePair(name: string, value: unknown): readonly [x: number, y: number] {
  const [x, y]: readonly unknown[] = Array.isArray(value) && value.length === 2 ? value : [];
  if (typeof x === "number" && typeof y === "number") return [x, y];
  throw wrongArgument(name, value, "it is [x, y], two numbers");
}

/** Encodes a body record, the same in both versions. Throws `ORT_ARGUMENT` for an inconsistent body. */
export function encodeBody(body: PixelBody, pixelBytes: number): Uint8Array {
  requireWhole("pixelBytes", pixelBytes, 1, LAYERS_MAX);
  const checked = checkedBody(body);
  const { id, position, velocity, width, height, origin, pixels, mask, extension } = checked;
  requireInteger(width, 1, BODY_EDGE_MAX, "body.width");
  requireInteger(height, 1, BODY_EDGE_MAX, "body.height");
  const count = width * height;
  requireInteger(count, 1, BODY_PIXELS_MAX, "body.width * body.height");
  requireInteger(pixels.length, count * pixelBytes, count * pixelBytes, "the length of body.pixels");
  requireInteger(mask.length, maskBytes(count), maskBytes(count), "the length of body.mask");
  requireInteger(extension.length, 0, BODY_EXTENSION_BYTES_MAX, "the length of body.extension");
  for (const axis of [0, 1] as const) requireInteger(origin[axis], I32_MIN, I32_MAX, `body.origin[${axis}]`);
  const fault = faultOfMask(mask, count) ?? faultOfNumbers(checked);
  if (fault !== undefined) throw new OrthantError("ORT_ARGUMENT", `body ${id}: ${fault}`);
  const [pixelBlock, maskBlock] = [encodeSizedBlock(pixels), encodeSizedBlock(mask)];
  const out = new ByteWriter(bodyHeader.bytes + pixelBlock.length + maskBlock.length + extension.length);
  const header: BodyHeader = {
    id,
    positionX: position[0],
    positionY: position[1],
    rotation: checked.rotation,
    velocityX: velocity[0],
    velocityY: velocity[1],
    angularVelocity: checked.angularVelocity,
    width,
    height,
    originX: origin[0],
    originY: origin[1],
    pixelBytes: pixelBlock.length,
    maskBytes: maskBlock.length,
    extensionBytes: extension.length,
    crc8: 0,
    reserved: new Uint8Array(3),
  };
  bodyHeader.write(out, header);
  out.raw(pixelBlock);
  out.raw(maskBlock);
  out.raw(extension);
  const record = out.copy();
  record[bodyHeader.offsets.crc8] = headerCrc8(record);
  return record;
}

/** Decodes a body from its record, which must have no other bytes. */
export function decodeBody(record: Uint8Array, pixelBytes: number): PixelBody {
  requireBytes("record", record);
  requireWhole("pixelBytes", pixelBytes, 1, LAYERS_MAX);
  const input = new ByteReader(record);
  const header = bodyHeader.read(input);
  requireBodyHeader(header, record);
  const count = header.width * header.height;
  const pixels = decodeSizedBlock(input.view(header.pixelBytes), count * pixelBytes);
  const mask = decodeSizedBlock(input.view(header.maskBytes), maskBytes(count));
  const extension = input.view(header.extensionBytes).slice();
  input.end();
  const body: PixelBody = {
    id: header.id,
    position: [header.positionX, header.positionY],
    rotation: header.rotation,
    velocity: [header.velocityX, header.velocityY],
    angularVelocity: header.angularVelocity,
    width: header.width,
    height: header.height,
    origin: [header.originX, header.originY],
    pixels,
    mask,
    extension,
  };
  const fault = faultOfMask(mask, count) ?? faultOfNumbers(body);
  if (fault !== undefined) throw new OrthantError("ORT_BLOB", `body ${header.id}: ${fault}`);
  return body;
}

/** Throws unless the header of a record is valid. */
function requireBodyHeader(header: BodyHeader, record: Uint8Array): void {
  const found = headerCrc8(record);
  if (found !== header.crc8) {
    throw new OrthantError("ORT_CHECKSUM", `body ${header.id}: checksum ${header.crc8}, computed ${found}`);
  }
  const { width, height, extensionBytes, reserved } = header;
  const count = width * height;
  if (
    width === 0 ||
    height === 0 ||
    width > BODY_EDGE_MAX ||
    height > BODY_EDGE_MAX ||
    count > BODY_PIXELS_MAX
  ) {
    throw new OrthantError("ORT_LIMIT", `body ${header.id}: a grid of ${width} x ${height}`);
  }
  if (extensionBytes > BODY_EXTENSION_BYTES_MAX) {
    throw new OrthantError("ORT_LIMIT", `body ${header.id}: an extension of ${extensionBytes} bytes`);
  }
  if (reserved.some((byte) => byte !== 0)) {
    throw new OrthantError("ORT_BLOB", `body ${header.id}: reserved bytes are not 0`);
  }
}

const CHECKED_BYTES: readonly (readonly [from: number, to: number])[] = [
  [0, bodyHeader.offsets.velocityX],
  [bodyHeader.offsets.width, bodyHeader.offsets.originX],
];

/** The original's checksum: it covers only id, position, rotation and size. */
function headerCrc8(record: Uint8Array): number {
  return crc8(Uint8Array.from(CHECKED_BYTES.flatMap(([from, to]) => [...record.subarray(from, to)])));
}

function faultOfMask(mask: Uint8Array, count: number): string | undefined {
  const used = count & 7;
  const last = mask.at(-1) ?? 0;
  return used !== 0 && last >>> used !== 0 ? "the mask has bits for pixels that are not there" : undefined;
}

function faultOfNumbers({ position, rotation, velocity, angularVelocity }: PixelBody): string | undefined {
  const numbers = [...position, rotation, ...velocity, angularVelocity];
  return numbers.every((value) => Number.isFinite(Math.fround(value)))
    ? undefined
    : "a number that is not finite";
}

function clampI32(value: number): number {
  // A 32-bit integer has no negative zero.
  return Math.min(Math.max(value, -0x8000_0000), 0x7fff_ffff) | 0;
}
