import { type GamepadButtonName, type GamepadState, readGamepad } from "./gamepad-state.ts";
import { BoundKeys, type KeyBindings, keyBindings } from "./key-bindings.ts";
import { TouchControls } from "./touch-controls.ts";
import type { WalkInput } from "./walking.ts";

/** A place on the canvas, from -1 to 1: to the right and up, as three.js has it. The middle is where the cross is. */
export interface ScreenPoint {
  readonly x: number;
  readonly y: number;
}

/** How a player controls a game. */
export interface ControlOptions {
  /** Keys that differ from the default ones. */
  readonly keys?: Partial<KeyBindings>;
  /** Whether the mouse looks around, as in first person, or points at things, as in 2D. */
  readonly mouse?: "looks" | "points";
  /** Whether a player may fly; then a second press of the jump key begins and ends it. */
  readonly canFly?: boolean;
}

/** What the player asks for. */
export interface ControlEvents {
  dig(point: ScreenPoint): void;
  place(point: ScreenPoint): void;
  /** Another slot: by its number from 0, or by its distance from the chosen one. */
  choose(slot: number): void;
  turn(slots: number): void;
  menu(): void;
  /** A key that does nothing here was pressed. */
  key(code: string): void;
  /** The player has walked, looked, jumped, flown, dug or placed for this once. */
  used(what: "walk" | "look" | "jump" | "fly" | "dig" | "place" | "choose"): void;
  /** Something was pressed or touched: browsers allow sound from now on. */
  gesture(): void;
}

const MIDDLE: ScreenPoint = { x: 0, y: 0 };
const RADIANS_PER_PIXEL = 0.0026;
/** A finger's way across a phone turns as far as a mouse's across a desk. */
const TOUCH_RADIANS_PER_PIXEL = 0.0062;
const KEY_RADIANS_PER_SECOND = 2;
const GAMEPAD_RADIANS_PER_SECOND = 2.6;
const PITCH_MAX: number = Math.PI / 2 - 0.02;
/** Time between two blocks while a button or key is held. */
const REPEAT_SECONDS = 0.24;
const DOUBLE_PRESS_MS = 300;
const PIXELS_PER_NOTCH = 90;

/** Keyboard, mouse, fingers and gamepad, as one. */
export class Controls {
  /** Where the player looks, in radians. */
  yaw = 0;
  pitch = 0;
  /** Whether the player wants to fly. */
  isFlying = false;
  /** How fast mouse, fingers and sticks turn the view; 1 is usual. */
  sensitivity = 1;
  readonly touch: TouchControls;
  readonly #canvas: HTMLElement;
  readonly #options: ControlOptions;
  readonly #events: ControlEvents;
  readonly #keys: BoundKeys;
  readonly #end = new AbortController();
  #isActive = false;
  #isLeaving = false;
  #hasTouch: boolean = matchMedia("(pointer: coarse)").matches;
  #pointer: ScreenPoint = MIDDLE;
  /** Mouse button that is held. */
  #button: "dig" | "place" | undefined;
  #repeat = 0;
  #jumpMs = Number.NEGATIVE_INFINITY;
  #wheel = 0;
  #pad: GamepadState | undefined;

