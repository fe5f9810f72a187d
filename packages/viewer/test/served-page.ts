import { type ChunkShape, DEFAULT_BLOCKS, type Position } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createServer, type OrthantServer, type ServerOptions } from "@orthant/server";
import {
  openBrowser,
  type Pixel,
  type Screenshot,
  ViewerWindow,
  type ViewerWindowOptions,
} from "@orthant/testkit/browser";
import { VIEWER_PAGE } from "@orthant/viewer/node";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";

/** A browser without a graphics card is slow on a busy machine. */
export const BROWSER_MS = 120_000;

export const BRICK = 11;
export const GOLD = 10;
export const LAMP = 13;
/** Near the middle; the crosshair is in the exact middle. */
export const MIDDLE = [325, 195] as const;

/** Edge of what is looked at, in pixels, and how far the mean of a texture may be from the colour of its block. */
export const PATCH = 8;
const TEXTURE = 48;

/** Opens a window of the page that a server serves. */
export type OpenPage = (
  server: OrthantServer,
  link?: string,
  options?: Pick<ViewerWindowOptions, "isNear" | "showsControls">,
) => Promise<ViewerWindow>;

/** Starts one browser for the tests of a `describe`. Its windows draw only what is near, unless asked for more. */
export function browserForTests(): OpenPage {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  }, BROWSER_MS);

  afterAll(() => browser?.close());

  return async ({ port }, link, options) => {
    const opened = await ViewerWindow.open(browser, {
      url: `http://127.0.0.1:${port}`,
      ...(link !== undefined && { link }),
      isNear: true,
      ...options,
    });
    onTestFinished(async () => {
      expect(opened.complaints).toEqual([]);
      await opened.close();
    });
    return opened;
  };
}

/** Creates a world with boxes of blocks. */
export async function newWorld(
  shape: ChunkShape,
  ...boxes: readonly (readonly [Position, Position, number])[]
): Promise<WorldEngine> {
  const world = await createWorldEngine(new MemoryDisk(), {
    name: "Trial",
    shape,
    autosave: false,
  } as object);
  for (const [min, max, block] of boxes) await world.fill({ min, max }, block);
  onTestFinished(() => world.close());
  return world;
}

/** Serves a world and the page. */
export async function serve(
  world: WorldEngine,
  options: Partial<ServerOptions> = {},
): Promise<OrthantServer> {
  const server = await createServer({ world, tickMs: 20, logger: false, page: VIEWER_PAGE, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** Returns the colour of a block. */
export function colourOf(block: number): Pixel {
  const colour = DEFAULT_BLOCKS.byId(block)?.colour ?? 0;
  return [colour >>> 16, (colour >>> 8) & 0xff, colour & 0xff];
}

/** Whether the pixels around a place show a block in any light: their mean has the block's proportions. */
export function shows(picture: Screenshot, [left, top]: readonly [number, number], block: number): boolean {
  const pixel = picture.around(left, top, PATCH);
  const colour = colourOf(block);
  const light = pixel.reduce((sum, part) => sum + part, 0) / colour.reduce((sum, part) => sum + part, 0);
  return (
    light > 0.3 &&
    light < 1.3 &&
    pixel.every((part, index) => Math.abs(part - (colour[index] as number) * light) < TEXTURE)
  );
}
