import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type ClientWorld, connect, MemoryDisk, type Position } from "orthant";
import { type Browser, chromium } from "playwright-core";
import { build } from "vite";
import { expect, onTestFinished, test } from "vitest";
import { type News, village, type Wish } from "../src/game.ts";
import { startVillage } from "../src/server.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/snap/bin/chromium"].find(existsSync) ?? "";
const FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const wait = { timeout: 60_000, interval: 50 };

/** A player without a page, and the last news of each kind. */
async function enter(port: number, name: string) {
  const request = { method: "POST", body: new URLSearchParams({ name, password: `${name}'s` }) };
  const token = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/login`, request)).text();
  const address = `ws://127.0.0.1:${port}/world`;
  const world: ClientWorld<3> = await connect(address, { dimensions: 3, token, generators: [village] });
  onTestFinished(() => world.close());
  await world.setInterest({ center: world.spawn, radius: 16 });
  const news: News = {};
  world.onMessage((message) => Object.assign(news, message));
  const wish = (value: Wish): unknown => world.send(value);
  const place = (position: Position<3>, block: string) => world.set(position, world.blocks.id(block));
  return { world, news, wish, place };
}

test("players pay for what they build, own plots, and empty a chest once", async () => {
  const { server, world } = await startVillage(new MemoryDisk());
  onTestFinished(() => server.close());
  const ada = await enter(server.port, "Ada");
  const bob = await enter(server.port, "Bob");
  const stolen = new URLSearchParams({ name: "Ada", password: "Bob's" });
  expect(
    (await fetch(`http://127.0.0.1:${server.port}/login`, { method: "POST", body: stolen })).status,
  ).toBe(401);

  expect(await ada.place([17, 4, 3], "chest")).toMatchObject({ detail: "You do not carry that." });
  bob.wish({ say: "/give wood 9" });
  ada.wish({ say: "/give wood 9" });
  for (const craft of ["planks", "planks", "planks", "planks", "chest", "door"]) ada.wish({ craft });
  await expect.poll(() => ada.news.items, wait).toEqual({ wood: 5, planks: 2, chest: 1, door: 1 });
  expect(bob.news.items).toEqual({});

  const chest: Position<3> = [17, 4, 3];
  expect(await ada.place(chest, "chest")).toEqual({ status: "applied" });
  for (let count = 0; count < 5; count++) ada.wish({ put: chest, item: "wood" });
  await expect.poll(() => bob.world.dataAt(chest), wait).toEqual({ wood: 5 });
  for (const one of [ada, bob, ada, bob]) one.wish({ take: chest });
  await expect.poll(() => bob.world.dataAt(chest), wait).toBeUndefined();
  const woodOf = async (name: string) => Object(await world.store.get(`bag/${name}`)).wood ?? 0;
  expect((await woodOf("Ada")) + (await woodOf("Bob"))).toBe(5);

  await ada.place([15, 4, 3], "door");
  const upper: Position<3> = [15, 5, 3];
  await expect.poll(() => bob.world.blocks.describe(bob.world.voxelAt(upper) ?? 0)?.type, wait).toBe("door");
  bob.wish({ open: [15, 4, 3] });
  const isOpen = () => bob.world.blocks.describe(bob.world.voxelAt(upper) ?? 0)?.properties["open"];
  await expect.poll(isOpen, wait).toBe("yes");

  ada.wish({ say: "/claim" });
  await expect.poll(() => bob.news.plots, wait).toEqual({ "1,0": "Ada" });
  expect(await bob.place([17, 4, 3], "air")).toMatchObject({ detail: "This is the plot of Ada." });
  bob.wish({ say: "/top" });
  await expect.poll(() => bob.news.say, wait).toBe("Most was built by Ada (2).");
});

