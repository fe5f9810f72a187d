import type { BlockCatalog, Dimensions, Vector } from "@orthant/core";
import type { VoxelReader } from "@orthant/mesh";
import { defaultLooks, type LookPack, looksOf } from "@orthant/mesh/looks";
import { type ControlOptions, Controls, type ScreenPoint } from "./controls.ts";
import { Ears } from "./ears.ts";
import { element } from "./elements.ts";
import { GameSettings, type SettingName, type Settings } from "./game-settings.ts";
import { Hints } from "./hints.ts";
import { Hotbar } from "./hotbar.ts";
import { materialOf } from "./materials.ts";
import { pageStyle } from "./page-style.ts";
import { type MenuButton, PauseMenu, type Slider } from "./pause-menu.ts";
import { keyHints, touchHints } from "./play-hints.ts";
import { Sounds } from "./sounds.ts";
import { anglesOf, type WalkInput, type WalkState } from "./walking.ts";

/** Options of a page, which is there before its world. */
export interface GamePageOptions extends ControlOptions {
  /** The game's name: the title of its menu, and what settings are kept under. */
  readonly name: string;
  /** Settings of players who have set nothing. */
  readonly settings?: Partial<Settings>;
  /** Settings that the game does not have. */
  readonly without?: readonly SettingName[];
}

/** A world that is played: a client's, or any other. */
export interface PlayedWorld<D extends Dimensions> extends VoxelReader<D> {
  onStatus?(listener: (status: string, detail: { readonly error?: Error | undefined }) => void): unknown;
  onBlocks?(listener: (blocks: BlockCatalog) => void): unknown;
}

/** What a game does with its player's wishes. */
export interface Play {
  /** Names of the blocks to build with, at most nine. */
  readonly blocks: readonly string[];
  /** How the pictures of blocks look; Orthant's own pack by default. */
  readonly looks?: LookPack;
  /** Digs what is at a point of the canvas. Returns the block that was there, for its sound. */
  dig(point: ScreenPoint): number | undefined;
  /** Places the chosen block. Returns whether it did. */
  place(point: ScreenPoint, block: number): boolean;
  /** What other keys do, by their codes, such as `KeyH`. */
  readonly keys?: Readonly<Record<string, () => void>>;
  /** Numbers of the game that its menu sets, such as the time of day. */
  readonly sliders?: readonly Slider[];
}

/**
 * Everything of a game's page around its picture: controls by keyboard, mouse, fingers and gamepad, a hotbar, a menu with
 * settings, sounds and hints. It lies over the canvas in a shadow tree and draws nothing of the world.
 *
 * @example
 * const page = new GamePage(canvas, { name: "My world" });
 * const world = await connect(url, { dimensions: 3 });
 * const player = world.predictPlayer(walking(world));
 * page.begin(world, { blocks: ["brick", "wood"], dig, place });
 * renderer.setAnimationLoop(() => {
 *   const seconds = page.seconds();
 *   page.follow(player.move(page.read(seconds), seconds));
 * });
 */
export class GamePage {
  readonly settings: GameSettings;
  readonly controls: Controls;
  readonly hotbar: Hotbar;
  readonly sounds: Sounds = new Sounds();
  /** The element that holds all parts, the last one of the body. */
  readonly element: HTMLElement = document.createElement("orthant-page");
  readonly #options: GamePageOptions;
  readonly #hints: Hints;
  readonly #status = element("output", "status");
  readonly #menuButton = element("button", "menu-button");
  readonly #root: ShadowRoot = this.element.attachShadow({ mode: "open" });
  readonly #end = new AbortController();
  readonly #buttons: MenuButton[] = [];
  #menu: PauseMenu | undefined;
  #world: PlayedWorld<Dimensions> | undefined;
  #play: Play | undefined;
  #lastMs = performance.now();
  #ears: Ears | undefined;

