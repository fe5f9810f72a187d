import type { Position } from "@orthant/core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type Screenshot, screenshotOf } from "./picture.ts";

/** What the viewer's page exposes for debugging. */
interface ViewerGlobal {
  readonly host: {
    readonly shadowRoot: { getElementById(id: string): { readonly textContent: string } | null };
  };
  readonly numbers: ViewerNumbers | undefined;
  readonly viewer: {
    readonly isSettled: boolean;
    readonly frames: number;
    touch(): void;
    seeFurther(steps: number): void;
    readonly slice: { readonly hidden: number; readonly at: number };
    readonly position: readonly number[];
    readonly facts: { readonly name: string; readonly canEdit: boolean } | undefined;
  };
  voxelAt(position: Position): Promise<number | undefined>;
  setVoxel(position: Position, block: number): void;
}

/** The numbers in the viewer's panel. */
export interface ViewerNumbers {
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly patches: number;
  readonly resyncs: number;
  readonly heldRegions: number;
  /** Encoded chunks that the page draws. */
  readonly chunkBytes: number;
  readonly meshBytes: number;
}

/** Options for opening a window of the viewer. */
export interface ViewerWindowOptions {
  /** The address of the page. */
  readonly url: string;
  /** The part after the `#`: a position or a token. */
  readonly link?: string;
  readonly size?: { readonly width: number; readonly height: number };
  /** Whether to draw only what is near, which takes much less time without a graphics card. */
  readonly isNear?: boolean;
  /** Whether to show the card with the controls, as when the page is opened for the first time. */
  readonly showsControls?: boolean;
  /** Opens another window with the same storage. */
  readonly context?: BrowserContext;
}

declare const orthant: ViewerGlobal;
declare const localStorage: { setItem(key: string, value: string): void };
declare const dispatchEvent: (event: object) => void;
declare const DataTransfer: new () => { readonly items: { add(file: object): void } };
declare const DragEvent: new (type: string, options: object) => object;

/** A busy machine without a graphics card is slow. */
const WAIT_MS = 120_000;
const POLL_MS = 20;
const SIZE = { width: 640, height: 400 } as const;
/** More steps than there are down to the shortest view distance. */
const NEAREST_STEPS = -100;

/** A window of the viewer in a real browser. */
export class ViewerWindow {
  readonly page: Page;
  /** Errors that the page reported. */
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(message.text());
    });
  }

  /** Opens a window, which may still be connecting. */
  static async open(browser: Browser, options: ViewerWindowOptions): Promise<ViewerWindow> {
    const context = options.context ?? (await browser.newContext({ viewport: options.size ?? SIZE }));
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    const opened = new ViewerWindow(page);
    if (options.showsControls !== true) {
      await page.addInitScript(() => localStorage.setItem("orthant viewer help seen", "yes"));
    }
    await page.goto(`${options.url}/${options.link === undefined ? "" : `#${options.link}`}`);
    await page.waitForFunction(() => "orthant" in globalThis);
    if (options.isNear === true) await page.evaluate(seeFurtherOnceKnown, NEAREST_STEPS);
    return opened;
  }

  /** Resolves when everything in range is drawn and nothing moves. */
  async settled(): Promise<void> {
    await this.page.waitForFunction(() => orthant.viewer.isSettled, undefined, { polling: 50 });
  }

  /** Resolves when the condition holds in the page. */
  async waitFor(isSo: () => boolean): Promise<void> {
    await this.page.waitForFunction(isSo, undefined, { polling: 50 });
  }

  /** Resolves when the status shows this text. */
  async said(text: string): Promise<void> {
    await this.says("status", text);
  }

  /** Resolves when the element with an id shows a text. */
  async says(id: string, text: string | RegExp): Promise<void> {
    const pattern = typeof text === "string" ? escapePattern(text) : text.source;
    await this.page.waitForFunction(
      ([element, wanted]) =>
        new RegExp(wanted).test(orthant.host.shadowRoot.getElementById(element)?.textContent ?? ""),
      [id, pattern] as const,
      { polling: 50 },
    );
  }

  /** Resolves when a voxel has a block, and rejects when it still has another after `waitMs`. */
  async sees(position: Position, block: number, waitMs: number = WAIT_MS): Promise<void> {
    // Polled from here: `waitForFunction` takes the promise of an async predicate for true.
    const deadline = Date.now() + waitMs;
    await this.page.waitForFunction(() => "orthant" in globalThis);
    for (let found = await this.voxelAt(position); found !== block; found = await this.voxelAt(position)) {
      if (Date.now() > deadline)
        throw new Error(`voxel [${position.join()}] has block ${found}, not ${block}`);
      await this.page.waitForTimeout(POLL_MS);
    }
  }

  /** Drops a file onto the page. */
  async drop(name: string, bytes: Uint8Array): Promise<void> {
    await this.page.evaluate(dropFile, [name, Buffer.from(bytes).toString("base64")] as const);
  }

  /** Returns the block of a voxel in the page's worker. */
  async voxelAt(position: Position): Promise<number | undefined> {
    return this.page.evaluate((at) => orthant.voxelAt(at), position);
  }

  /** Sets a voxel and returns when, by the machine's clock. */
  async setVoxel(position: Position, block: number): Promise<number> {
    return this.page.evaluate(
      ([at, wanted]) => {
        orthant.setVoxel(at, wanted);
        return performance.timeOrigin + performance.now();
      },
      [position, block] as const,
    );
  }

  /** Returns when a voxel got a block, by the machine's clock. */
  async seenAt(position: Position, block: number): Promise<number> {
    return this.page.evaluate(
      async ([at, wanted]) => {
        while ((await orthant.voxelAt(at)) !== wanted);
        return performance.timeOrigin + performance.now();
      },
      [position, block] as const,
    );
  }

  /** Returns the number of frames that the page has drawn. */
  async frames(): Promise<number> {
    return this.page.evaluate(() => orthant.viewer.frames);
  }

  /** Resolves when the page has drawn another frame. */
  async redrawn(): Promise<void> {
    const before = await this.frames();
    await this.page.evaluate(() => orthant.viewer.touch());
    await this.page.waitForFunction((count) => orthant.viewer.frames > count, before, { polling: 50 });
  }

  /** Resolves when at least `bytes` have come from the server. */
  async received(bytes: number): Promise<void> {
    await this.page.waitForFunction((least) => (orthant.numbers?.bytesIn ?? 0) >= least, bytes, {
      polling: 200,
    });
  }

  /** Returns the panel's next numbers, since the current ones may be older than the last observation. */
  async numbers(): Promise<ViewerNumbers> {
    const before = await this.page.evaluateHandle(() => orthant.numbers);
    await this.page.waitForFunction((old) => orthant.numbers !== old, before, { polling: 50 });
    const numbers = await this.page.evaluate(() => orthant.numbers);
    if (numbers === undefined) throw new Error("the page has no numbers yet");
    return numbers;
  }

  /** Takes a screenshot. */
  async picture(): Promise<Screenshot> {
    return screenshotOf(this.page, await this.page.screenshot());
  }

  /** Closes this and all other windows with the same storage. */
  async close(): Promise<void> {
    await this.page.context().close();
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Runs in the page: changes the view distance as soon as the world is known, which sets it. */
function seeFurtherOnceKnown(steps: number): void {
  const { viewer } = orthant;
  const attempts = setInterval(() => {
    if (viewer.facts === undefined) return;
    clearInterval(attempts);
    viewer.seeFurther(steps);
  });
}

/** Runs in the page. */
function dropFile([name, base64]: readonly [string, string]): void {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
  dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}