/** Runs the built game in a process, and says at which port. */
async function run(folder: string, port = 0): Promise<{ readonly port: number; kill(): Promise<unknown> }> {
  const main = join(ROOT, "dist/server/main.js");
  const child = spawn(process.execPath, [main, folder, `${port}`], { stdio: ["ignore", "pipe", "inherit"] });
  const kill = (): Promise<unknown> => Promise.all([once(child, "close"), child.kill("SIGKILL")]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return { port: Number(new URL(line.split(" ").at(-1) ?? "").port), kill };
}

/** Opens the page of a player. */
async function open(browser: Browser, port: number, name: string) {
  const page = await (await browser.newContext({ viewport: { width: 320, height: 240 } })).newPage();
  page.on("pageerror", (error) => expect.unreachable(String(error)));
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.fill("[name=name]", name);
  await page.fill("[name=password]", `${name}'s`);
  await page.click("#login button");
  await page.locator(".menu-button").waitFor({ timeout: wait.timeout });
  const reads = (part: string, text: RegExp) => expect.poll(() => page.textContent(part), wait).toMatch(text);
  /** Looks further down, picture by picture, until the player points at something. */
  const lookDown = (type: string): Promise<void> =>
    page.evaluate(async (wanted) => {
      dispatchEvent(new KeyboardEvent("keydown", { code: "ArrowDown" }));
      while (!document.querySelector("#target")?.textContent?.includes(wanted))
        await new Promise(requestAnimationFrame);
      dispatchEvent(new KeyboardEvent("keyup", { code: "ArrowDown" }));
    }, type);
  return { page, reads, lookDown, press: (key: string) => page.keyboard.press(key) };
}

test.skipIf(CHROMIUM === "")(
  "two pages play in one world, and a killed server loses nothing",
  async () => {
    await build({ root: join(ROOT, "page"), configFile: join(ROOT, "vite.config.ts"), logLevel: "error" });
    const ssr = { ssr: "../src/main.ts", outDir: "../dist/server" };
    await build({
      root: join(ROOT, "page"),
      configFile: join(ROOT, "vite.config.ts"),
      logLevel: "error",
      build: ssr,
    });
    const folder = await mkdtemp(join(tmpdir(), "village-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));

    const first = await run(folder);
    const builder = await enter(first.port, "Ada");
    builder.wish({ say: "/give stone 100" });
    builder.wish({ say: "/give planks 9" });
    builder.wish({ say: "/give chest 1" });
    await expect.poll(() => builder.news.items, wait).toEqual({ stone: 100, planks: 9, chest: 1 });
    const wall = Array.from(
      { length: 30 },
      (_, at): Position<3> => [14 + (at % 5), 3 + Math.floor(at / 5), 3],
    );
    const built = wall.map((position) => builder.place(position, "stone"));
    await built[9];
    await first.kill();
    const second = await run(folder, first.port);
    for (const { status } of await Promise.all(built)) expect(status).not.toBe("rejected");
    const witness = await enter(first.port, "Cid");
    for (const position of wall)
      expect(witness.world.voxelAt(position)).toBe(witness.world.blocks.id("stone"));
    await expect.poll(() => builder.news.items, wait).toEqual({ stone: 70, planks: 9, chest: 1 });
    await Promise.all([builder.world.close(), witness.world.close()]);

    const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    onTestFinished(() => browser.close());
    const [ada, bob] = [await open(browser, first.port, "Ada"), await open(browser, first.port, "Bob")];
    await ada.press("t");
    await ada.page.locator("section input:focus").waitFor();
    await ada.page.keyboard.type("Hello!");
    await ada.press("Enter");
    await bob.reads("ol", /Ada: Hello!/);

    for (const { reads } of [ada, bob]) await reads("#target", /^18 2 0 /); // on the ground
    await ada.lookDown("sand");
    for (const key of ["8", "e"]) await ada.press(key);
    await ada.reads("#target", /chest with nothing/);
    for (const key of ["1", "p", "p", "p"]) await ada.press(key);
    await bob.lookDown("chest with 3 planks");
    await Promise.all([ada.press("g"), bob.press("g")]);
    for (const { reads } of [ada, bob]) await reads("#target", /chest with nothing/);
    const planksOf = async ({ page }: typeof ada) =>
      Number(/planks (\d+)/.exec(`${await page.textContent(".slots")}`)?.[1]);
    await expect.poll(async () => (await planksOf(ada)) + (await planksOf(bob)), wait).toBe(9);

    await second.kill();
    await bob.reads(".status", /lost/);
    await run(folder, first.port);
    for (const { reads } of [ada, bob]) await reads(".status", /^$/);
    await ada.press("p");
    await bob.reads("#target", /chest with 1 planks/);
  },
  240_000,
);
