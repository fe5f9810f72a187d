// The page: what the player sees and does. The world is in the worker, since a browser lets only workers write files.
const [canvas, blocks, status] = ["canvas", "#block", "#status"].map((name) => document.querySelector(name));
const worker = new Worker(new URL("./world-worker.js", import.meta.url), { type: "module" });
const ask = (command, ...parameters) => worker.postMessage([command, ...parameters]);

// A page has one world for each name behind the #.
const name = decodeURIComponent(location.hash.slice(1)) || "meadow";
const screen = canvas.transferControlToOffscreen();
worker.postMessage(["begin", name, screen], [screen]);
addEventListener("hashchange", () => location.reload());
// Without this a browser that runs out of room may throw the world away.
navigator.storage.persist();

worker.addEventListener("message", ({ data }) => {
  if (data.blocks) blocks.append(...data.blocks.map(({ id, name }) => new Option(name, id)));
  if (data.status) status.value = data.status;
  if (data.imported) location.hash = data.imported;
  if (data.archive) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(data.archive);
    link.download = `${name}.tar`;
    link.click();
  }
});

for (const [event, isDigging] of [
  ["click", false],
  ["contextmenu", true],
]) {
  canvas.addEventListener(event, (click) => {
    click.preventDefault();
    ask("click", click.offsetX, click.offsetY, isDigging ? 0 : Number(blocks.value));
  });
}
const steps = { ArrowLeft: [-4, 4], ArrowRight: [4, -4], ArrowUp: [-4, -4], ArrowDown: [4, 4] };
addEventListener("keydown", ({ key }) => steps[key] && ask("look", ...steps[key]));
document.querySelector("#export").addEventListener("click", () => ask("export"));
document.querySelector("#import").addEventListener("change", ({ target }) => ask("import", target.files[0]));
