import { type ErrorCode, OrthantError } from "@orthant/core";
import type { DirectoryEntry, Disk, DiskFile, DiskLock, OpenMode } from "@orthant/disk";
import type { Page } from "playwright-core";
import type { WorkerPage } from "./opfs-page.ts";
import type { Answer, Request } from "./opfs-worker.ts";

declare const page: WorkerPage;

/** An object in the worker of a page in a browser. */
export class WorkerThing {
  readonly page: Page;
  readonly #target: number;

  /** Refers to the worker itself, unless `target` names one of its objects. */
  constructor(inPage: Page, target = 0) {
    this.page = inPage;
    this.#target = target;
  }

  /** Calls a method there and returns its value. */
  async call<Value>(method: string, ...parameters: readonly unknown[]): Promise<Value> {
    const answer = await this.#ask(method, parameters);
    if ("value" in answer) return answer.value as Value;
    throw new Error(`${method} gave a thing`);
  }

  /** Calls a method there that returns an object with methods. */
  async thing(method: string, ...parameters: readonly unknown[]): Promise<WorkerThing> {
    const answer = await this.#ask(method, parameters);
    if ("reference" in answer) return new WorkerThing(this.page, answer.reference);
    throw new Error(`${method} gave no thing`);
  }

  async #ask(method: string, parameters: readonly unknown[]): Promise<Answer> {
    const request: Request = { target: this.#target, method, parameters };
    const answer = await this.page.evaluate((asked) => page.ask(asked), request);
    if (!("message" in answer)) return answer;
    if (answer.code === undefined) throw new Error(answer.message);
    throw new OrthantError(answer.code as ErrorCode, answer.message);
  }
}

/** A disk in a browser's worker as a local disk: every call goes there. */
export class WorkerDisk implements Disk {
  readonly #disk: WorkerThing;

  constructor(disk: WorkerThing) {
    this.#disk = disk;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await this.#disk.thing("open", path, mode);
    return {
      size: () => file.call("size"),
      readAt: (offset, length) => file.call("readAt", offset, length),
      append: (bytes) => file.call("append", bytes),
      writeAt: (offset, bytes) => file.call("writeAt", offset, bytes),
      writeDurably: (offset, bytes) => file.call("writeDurably", offset, bytes),
      truncate: (length) => file.call("truncate", length),
      sync: () => file.call("sync"),
      close: () => file.call("close"),
    };
  }

  rename(from: string, to: string): Promise<void> {
    return this.#disk.call("rename", from, to);
  }

  remove(path: string): Promise<boolean> {
    return this.#disk.call("remove", path);
  }

  list(directory: string): Promise<readonly DirectoryEntry[]> {
    return this.#disk.call("list", directory);
  }

  makeDirectory(path: string): Promise<void> {
    return this.#disk.call("makeDirectory", path);
  }

  syncDirectory(directory: string): Promise<void> {
    return this.#disk.call("syncDirectory", directory);
  }

  async lock(path: string): Promise<DiskLock> {
    const lock = await this.#disk.thing("lock", path);
    return {
      ...{ token: "0".repeat(16), isContested: false },
      requireHeld: () => lock.call("requireHeld"),
      settle: () => lock.call("settle"),
      release: () => lock.call("release"),
    };
  }

  close(): Promise<void> {
    return this.#disk.call("close");
  }
}
