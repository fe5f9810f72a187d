import { isOrthantError } from "@orthant/core";
import { OpfsDisk } from "@orthant/disk/browser";
import type { Answer, Request } from "./opfs-worker.ts";

interface PageWorker {
  addEventListener(type: "message", listener: (event: { readonly data: Given }) => void): void;
  postMessage(message: unknown): void;
  terminate(): void;
}

type Given = { readonly id: number; readonly given: Answer } | { readonly noted: number };

declare const Worker: new (url: string, options: { readonly type: "module" }) => PageWorker;

/** What a test asks the page to do. */
export interface WorkerPage {
  /** Sends a request to the worker, and starts it first if there is none. */
  ask(request: Request): Promise<Answer>;
  /** Ends the worker in the middle of whatever it does. Returns the last edit that it reported. */
  endWorker(): number;
  /** Returns the last edit that the worker reported as durable. */
  noted(): number;
  /** Returns the error code of opening a disk in the page, without a worker. */
  openHere(): Promise<string>;
}

let worker: PageWorker | undefined;
let nextId = 0;
let noted = 0;
const waiting = new Map<number, (answer: Answer) => void>();

function started(): PageWorker {
  if (worker !== undefined) return worker;
  const begun = new Worker("/worker.js", { type: "module" });
  begun.addEventListener("message", ({ data }) => {
    if ("noted" in data) noted = data.noted;
    else {
      waiting.get(data.id)?.(data.given);
      waiting.delete(data.id);
    }
  });
  worker = begun;
  return begun;
}

const page: WorkerPage = {
  ask: (request) =>
    new Promise((resolve) => {
      waiting.set(nextId, resolve);
      started().postMessage({ id: nextId, request });
      nextId++;
    }),
  endWorker() {
    worker?.terminate();
    worker = undefined;
    return noted;
  },
  noted: () => noted,
  openHere: () =>
    OpfsDisk.open("here").then(
      () => "no error",
      (error: unknown) => (isOrthantError(error) ? error.code : String(error)),
    ),
};

Object.assign(globalThis, { page });
