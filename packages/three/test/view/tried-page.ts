import { fileURLToPath } from "node:url";
import type { ClientWorld } from "@orthant/client";
import {
  openBrowser,
  type Pixel,
  type Screenshot,
  type ServedPrograms,
  screenshotOf,
  servePrograms,
} from "@orthant/testkit/browser";
import type { WorldView } from "@orthant/three";
import type { World } from "@orthant/world";
import type { Browser, Page } from "playwright-core";
import type { Camera, Object3D, Scene, WebGLRenderer } from "three";
import { expect, onTestFinished } from "vitest";
import type { Point } from "./moved-view.ts";

/** What the page of page-program.mjs offers. */
export interface Tried {
  readonly view: WorldView;
  readonly renderer: WebGLRenderer;
  readonly scene: Scene;
  readonly camera: Camera;
  connect(url: string): Promise<ClientWorld<3>>;
  framesUntil(holds: () => boolean, most?: number): Promise<number>;
  background(colour: string): void;
  complete(): Promise<void>;
  drawn(frames?: number): Promise<void>;
  world(options?: object): Promise<World<3>>;
  show(world: object, options?: object): WorldView;
  /** Shows another world beside the first one. */
  showToo(world: object, options?: object): WorldView;
  look(at: Point, yaw?: number, pitch?: number): void;
  /** Returns the colour in the middle of the last picture. */
  middle(): Pixel;
  /** Draws through an `EffectComposer` from now on, with a pass that turns colours round if wanted. */
  compose(isTurned: boolean): void;
  /** Adds a light whose shadows fall down along -y, and returns a box that casts one, on its own floor. */
  castShadows(): { readonly box: Object3D; readonly floor: Object3D };
  group(): Object3D;
  stateSource: (state: () => unknown, has: (box: unknown) => boolean) => object;
  box: (min: Point, max: Point) => never;
  flat: (options: object) => object;
  terrain: (options: object) => object;
}

/** A part of a picture, in pixels. */
export type Part = readonly [left: number, top: number, right: number, bottom: number];

const program = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A browser with pages that show worlds. */
export class TriedPages {
  readonly browser: Browser;
  readonly programs: ServedPrograms;

  private constructor(browser: Browser, programs: ServedPrograms) {
    this.browser = browser;
    this.programs = programs;
  }

  static async start(): Promise<TriedPages> {
    const programs = await servePrograms({
      page: program("./page-program.mjs"),
      worker: program("../../../worker-pool/src/browser/mesh-worker.ts"),
    });
    return new TriedPages(await openBrowser(), programs);
  }

  async close(): Promise<void> {
    this.programs.close();
    await this.browser.close();
  }

  /** Opens a page. A test fails with the errors in it. */
  async open(width: number, height: number): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width, height } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.on("pageerror", (error) => expect.unreachable(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") expect.unreachable(message.text());
    });
    await page.goto(this.programs.origin);
    await page.waitForFunction(() => "tried" in globalThis);
    return page;
  }
}

declare const tried: Tried;

/** Takes a picture once everything in sight is in it. */
export async function picture(page: Page): Promise<Screenshot> {
  await page.evaluate(() => tried.complete());
  return pictureNow(page);
}

/** Takes a picture of what is there. */
export async function pictureNow(page: Page): Promise<Screenshot> {
  await page.evaluate(() => tried.drawn());
  return screenshotOf(page, await page.screenshot());
}

/** Returns the mean colour of a part. */
export function mean(shown: Screenshot, [left, top, right, bottom]: Part): Pixel {
  const sums: [number, number, number] = [0, 0, 0];
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++)
      for (const [part, value] of shown.at(column, row).entries())
        sums[part as 0] += value / ((right - left) * (bottom - top));
  return sums;
}

/** Returns the number of pixels that fulfil a condition. */
export function count(shown: Screenshot, isWanted: (pixel: Pixel) => boolean): number {
  let found = 0;
  for (let row = 0; row < shown.height; row++)
    for (let column = 0; column < shown.width; column++) if (isWanted(shown.at(column, row))) found++;
  return found;
}

/** Whether the backdrop shows: a colour that no block has. */
export function isMagenta([red, green, blue]: Pixel): boolean {
  return red > 150 && blue > 150 && green < 90;
}

export function brightness([red, green, blue]: Pixel): number {
  return (red + green + blue) / 3;
}

export function distance(one: Pixel, other: Pixel): number {
  return Math.hypot(...one.map((part, at) => part - (other[at] ?? 0)));
}
