import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { connect, MemoryDisk, type Position } from "orthant";
import { type Browser, chromium } from "playwright-core";
import { expect, onTestFinished, test, vi } from "vitest";
import { type News, village, type Wish } from "../src/game.ts";
import { startVillage } from "../src/server.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/snap/bin/chromium"].find(existsSync);
const FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const at = (x: number, y: number, z: number): Position<3> => [x, y, z];
vi.setConfig({ testTimeout: 240_000 });
const wait = { timeout: 60_000, interval: 50 };

/** A player without a page, and the last news of each kind. */
async function enter(port: number, name: string) {
  const login = { method: "POST", body: new URLSearchParams({ name, password: `${name}'s` }) };
  const token = async () => (await fetch(`http://127.0.0.1:${port}/login`, login)).text();
  const options = { dimensions: 3, token, generators: [village] } as const;
  const world = await connect(`ws://127.0.0.1:${port}/world`, options);
  onTestFinished(() => world.close());
  await world.setInterest({ center: world.spawn, radius: 16 });
  const news: News = {};
  world.onMessage((message) => Object.assign(news, message));
  const place = (position: Position<3>, block: string) => world.set(position, world.blocks.id(block));
  const seen = (position: Position<3>) => world.blocks.describe(world.voxelAt(position) ?? 0);
  return { world, news, place, seen, wish: (wish: Wish) => world.send(wish) };
}

test("players pay for what they build, own plots, and empty a chest once", async () => {
  const { server } = await startVillage(new MemoryDisk());
  onTestFinished(() => server.close());
  const [ada, bob] = [await enter(server.port, "Ada"), await enter(server.port, "Bob")];
  const [chest, door, upper] = [at(17, 4, 3), at(15, 4, 3), at(15, 5, 3)];
  expect(await ada.place(chest, "chest")).toMatchObject({ detail: "You do not carry that." });
  for (const one of [bob, ada]) one.wish({ say: "/give wood 9" });
  for (const craft of ["planks", "planks", "planks", "planks", "chest", "door"]) ada.wish({ craft });
  await expect.poll(() => ada.news.items, wait).toEqual({ wood: 5, planks: 2, chest: 1, door: 1 });
  expect(bob.news.items).toEqual({});
  expect(await ada.place(chest, "chest")).toEqual({ status: "applied" });
  for (let count = 0; count < 5; count++) ada.wish({ put: chest, item: "wood" });
  await expect.poll(() => bob.world.dataAt(chest), wait).toEqual({ wood: 5 });
  for (const one of [ada, bob, ada, bob]) one.wish({ take: chest });
  const wood = () => [ada, bob].map(({ news }) => news.items?.["wood"] ?? 0).sort();
  await expect.poll(wood, wait).toEqual([0, 5]);
  await ada.place(door, "door");
  await expect.poll(() => bob.seen(upper)?.type, wait).toBe("door");
  bob.wish({ open: door });
  await expect.poll(() => bob.seen(upper)?.properties["open"], wait).toBe("yes");
  ada.wish({ say: "/claim" });
  await expect.poll(() => bob.news.plots, wait).toEqual({ "1,0": "Ada" });
  expect(await bob.place(chest, "air")).toMatchObject({ detail: "This is the plot of Ada." });
  bob.wish({ say: "/top" });
  await expect.poll(() => bob.news.say, wait).toBe("The best builders: Ada (2).");
});

async function run(folder: string, port = 0) {
  const main = join(ROOT, "dist/server/main.js");
  const child = spawn(process.execPath, [main, folder, `${port}`], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  const kill = () => Promise.all([once(child, "close"), child.kill("SIGKILL")]);
  return { port: Number(/:(\d+)\/$/.exec(line)?.[1]), kill };
}

/** Opens the page of a player. */
async function open(browser: Browser, port: number, name: string) {
  const page = await browser.newPage({ viewport: { width: 200, height: 150 } }); // each pixel takes time
  await page.addInitScript(() => localStorage.setItem("orthant settings Village", '{"viewDistance":32}'));
  page.on("pageerror", (error) => expect.unreachable(String(error)));
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.fill("[name=name]", name);
  await page.fill("[name=password]", `${name}'s`);
  await page.press("[name=password]", "Enter");
  const reads = (part: string, text: RegExp) => expect.poll(() => page.textContent(part), wait).toMatch(text);
  await reads("#target", /^18 2 0 /); // on the ground
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Looks further down, picture by picture, until the player points at something. */
  const lookDown = (wanted: string) =>
    page.evaluate(async (text) => {
      dispatchEvent(new KeyboardEvent("keydown", { code: "ArrowDown" }));
      while (!document.querySelector("#target")?.textContent?.includes(text))
        await new Promise(requestAnimationFrame);
      dispatchEvent(new KeyboardEvent("keyup", { code: "ArrowDown" }));
    }, wanted);
  return { page, reads, press, lookDown };
}

test.skipIf(!CHROMIUM)("two pages play, and a killed server loses nothing", async () => {
  execFileSync("npm", ["run", "build"], { cwd: ROOT, stdio: "pipe" });
  const folder = mkdtempSync(join(tmpdir(), "village-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { port, kill } = await run(folder);
  const builder = await enter(port, "Ada");
  for (const items of ["stone 40", "planks 9", "chest 1"]) builder.wish({ say: `/give ${items}` });
  await expect.poll(() => builder.news.items, wait).toEqual({ stone: 40, planks: 9, chest: 1 });
  const browser = await chromium.launch({ executablePath: `${CHROMIUM}`, args: FLAGS });
  onTestFinished(() => browser.close());
  const [ada, bob] = [await open(browser, port, "Ada"), await open(browser, port, "Bob")];
  await ada.press("t");
  await ada.page.locator("section input:focus").waitFor();
  await ada.press(..."Hello!", "Enter");
  await bob.reads("#chat", /Ada: Hello!/);
  const wall = Array.from({ length: 30 }, (_, step) => at(14 + (step % 5), 3 + Math.floor(step / 5), 3));
  const built = wall.map((position) => builder.place(position, "stone"));
  await built[9];
  await kill();
  await bob.reads(".status", /lost/);
  await run(folder, port);
  for (const { status } of await Promise.all(built)) expect(status).not.toBe("rejected");
  const witness = await enter(port, "Cid");
  for (const position of wall) expect(witness.seen(position)?.type).toBe("stone");
  await expect.poll(() => builder.news.items, wait).toEqual({ stone: 10, planks: 9, chest: 1 });
  for (const { reads } of [ada, bob]) await reads(".status", /^$/);
  await ada.lookDown("sand");
  await ada.press("7", "e");
  await ada.reads("#target", /chest with nothing/);
  await ada.press("1", "p", "p", "p");
  await bob.lookDown("chest");
  await bob.reads("#target", /chest with 3 planks/);
  await Promise.all([ada.press("g"), bob.press("g")]);
  for (const { reads } of [ada, bob]) await reads("#target", /chest with nothing/);
  const planksOf = async ({ page }: typeof ada) =>
    Number(/(\d+) planks/.exec(`${await page.textContent("#bag")}`)?.[1] ?? 0);
  await expect.poll(async () => (await planksOf(ada)) + (await planksOf(bob)), wait).toBe(9);
});
