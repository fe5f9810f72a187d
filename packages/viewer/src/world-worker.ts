import type { PageMessage, WorkerMessage } from "./message/messages.ts";
import { WorldController } from "./worker/world-controller.ts";

/** The global scope of a worker, which the DOM types lack. */
declare const self: {
  postMessage(message: WorkerMessage, transfer: ArrayBuffer[]): void;
  onmessage: ((event: MessageEvent<PageMessage>) => void) | null;
};

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
});

self.onmessage = ({ data }) => {
  void controller.receive(data);
};
