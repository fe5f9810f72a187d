import type { OrthantError } from "@orthant/core";
import { ListenerSet } from "@orthant/core/world";
import { isDamage } from "@orthant/disk/files";
import type { PixelBodyRef, PixelChunkRef } from "../format/save.ts";
import type { SkipDamaged } from "./copy-live.ts";
import type { PixelDamageMode } from "./options.ts";

/** A stored chunk or body that could not be read, or the tables that name all of them. */
export interface PixelDamage {
  readonly kind: "chunk" | "body" | "tables";
  /** Position of the chunk, or of the chunk that contains the body; `undefined` for the tables. */
  readonly x: number | undefined;
  readonly y: number | undefined;
  /** Id of the body; `undefined` for anything else. */
  readonly id: bigint | undefined;
  /** What is wrong with the bytes. */
  readonly error: OrthantError;
}

/** Throws damage, or collects it once per chunk and body. */
export class DamageLog {
  /** Makes a copy omit damage; `undefined` if damage is thrown. */
  readonly skip: SkipDamaged | undefined;
  readonly #found = new Map<string, PixelDamage>();
  readonly #listeners = new ListenerSet<[PixelDamage]>();

  /** `tables` is the damage of the tables, if the world was opened without them. */
  constructor(mode: PixelDamageMode, tables?: OrthantError) {
    if (tables !== undefined)
      this.#found.set("tables", { kind: "tables", x: undefined, y: undefined, id: undefined, error: tables });
    this.skip = mode === "regenerate" ? (ref, error) => this.#add(ref, error) : undefined;
  }

  get all(): readonly PixelDamage[] {
    return [...this.#found.values()];
  }

  /** Calls `listener` for each damage found from now on. Returns an unsubscribe function. */
  listen(listener: (damage: PixelDamage) => void): () => void {
    return this.#listeners.add(listener);
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
    this.#listeners.emit(damage);
  }
}
