import { fileURLToPath } from "node:url";
import { DEFAULT_BLOCKS } from "@orthant/core";
import {
  canOpenBrowser,
  openBrowser,
  type Pixel,
  type Screenshot,
  type ServedPrograms,
  screenshotOf,
  servePrograms,
} from "@orthant/testkit/browser";
import { Figures, type FiguresWorld, Marks } from "@orthant/three";
import type { Browser, Page } from "playwright-core";
import { Object3D } from "three";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

type Entities = ReturnType<FiguresWorld["entitiesAt"]>;
type Moving = { -readonly [Name in keyof Entities[number]]: Entities[number][Name] };

declare const game: {
  readonly sky: { time: number };
  readonly marks: Marks;
  readonly world: { light: { sky: number; block: number } };
  readonly entities: Moving[];
  readonly chosen: number;
  readonly grass: number;
  draw(seconds?: number): void;
};

const standing = (values: Partial<Moving>): Moving => ({
  id: 5n,
  isPlayer: true,
  kind: 0,
  position: [0, 0, 0],
  orientation: [0, 0, 0, 1],
  scale: 1,
  block: 0,
  name: "",
  tags: [],
  data: new Uint8Array(),
  ...values,
});

describe("figures", () => {
  test("come, walk by the distance they move, stand still and go with their entities", () => {
    const entity = standing({});
    const entities = [entity];
    const figures = new Figures({ entitiesAt: () => entities });
    figures.update(0.05);
    const [figure] = figures.children as [Object3D];
    const leg = figure.getObjectByName("leg left") as Object3D;
    let swing = 0;
    for (let frame = 0; frame < 40; frame++) {
      entity.position = [0, 0, -0.2 * frame];
      figures.update(0.05);
      swing = Math.max(swing, Math.abs(leg.rotation.x));
    }
    expect(swing).toBeGreaterThan(0.4);
    expect(figure.position.z).toBeCloseTo(-7.8);
    for (let frame = 0; frame < 40; frame++) figures.update(0.05);
    expect(Math.abs(leg.rotation.x)).toBeLessThan(0.01);
    entities.pop();
    figures.update(0.05);
    expect(figures.children).toEqual([]);
  });

  test("look where players look: the head at once, and the body as far as a neck does not turn", () => {
    const entity = standing({});
    const figures = new Figures({ entitiesAt: () => [entity] });
    figures.update(0.05);
    const [figure] = figures.children as [Object3D];
    entity.orientation = [0, Math.sin(0.75), 0, Math.cos(0.75)]; // 1.5 to the left
    for (let frame = 0; frame < 60; frame++) figures.update(0.05);
    const head = (figure.getObjectByName("head") as Object3D).rotation.y;
    expect(figure.rotation.y + head).toBeCloseTo(1.5);
    expect(head).toBeCloseTo(0.7);
  });

  test("may be objects of the game, and animals look where they go", () => {
    const cart = new Object3D();
    const [wagon, sheep] = [standing({ id: 1n, kind: 9 }), standing({ id: 2n, kind: 1, isPlayer: false })];
    const figures = new Figures(
      { entitiesAt: () => [wagon, sheep] },
      { make: ({ kind }) => (kind === 9 ? cart : undefined) },
    );
    for (let frame = 0; frame < 60; frame++) {
      sheep.position = [0.1 * frame, 0, 0];
      figures.update(0.05);
    }
    expect(figures.children[0]).toBe(cart);
    expect(figures.children[1]?.rotation.y).toBeCloseTo(-Math.PI / 2, 1);
  });

  test("reject what has no entities", () => {
    expect(() => new Figures({} as FiguresWorld)).toThrow("has entitiesAt()");
    expect(() => new Figures({ entitiesAt: () => [] }, { make: 3 as never })).toThrow("make");
  });
});

test("crumbs of a block that broke are eight to twelve, and gone after a second", () => {
  const marks = new Marks({ blocks: DEFAULT_BLOCKS, voxelAt: () => 0 });
  marks.crumble([0, 0, 0], DEFAULT_BLOCKS.id("stone"));
  marks.update(0.1);
  expect(marks.crumbs).toBeGreaterThanOrEqual(8);
  expect(marks.crumbs).toBeLessThanOrEqual(12);
  for (let frame = 0; frame < 9; frame++) marks.update(0.1);
  expect(marks.crumbs).toBe(0);
  marks.crumble([0, 0, 0], 0);
  expect(marks.crumbs, "air does not break").toBe(0);
});

describe.skipIf(!canOpenBrowser())("figures and marks in Chromium", () => {
  let browser: Browser;
  let programs: ServedPrograms;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser();
    programs = await servePrograms({
      figures: fileURLToPath(new URL("./figures-program.mjs", import.meta.url)),
    });
    page = await browser.newPage({ viewport: { width: 800, height: 450 } });
    page.on("console", (message) => expect.unreachable(message.text()));
    await page.goto(programs.origin);
    await page.waitForFunction(() => "game" in globalThis);
  }, 60_000);
  afterAll(async () => {
    programs?.close();
    await browser?.close();
  });

  const shot = async (): Promise<Screenshot> => screenshotOf(page, await page.screenshot());
  const sum = ([red, green, blue]: Pixel): number => red + green + blue;

  test("[figures] are lit by the sky, and warmly by lamps at night", async () => {
    await page.evaluate(() => game.draw(0.05));
    const day = (await shot()).at(287, 235);
    await page.evaluate(() => Object.assign(game.sky, { time: 0 }) && game.draw(0.05));
    const night = (await shot()).at(287, 235);
    expect(sum(night)).toBeLessThan(sum(day) * 0.65);
    await page.evaluate(() => Object.assign(game.world, { light: { sky: 4, block: 12 } }) && game.draw(0.05));
    const lamp = (await shot()).at(287, 235);
    expect(lamp[0] - lamp[2]).toBeGreaterThan(night[0] - night[2] + 40);
    await page.evaluate(() => {
      game.sky.time = 0.42;
      game.world.light = { sky: 15, block: 0 };
    });
  });

  test("an outline is dark with a light edge inside, and a ghost lets see what is behind it", async () => {
    await page.evaluate(() => game.draw());
    const before = await shot();
    await page.evaluate(() => {
      game.marks.outline([1, 0, 2]);
      game.marks.ghost([0, 0, 2], game.chosen);
      game.draw();
    });
    const after = await shot();
    const row = Array.from(
      { length: 24 },
      (_, left) => sum(after.at(536 + left, 340)) - sum(before.at(536 + left, 340)),
    );
    expect(Math.min(...row)).toBeLessThan(-100);
    expect(Math.max(...row)).toBeGreaterThan(30);
    const [plain, ghost] = [before.at(460, 350), after.at(460, 350)];
    expect(Math.abs(sum(plain) - sum(ghost)) + Math.abs(plain[0] - ghost[0])).toBeGreaterThan(15);
    await page.evaluate(() => {
      game.marks.outline(undefined);
      game.marks.ghost(undefined, game.chosen);
      game.draw();
    });
    expect((await shot()).at(460, 350)).toEqual(plain);
  });
});