  constructor(canvas: HTMLElement, events: ControlEvents, options: ControlOptions = {}) {
    this.#canvas = canvas;
    this.#events = events;
    this.#options = options;
    this.#keys = new BoundKeys(keyBindings(options.keys));
    canvas.style.touchAction = "none";
    const touchEvents = {
      look: (right: number, down: number): void => {
        if (!this.#isActive || options.mouse === "points") return;
        this.#look(right, down, TOUCH_RADIANS_PER_PIXEL);
      },
      tap: (x: number, y: number): void => this.#act("place", this.#pointAt(x, y)),
      hold: (x: number, y: number): void => this.#act("dig", this.#pointAt(x, y)),
    };
    this.touch = new TouchControls(canvas, touchEvents, this.#end.signal);
    this.touch.onJump(() => this.#pressJump());
    this.#listenToKeys();
    this.#listenToMouse();
  }

  /** Whether the player controls the game, and not a menu. */
  get isActive(): boolean {
    return this.#isActive;
  }

  set isActive(isActive: boolean) {
    this.#isActive = isActive;
    this.#release();
    if (!isActive && document.pointerLockElement === this.#canvas) this.#leaveLock();
  }

  /** Whether the player has used fingers last. */
  get hasTouch(): boolean {
    return this.#hasTouch;
  }

  /** What the player points at: the middle, or where the mouse or a finger is; `undefined` while no finger is down. */
  get pointer(): ScreenPoint | undefined {
    if (this.#hasTouch) {
      const finger = this.touch.pointer;
      return finger && this.#pointAt(finger.x, finger.y);
    }
    return this.#options.mouse === "points" ? this.#pointer : MIDDLE;
  }

  /** Hides the mouse and lets it look around. Browsers may refuse it; then the mouse looks while a button is held. */
  lock(): void {
    if (this.#options.mouse === "points" || this.#hasTouch || document.pointerLockElement) return;
    const locked = this.#canvas.requestPointerLock() as Promise<void> | undefined;
    locked?.catch(() => undefined); // refused: for a second after Escape, or in a frame that may not
  }

  /** Returns what the player wants to do now, and repeats what is held. Call it once a frame. */
  read(seconds: number): WalkInput {
    if (!this.#isActive) return this.#input(0, 0, false);
    this.touch.update(performance.now());
    this.#readGamepad(seconds);
    const keys = this.#keys;
    const turn = KEY_RADIANS_PER_SECOND * seconds;
    const [right, up] = [keys.axis("lookRight", "lookLeft") * turn, keys.axis("lookUp", "lookDown") * turn];
    if (right !== 0 || up !== 0) this.#turn(right, up);
    this.#repeatHeld(seconds);
    const [stickRight, stickAhead] = this.touch.walk;
    const [padRight, padAhead] = this.#pad?.walk ?? [0, 0];
    const clamp = (value: number): number => Math.max(-1, Math.min(1, value));
    const input = this.#input(
      clamp(keys.axis("ahead", "back") + stickAhead + padAhead),
      clamp(keys.axis("right", "left") + stickRight + padRight),
      true,
    );
    if (input.ahead !== 0 || input.right !== 0) this.#events.used("walk");
    if (input.jump) this.#events.used("jump");
    return input;
  }

  /** Stops listening. */
  dispose(): void {
    this.isActive = false;
    this.#end.abort();
  }

  #input(ahead: number, right: number, isActive: boolean): WalkInput {
    const held = (action: "jump" | "down" | "run"): boolean =>
      isActive && (this.#keys.has(action) || this.#isPadHeld(action));
    return {
      ahead,
      right,
      jump: held("jump") || (isActive && this.touch.isJumping),
      down: held("down") || (isActive && this.touch.isDiving),
      run: held("run") || (isActive && this.touch.isRunning),
      fly: this.isFlying,
      climb: this.#hasTouch || this.#pad !== undefined || this.#options.mouse === "points",
      yaw: this.yaw,
      pitch: this.pitch,
    };
  }

  #listenToKeys(): void {
    const { signal } = this.#end;
    addEventListener("keydown", (event) => this.#onKey(event), { signal });
    addEventListener("keyup", ({ code }) => this.#keys.release(code), { signal });
    addEventListener("blur", () => this.#release(), { signal });
  }

  #onKey(event: KeyboardEvent): void {
    if (!this.#isActive || isTyping(event)) return;
    const { code, repeat, ctrlKey, metaKey, altKey } = event;
    this.#events.gesture();
    const isRunKey = this.#keys.is(code, "run");
    // Shortcuts of the browser stay what they are, unless the player runs with the same key.
    if (metaKey || altKey || (ctrlKey && !isRunKey && !this.#keys.has("run"))) return;
    if (this.#keys.isBound(code)) event.preventDefault();
    this.#keys.press(code);
    if (repeat) return;
    this.#hasTouch = false;
    if (this.#keys.is(code, "jump")) this.#pressJump();
    for (const action of ["dig", "place"] as const) {
      if (!this.#keys.is(code, action)) continue;
      this.#repeat = REPEAT_SECONDS;
      this.#act(action, this.pointer ?? MIDDLE);
    }
    if (this.#keys.is(code, "fly")) this.#toggleFlight();
    const digit = /^(?:Digit|Numpad)(?<digit>[1-9])$/.exec(code)?.groups?.["digit"];
    if (digit !== undefined) this.#choose(() => this.#events.choose(Number(digit) - 1));
    if (code === "Escape") {
      event.preventDefault(); // or else the same press closes the menu
      this.#events.menu();
    }
    if (!this.#keys.isBound(code)) this.#events.key(code);
  }

  #listenToMouse(): void {
    const { signal } = this.#end;
    const canvas = this.#canvas;
    canvas.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
    canvas.addEventListener("pointerdown", (event) => this.#onPress(event), { signal });
    addEventListener(
      "pointerup",
      ({ pointerType }) => {
        if (pointerType !== "touch") this.#button = undefined;
      },
      { signal },
    );
    addEventListener("pointermove", (event) => this.#onMove(event), { signal });
    canvas.addEventListener("wheel", (event) => this.#onWheel(event), { signal, passive: false });
    document.addEventListener(
      "pointerlockchange",
      () => {
        if (document.pointerLockElement === canvas) {
          if (this.#isActive) this.#events.used("look");
          else this.#leaveLock(); // the menu was opened meanwhile
          return;
        }
        // The player pressed Escape, which pages are not told, or went to another window.
        if (!this.#isLeaving && this.#isActive) this.#events.menu();
        this.#isLeaving = false;
      },
      { signal },
    );
  }

  #onPress(event: PointerEvent): void {
    if (!this.#isActive) return;
    this.#hasTouch = event.pointerType === "touch";
    this.#events.gesture();
    if (event.pointerType === "touch") return;
    this.#pointer = this.#pointAt(event.clientX, event.clientY);
    const isPointing = this.#options.mouse === "points" || document.pointerLockElement === this.#canvas;
    if (!isPointing) {
      this.lock();
      return;
    }
    if (event.button !== 0 && event.button !== 2) return;
    this.#button = event.button === 0 ? "dig" : "place";
    this.#repeat = REPEAT_SECONDS;
    this.#act(this.#button, this.pointer ?? MIDDLE);
  }

  #onMove(event: PointerEvent): void {
    if (!this.#isActive || event.pointerType === "touch") return;
    this.#pointer = this.#pointAt(event.clientX, event.clientY);
    const isLooking = document.pointerLockElement === this.#canvas || event.buttons !== 0;
    if (isLooking && this.#options.mouse !== "points")
      this.#look(event.movementX, event.movementY, RADIANS_PER_PIXEL);
  }

  #onWheel(event: WheelEvent): void {
    if (!this.#isActive) return;
    event.preventDefault();
    this.#wheel += event.deltaY * (event.deltaMode === 0 ? 1 : PIXELS_PER_NOTCH / 3);
    const notches = Math.trunc(this.#wheel / PIXELS_PER_NOTCH);
    if (notches === 0) return;
    this.#wheel -= notches * PIXELS_PER_NOTCH;
    this.#choose(() => this.#events.turn(Math.sign(notches)));
  }

  /** Takes the gamepad's state; presses count once, and triggers repeat. */
  #readGamepad(seconds: number): void {
    const before = this.#pad;
    this.#pad = readGamepad();
    if (this.#pad === undefined) return;
    const [right, up] = this.#pad.look;
    if (right !== 0 || up !== 0) {
      this.#hasTouch = false;
      const turn = GAMEPAD_RADIANS_PER_SECOND * seconds * this.sensitivity;
      this.#turn(right * Math.abs(right) * turn, up * Math.abs(up) * turn);
    }
    const isPressed = (name: GamepadButtonName): boolean =>
      this.#isPadHeld(name) && before?.buttons[name] !== true;
    if (isPressed("menu")) this.#events.menu();
    if (isPressed("jump")) this.#pressJump();
    if (isPressed("fly")) this.#toggleFlight();
    if (isPressed("previous")) this.#choose(() => this.#events.turn(-1));
    if (isPressed("next")) this.#choose(() => this.#events.turn(1));
    for (const action of ["dig", "place"] as const) {
      if (!isPressed(action)) continue;
      this.#repeat = REPEAT_SECONDS;
      this.#act(action, MIDDLE);
    }
  }

  #isPadHeld(name: GamepadButtonName): boolean {
    return this.#pad?.buttons[name] === true;
  }

  #repeatHeld(seconds: number): void {
    const held = (["dig", "place"] as const).find(
      (action) => this.#button === action || this.#keys.has(action) || this.#isPadHeld(action),
    );
    if (held === undefined) return;
    this.#repeat -= seconds;
    if (this.#repeat > 0) return;
    this.#repeat = REPEAT_SECONDS;
    this.#act(held, this.pointer ?? MIDDLE);
  }

  #act(action: "dig" | "place", point: ScreenPoint): void {
    if (!this.#isActive) return;
    this.#events.used(action);
    this.#events[action](point);
  }

  #choose(act: () => void): void {
    this.#events.used("choose");
    act();
  }

  #pressJump(): void {
    const now = performance.now();
    const isSecond = now - this.#jumpMs < DOUBLE_PRESS_MS;
    this.#jumpMs = isSecond ? Number.NEGATIVE_INFINITY : now;
    if (isSecond) this.#toggleFlight();
  }

  #toggleFlight(): void {
    if (this.#options.canFly !== true) return;
    this.isFlying = !this.isFlying;
    this.#events.used("fly");
  }

  #look(right: number, down: number, radians: number): void {
    this.#turn(right * radians * this.sensitivity, -down * radians * this.sensitivity);
  }

  #turn(right: number, up: number): void {
    this.yaw -= right;
    this.pitch = Math.max(-PITCH_MAX, Math.min(PITCH_MAX, this.pitch + up));
    this.#events.used("look");
  }

  #pointAt(clientX: number, clientY: number): ScreenPoint {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    return { x: ((clientX - left) / width) * 2 - 1, y: 1 - ((clientY - top) / height) * 2 };
  }

  #leaveLock(): void {
    this.#isLeaving = true;
    document.exitPointerLock();
  }

  #release(): void {
    this.#keys.releaseAll();
    this.touch.release();
    this.#button = undefined;
  }
}

/** Whether a key goes into a text that the player writes, such as a chat. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