  /** `canvas` shows the world; the player clicks and touches it. */
  constructor(canvas: HTMLElement, options: GamePageOptions) {
    const { name, settings } = options;
    this.#options = options;
    this.settings = new GameSettings(name, settings);
    this.settings.onChange(() => this.#apply());
    this.#hints = new Hints(name);
    this.hotbar = new Hotbar(() => this.#hints.used("choose"));
    this.controls = new Controls(canvas, this.#controlEvents(), options);
    this.#status.ariaLive = "polite";
    this.#menuButton.ariaLabel = "Pause";
    this.#menuButton.addEventListener("click", () => this.pause());
    const cross = element("div", "cross");
    cross.hidden = options.mouse === "points";
    this.#root.adoptedStyleSheets = [pageStyle()];
    const top = element("div", "top", this.#status, this.#hints.element);
    this.#root.append(cross, this.controls.touch.element, top, this.hotbar.element, this.#menuButton);
    this.#menuButton.hidden = true;
    document.body.append(this.element);
    const { signal } = this.#end;
    const onHidden = (): void => {
      this.sounds.pause(document.hidden);
      if (document.hidden) this.pause();
    };
    document.addEventListener("visibilitychange", onHidden, { signal });
    this.#apply();
  }

  /** Shows a line of text at the top, until there is another one; nothing for empty text. */
  say(text: string): void {
    this.#status.value = text;
  }

  /** Adds a button to the end of the menu, such as to leave the game. A press closes the menu. */
  addButton(label: string, press: () => void): void {
    this.#buttons.push({ label, press });
  }

  /** Turns the view to where a pose looks, such as the one with which the player comes back. */
  look(orientation: Vector): void {
    Object.assign(this.controls, anglesOf(orientation));
  }

  /** Whether the menu is open. */
  get isPaused(): boolean {
    return this.#menu?.isOpen === true;
  }

  /** Begins the game: from now on the player controls it. Also tells how the connection of a client is. */
  begin<D extends Dimensions>(world: PlayedWorld<D>, play: Play): void {
    this.#world = world as unknown as PlayedWorld<Dimensions>;
    this.#play = play;
    const showBlocks = (blocks: BlockCatalog): void => {
      const ids = play.blocks.map((name) => blocks.id(name));
      this.hotbar.show(ids, blocks, looksOf(play.looks ?? defaultLooks(), blocks));
    };
    showBlocks(world.blocks);
    world.onBlocks?.(showBlocks);
    world.onStatus?.((status, { error }) => this.say(statusText(status, error)));
    this.#menu?.element.remove();
    this.#menu = new PauseMenu({
      title: this.#options.name,
      settings: this.settings,
      ...(this.#options.without && { without: this.#options.without }),
      ...(play.sliders && { sliders: play.sliders }),
      buttons: this.#buttons,
      onOpen: () => this.#setPaused(true),
      onClose: () => this.#setPaused(false),
      onResume: () => this.controls.lock(),
    });
    this.#root.append(this.#menu.element);
    this.#menuButton.hidden = false;
    this.#ears = new Ears(this.#world, this.sounds);
    this.say("");
    this.#setPaused(false);
    this.#showHints(this.controls.hasTouch);
  }

  /** Opens the menu. The world goes on, and the player stands still. */
  pause(): void {
    this.#menu?.open();
  }

  /** Returns the time since the last call, at most a twentieth of a second: after a pause nothing leaps. */
  seconds(): number {
    const now = performance.now();
    const seconds = Math.min(0.05, Math.max(0, now - this.#lastMs) / 1000);
    this.#lastMs = now;
    return seconds;
  }

  /** Returns what the player wants to do now. Call it once a frame. */
  read(seconds: number): WalkInput {
    const { hasTouch } = this.controls;
    if (this.element.hasAttribute("data-touch") !== hasTouch) {
      this.element.toggleAttribute("data-touch", hasTouch);
      this.#showHints(hasTouch);
    }
    return this.controls.read(seconds);
  }

  /** Plays what a player who has moved hears: steps, water, wind and caves. Ends a flight on the ground. */
  follow<D extends Dimensions>(state: WalkState<D>, eyes: Vector<D> = state.position): void {
    if (state.isFlying && state.onGround) this.controls.isFlying = false;
    this.controls.touch.showDown(state.isFlying || state.inLiquid);
    this.#ears?.follow(state as unknown as WalkState<Dimensions>, eyes as unknown as Vector<Dimensions>);
  }

  /** Removes everything from the page. */
  dispose(): void {
    this.controls.dispose();
    this.sounds.dispose();
    this.#end.abort();
    this.element.remove();
  }

  #controlEvents(): ConstructorParameters<typeof Controls>[1] {
    return {
      dig: (point) => {
        const block = this.#play?.dig(point);
        if (block !== undefined) this.#hear("hit", block);
      },
      place: (point) => {
        const block = this.hotbar.chosen;
        if (block !== undefined && this.#play?.place(point, block)) this.#hear("place", block);
      },
      choose: (slot) => this.hotbar.choose(slot),
      turn: (slots) => this.hotbar.turn(slots),
      menu: () => this.pause(),
      key: (code) => this.#play?.keys?.[code]?.(),
      used: (what) => this.#hints.used(what),
      gesture: () => this.sounds.start(),
    };
  }

  #hear(kind: "hit" | "place", block: number): void {
    if (this.#world !== undefined) this.sounds.play(kind, materialOf(this.#world.blocks, block));
  }

  #setPaused(isPaused: boolean): void {
    this.controls.isActive = !isPaused;
    this.element.toggleAttribute("data-paused", isPaused);
    if (isPaused) this.#hints.used("menu");
  }

  #apply(): void {
    const { sensitivity, volume } = this.settings.values;
    this.controls.sensitivity = sensitivity;
    this.sounds.volume = volume;
  }

  #showHints(hasTouch: boolean): void {
    if (this.#play === undefined) return;
    this.#hints.show(hasTouch ? touchHints(this.#options) : keyHints(this.#options));
  }
}

function statusText(status: string, error: Error | undefined): string {
  if (status === "joined") return "";
  if (status === "connecting") return "Connecting";
  if (status === "waiting") return "The connection was lost. Trying again";
  return error?.message ?? "You have left the world.";
}
