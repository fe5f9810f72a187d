// The page: passes on what the player does. The world is in a worker, because browsers let only workers write files.
import type { ToPage, ToWorker } from "./messages.ts";

const canvas = document.querySelector("canvas") as HTMLCanvasElement;
const blocks = document.querySelector("select") as HTMLSelectElement;
const status = document.querySelector("output") as HTMLOutputElement;
const worker = new Worker(new URL("./world-worker.ts", import.meta.url), { type: "module" });

function send(message: ToWorker, transfer: Transferable[] = []): void {
  worker.postMessage(message, transfer);
}

worker.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  if (data.blocks) blocks.append(...data.blocks.map(({ id, name }) => new Option(name, String(id))));
  if (data.status) status.value = data.status;
});
const screen = canvas.transferControlToOffscreen();
send({ kind: "open", screen }, [screen]);
void navigator.storage.persist(); // without this, a browser that runs out of space may delete the world

canvas.addEventListener("click", ({ offsetX, offsetY }) =>
  send({ kind: "build", x: offsetX, y: offsetY, block: Number(blocks.value) }),
);
canvas.addEventListener("contextmenu", (event) => {
  event.preventDefault();
  send({ kind: "dig", x: event.offsetX, y: event.offsetY });
});

const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-4, 4],
  ArrowRight: [4, -4],
  ArrowUp: [-4, -4],
  ArrowDown: [4, 4],
};
addEventListener("keydown", ({ key }) => {
  const step = steps[key];
  if (step) send({ kind: "walk", step });
});
