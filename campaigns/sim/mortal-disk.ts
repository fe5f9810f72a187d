import type { Clock } from "@orthant/core";
import type { DirectoryEntry, Disk, DiskFile, DiskLock, MemoryDisk, OpenMode } from "@orthant/disk";
import type { Prng } from "@orthant/testkit";

/** How slow a disk is, in virtual time. */
export interface DiskPace {
  /** The chance that an operation takes its time; the others are done at once. */
  readonly slowChance: number;
  readonly slowMsMax: number;
}

/**
 * The disk of one life of a server. Its operations take their time, and from the moment of a crash none of them is
 * made, nor ever answered: whoever was at work is gone.
 */
export class MortalDisk implements Disk {
  readonly #disk: MemoryDisk;
  readonly #clock: Clock;
  readonly #prng: Prng;
  /** May be changed at any time. */
  pace: DiskPace = { slowChance: 0, slowMsMax: 0 };
  #isDead = false;

  constructor(disk: MemoryDisk, clock: Clock, prng: Prng) {
    this.#disk = disk;
    this.#clock = clock;
    this.#prng = prng;
  }

  /** Ends all work on the disk, in the middle of whatever was done. */
  kill(): void {
    this.#isDead = true;
  }

  /** Makes one operation, in its time, if there is still somebody who wants it. */
  async make<Result>(operation: () => Promise<Result>): Promise<Result> {
    const { slowChance, slowMsMax } = this.pace;
    if (slowChance > 0 && this.#prng.chance(slowChance)) {
      const delayMs = this.#prng.between(1, slowMsMax);
      await new Promise<void>((resolve) => this.#clock.after(delayMs, resolve));
    }
    if (this.#isDead) return new Promise<never>(() => undefined);
    return operation();
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    return new MortalFile(this, await this.make(() => this.#disk.open(path, mode)));
  }

  rename(from: string, to: string): Promise<void> {
    return this.make(() => this.#disk.rename(from, to));
  }

  remove(path: string): Promise<boolean> {
    return this.make(() => this.#disk.remove(path));
  }

  list(directory: string): Promise<readonly DirectoryEntry[]> {
    return this.make(() => this.#disk.list(directory));
  }

  makeDirectory(path: string): Promise<void> {
    return this.make(() => this.#disk.makeDirectory(path));
  }

  syncDirectory(directory: string): Promise<void> {
    return this.make(() => this.#disk.syncDirectory(directory));
  }

  lock(path: string): Promise<DiskLock> {
    return this.make(() => this.#disk.lock(path));
  }
}

class MortalFile implements DiskFile {
  readonly #disk: MortalDisk;
  readonly #file: DiskFile;

  constructor(disk: MortalDisk, file: DiskFile) {
    this.#disk = disk;
    this.#file = file;
  }

  size(): Promise<number> {
    return this.#disk.make(() => this.#file.size());
  }

  readAt(offset: number, length: number): Promise<Uint8Array> {
    return this.#disk.make(() => this.#file.readAt(offset, length));
  }

  append(bytes: Uint8Array): Promise<number> {
    return this.#disk.make(() => this.#file.append(bytes));
  }

  writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    return this.#disk.make(() => this.#file.writeAt(offset, bytes));
  }

  writeDurably(offset: number, bytes: Uint8Array): Promise<void> {
    return this.#disk.make(() => this.#file.writeDurably(offset, bytes));
  }

  truncate(length: number): Promise<void> {
    return this.#disk.make(() => this.#file.truncate(length));
  }

  sync(): Promise<void> {
    return this.#disk.make(() => this.#file.sync());
  }

  close(): Promise<void> {
    return this.#disk.make(() => this.#file.close());
  }
}
