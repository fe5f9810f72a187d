import { serveMeshes } from "@orthant/worker-pool/browser";
import type { PageMessage, WorkerMessage } from "../message/messages.ts";
import { WorldController, type WorldControllerOptions } from "./world-controller.ts";

/** The global scope of a worker, which the DOM types lack. */
declare const self: {
  postMessage(message: WorkerMessage, transfer: ArrayBuffer[]): void;
  onmessage: ((event: MessageEvent<PageMessage>) => void) | null;
};

/** Makes this worker one that holds a world and answers the page's messages, or one that meshes, as the first message says. */
export function runWorker(options: Omit<WorldControllerOptions, "send" | "soon"> = {}): void {
  self.onmessage = ({ data }) => {
    self.onmessage = null;
    if (data.kind === "serveMeshes") serveMeshes();
    else holdWorld(options, data);
  };
}

function holdWorld(options: Omit<WorldControllerOptions, "send" | "soon">, first: PageMessage): void {
  const channel = new MessageChannel();
  let planned: (() => void)[] = [];
  channel.port1.onmessage = () => {
    const work = planned;
    planned = [];
    for (const each of work) each();
  };
  const controller = new WorldController({
    send: (message, transfer) => self.postMessage(message, [...transfer]),
    soon(work) {
      planned.push(work);
      channel.port2.postMessage(undefined);
    },
    ...options,
  });
  self.onmessage = ({ data }) => {
    void controller.receive(data);
  };
  void controller.receive(first);
}
