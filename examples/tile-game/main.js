// The page: it hands its canvas to the worker, which has the game, and tells it what the player does.
const canvas = document.querySelector("canvas");
const game = new Worker(new URL("./game-worker.js", import.meta.url), { type: "module" });
const screen = canvas.transferControlToOffscreen();
game.postMessage(["begin", screen], [screen]);
game.addEventListener("message", ({ data }) => {
  document.querySelector("#status").value = data;
});

const keys = { KeyA: "left", KeyD: "right", KeyW: "jump" };
addEventListener("keydown", ({ code }) => keys[code] && game.postMessage(["press", keys[code], true]));
addEventListener("keyup", ({ code }) => keys[code] && game.postMessage(["press", keys[code], false]));
canvas.addEventListener("click", ({ offsetX, offsetY }) => game.postMessage(["dig", offsetX, offsetY]));
canvas.addEventListener("contextmenu", (event) => {
  event.preventDefault();
  game.postMessage(["put", event.offsetX, event.offsetY]);
});
// The last chance to save before the page goes; the journal has the digging already.
addEventListener("pagehide", () => game.postMessage(["rest"]));
