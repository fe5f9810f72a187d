import type { PageMessage, WorkerMessage } from "../message/messages.ts";
import { WorldController, type WorldControllerOptions } from "./world-controller.ts";

/** The global scope of a worker, which the DOM types lack. */
declare const self: {
  postMessage(message: WorkerMessage, transfer: ArrayBuffer[]): void;
  onmessage: ((event: MessageEvent<PageMessage>) => void) | null;
};

/** Makes this worker one that holds a world and answers the page's messages. */
export function runWorker({ openLocal }: Pick<WorldControllerOptions, "openLocal"> = {}): void {
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
    ...(openLocal && { openLocal }),
  });
  self.onmessage = ({ data }) => {
    void controller.receive(data);
  };
}
