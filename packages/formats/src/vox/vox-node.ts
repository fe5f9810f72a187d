import { OrthantError } from "@orthant/core";

/** A key frame of a transform. */
interface VoxFrame {
  readonly frame: number;
  readonly rotation: string | undefined;
  readonly translation: string | undefined;
}

/** A node of a scene. */
export type VoxNode =
  | {
      readonly kind: "transform";
      readonly child: number;
      readonly layer: number;
      readonly name: string | undefined;
      readonly isHidden: boolean;
      readonly frames: readonly VoxFrame[];
    }
  | { readonly kind: "group"; readonly children: readonly number[] }
  | {
      readonly kind: "shape";
      readonly models: readonly { readonly model: number; readonly frame: number }[];
    };

/** A layer of a scene. */
export interface VoxLayer {
  readonly name: string | undefined;
  readonly isHidden: boolean;
}

/** Reads the content of the chunks that make a scene. Every count is compared with the bytes that are left. */
export class VoxNodeReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(content: Uint8Array) {
    this.#bytes = content;
    this.#view = new DataView(content.buffer, content.byteOffset, content.length);
  }

  /** Reads a signed number. */
  i32(): number {
    if (this.#bytes.length - this.#offset < 4) throw this.#broken("is cut");
    const value = this.#view.getInt32(this.#offset, true);
    this.#offset += 4;
    return value;
  }

  /** Reads the content of `nTRN`. */
  transform(): VoxNode {
    const attributes = this.#attributes();
    const child = this.i32();
    this.i32();
    const layer = this.i32();
    const frames: VoxFrame[] = [];
    for (let left = this.#count(4); left > 0; left--) {
      const frame = this.#attributes();
      frames.push({ frame: frameOf(frame), rotation: frame.get("_r"), translation: frame.get("_t") });
    }
    const isHidden = attributes.get("_hidden") === "1";
    return { kind: "transform", child, layer, name: attributes.get("_name"), isHidden, frames };
  }

  /** Reads the content of `nGRP`. */
  group(): VoxNode {
    this.#attributes();
    const children: number[] = [];
    for (let left = this.#count(4); left > 0; left--) children.push(this.i32());
    return { kind: "group", children };
  }

  /** Reads the content of `nSHP`. */
  shape(): VoxNode {
    this.#attributes();
    const models: { model: number; frame: number }[] = [];
    for (let left = this.#count(8); left > 0; left--) {
      const model = this.i32();
      models.push({ model, frame: frameOf(this.#attributes()) });
    }
    return { kind: "shape", models };
  }

  /** Reads the content of `LAYR`. */
  layer(): VoxLayer {
    const attributes = this.#attributes();
    return { name: attributes.get("_name"), isHidden: attributes.get("_hidden") === "1" };
  }

  #attributes(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (let left = this.#count(8); left > 0; left--) {
      const name = this.#text();
      found.set(name, this.#text());
    }
    return found;
  }

  #text(): string {
    const length = this.#count(1);
    const start = this.#offset;
    this.#offset += length;
    let text = "";
    for (const byte of this.#bytes.subarray(start, this.#offset)) text += String.fromCharCode(byte);
    return text;
  }

  #count(bytesMin: number): number {
    const count = this.i32();
    const left = this.#bytes.length - this.#offset;
    if (count < 0 || count > left / bytesMin) throw this.#broken(`states ${count} parts in ${left} bytes`);
    return count;
  }

  #broken(detail: string): OrthantError {
    return new OrthantError("ORT_FOREIGN", `it ${detail} at byte ${this.#offset} of its content`);
  }
}

function frameOf(attributes: ReadonlyMap<string, string>): number {
  const frame = Number(attributes.get("_f") ?? 0);
  return Number.isSafeInteger(frame) ? frame : 0;
}
