import type { OrthantError } from "@orthant/core";
import { isDamage } from "@orthant/disk/files";
import type { PixelDamageMode } from "../options.ts";
import type { PixelBodyRef, PixelChunkRef } from "../save.ts";
import type { SkipDamaged } from "./pixel-log.ts";

/** A stored chunk or body that could not be read. */
export interface PixelDamage {
  readonly kind: "chunk" | "body";
  /** Position of the chunk, or of the chunk that contains the body. */
  readonly x: number;
  readonly y: number;
  /** Id of the body; `undefined` for a chunk. */
  readonly id: bigint | undefined;
  /** What is wrong with the bytes. */
  readonly error: OrthantError;
}

/** Throws damage, or collects it once per chunk and body. */
export class DamageLog {
  /** Makes a copy omit damage; `undefined` if damage is thrown. */
  readonly skip: SkipDamaged | undefined;
  readonly #found = new Map<string, PixelDamage>();
  readonly #listeners = new Set<(damage: PixelDamage) => void>();

  constructor(mode: PixelDamageMode) {
    this.skip = mode === "regenerate" ? (ref, error) => this.#add(ref, error) : undefined;
  }

  get all(): readonly PixelDamage[] {
    return [...this.#found.values()];
  }

  /** Calls `listener` for each damage found from now on. Returns an unsubscribe function. */
  listen(listener: (damage: PixelDamage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the result of `read`, or `undefined` after collecting damage. Disk errors are not damage. */
  async unlessDamaged<Value>(
    ref: PixelChunkRef | PixelBodyRef,
    read: () => Promise<Value>,
  ): Promise<Value | undefined> {
    try {
      return await read();
    } catch (error) {
      if (this.skip === undefined || !isDamage(error)) throw error;
      this.skip(ref, error);
      return undefined;
    }
  }

  #add(ref: PixelChunkRef | PixelBodyRef, error: OrthantError): void {
    const { x, y } = ref;
    const id = "id" in ref ? ref.id : undefined;
    const key = id === undefined ? `${x},${y}` : `${id}`;
    if (this.#found.has(key)) return;
    const damage: PixelDamage = { kind: id === undefined ? "chunk" : "body", x, y, id, error };
    this.#found.set(key, damage);
    for (const listener of [...this.#listeners]) listener(damage);
  }
}
