import { parentPort, workerData } from "node:worker_threads";
import { NodeDisk } from "@orthant/disk/node";
import { openImportTasks } from "@orthant/formats/imports";
import {
  failureOf,
  type ImportAnswer,
  type ImportOrder,
  type ImportPlace,
  workOn,
} from "./import-messages.ts";

// The program of a worker thread: it reads and encodes the pieces that it is asked for until it is terminated.

const { folder, format, world, values } = workerData as ImportPlace;
const opening = openImportTasks(new NodeDisk(folder), format, world, values);
// A failure is the answer to the first order.
opening.catch(() => undefined);

let last: Promise<void> = Promise.resolve();
parentPort?.on("message", (order: ImportOrder) => {
  last = last.then(() => answer(order));
});

async function answer(order: ImportOrder): Promise<void> {
  try {
    const tasks = await opening;
    if (order.task === "blocks") tasks.useBlocks(order.blocks);
    else send(await workOn(tasks, order));
  } catch (error) {
    send({ failure: failureOf(error) });
  }
}

/** Payloads have buffers of their own, which are handed over instead of copied. */
function send(message: ImportAnswer): void {
  const payloads = "leaves" in message ? message.leaves.flatMap(({ records }) => records) : [];
  const buffers = payloads.map(({ payload }) => payload.buffer as ArrayBuffer);
  parentPort?.postMessage(message, buffers);
}
