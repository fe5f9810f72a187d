import { element } from "./elements.ts";

/** What fingers do. Points and distances are in pixels of the page. */
export interface TouchEvents {
  /** The finger that looks around has moved. */
  look(right: number, down: number): void;
  /** A finger has tapped. */
  tap(x: number, y: number): void;
  /** A finger has held still until the ring was full, and again for each full ring. */
  hold(x: number, y: number): void;
}

/** A tap is shorter, and moves less. */
const TAP_MS = 250;
const STILL_PIXELS = 12;
/** How long a finger holds until the block is dug, and when the ring begins to show. */
const HOLD_MS = 550;
const RING_MS = 140;
/** The share of the page, from the left and from below, where a finger begins to walk. */
const [WALK_WIDTH, WALK_HEIGHT] = [0.42, 0.7];
/** The stick is pushed all the way, in rem; beyond this share the player runs. */
const STICK_REM = 3;
const RUN_SHARE = 1.35;
const SVG = "http://www.w3.org/2000/svg";

interface Finger {
  readonly kind: "walk" | "look";
  readonly startX: number;
  readonly startY: number;
  readonly startMs: number;
  x: number;
  y: number;
  isStill: boolean;
  /** When the ring that fills now began. */
  ringMs: number;
}

/** The left thumb walks, the right one looks, tap places, hold digs, and buttons jump and dive. */
export class TouchControls {
  readonly element: HTMLElement = element("div", "touch");
  readonly #events: TouchEvents;
  readonly #fingers = new Map<number, Finger>();
  readonly #knob = element("div", "knob");
  readonly #stick = element("div", "stick", this.#knob);
  readonly #ring = ring();
  readonly #jump = roundButton("Jump", "jump");
  readonly #down = roundButton("Down", "down");

  constructor(surface: HTMLElement, events: TouchEvents, signal: AbortSignal) {
    this.#events = events;
    this.#ring.element.style.display = "none";
    this.#down.element.hidden = true;
    this.element.append(this.#stick, this.#jump.element, this.#down.element, this.#ring.element);
    const listen = (type: "pointerdown" | "pointermove" | "pointerup" | "pointercancel"): void =>
      surface.addEventListener(
        type,
        (event) => {
          if (event.pointerType === "touch") this.#on(type, event);
        },
        { signal },
      );
    for (const type of ["pointerdown", "pointermove", "pointerup", "pointercancel"] as const) listen(type);
  }

  /** From -1 to 1 each: to the right and ahead. */
  get walk(): readonly [right: number, ahead: number] {
    const [right, down] = this.#push;
    const length = Math.max(1, Math.hypot(right, down));
    return [right / length, -down / length];
  }

  /** Whether the stick is pushed far out. */
  get isRunning(): boolean {
    return Math.hypot(...this.#push) > RUN_SHARE;
  }

  get isJumping(): boolean {
    return this.#jump.isHeld();
  }

  get isDiving(): boolean {
    return this.#down.isHeld();
  }

  /** Where a finger points to something, if one does. */
  get pointer(): { readonly x: number; readonly y: number } | undefined {
    return [...this.#fingers.values()].find(({ kind, isStill }) => kind === "look" && isStill);
  }

  /** Calls `listener` when the jump button is pressed. */
  onJump(listener: () => void): void {
    this.#jump.element.addEventListener("pointerdown", listener);
  }

  /** Shows the button that leads down, for players who swim or fly. */
  showDown(isShown: boolean): void {
    this.#down.element.hidden = !isShown;
  }

  /** Fills the ring of a finger that holds still. Call it once a frame. */
  update(nowMs: number): void {
    const finger = [...this.#fingers.values()].find(({ kind, isStill }) => kind === "look" && isStill);
    const heldMs = finger === undefined ? 0 : nowMs - finger.ringMs;
    this.#ring.element.style.display = heldMs > RING_MS ? "" : "none";
    if (finger === undefined || heldMs <= RING_MS) return;
    this.#ring.element.style.left = `${finger.x}px`;
    this.#ring.element.style.top = `${finger.y}px`;
    this.#ring.fill((heldMs - RING_MS) / (HOLD_MS - RING_MS));
    if (heldMs < HOLD_MS) return;
    finger.ringMs = nowMs;
    this.#events.hold(finger.x, finger.y);
  }

  /** Forgets all fingers, as when the game pauses. */
  release(): void {
    this.#fingers.clear();
    this.#jump.release();
    this.#down.release();
    this.#drawStick();
  }

  #on(type: string, event: PointerEvent): void {
    event.preventDefault();
    if (type === "pointerdown") this.#begin(event);
    else if (type === "pointermove") this.#move(event);
    else this.#end(event, type === "pointerup");
    this.#drawStick();
  }

  #begin({ pointerId, clientX: x, clientY: y, timeStamp }: PointerEvent): void {
    const isWalking = [...this.#fingers.values()].some(({ kind }) => kind === "walk");
    const isLeft = x < innerWidth * WALK_WIDTH && y > innerHeight * (1 - WALK_HEIGHT);
    const kind = isLeft && !isWalking ? "walk" : "look";
    this.#fingers.set(pointerId, {
      kind,
      startX: x,
      startY: y,
      startMs: timeStamp,
      x,
      y,
      isStill: true,
      ringMs: performance.now(),
    });
  }

  #move({ pointerId, clientX: x, clientY: y }: PointerEvent): void {
    const finger = this.#fingers.get(pointerId);
    if (finger === undefined) return;
    if (Math.hypot(x - finger.startX, y - finger.startY) > STILL_PIXELS) finger.isStill = false;
    if (finger.kind === "look" && !finger.isStill) this.#events.look(x - finger.x, y - finger.y);
    finger.x = x;
    finger.y = y;
  }

  #end({ pointerId, timeStamp }: PointerEvent, isLifted: boolean): void {
    const finger = this.#fingers.get(pointerId);
    this.#fingers.delete(pointerId);
    if (finger === undefined || !isLifted) return;
    if (finger.isStill && timeStamp - finger.startMs < TAP_MS) this.#events.tap(finger.x, finger.y);
  }

  /** How far the stick is pushed to the right and down; 1 is all the way. */
  get #push(): readonly [right: number, down: number] {
    const finger = [...this.#fingers.values()].find(({ kind }) => kind === "walk");
    if (finger === undefined || finger.isStill) return [0, 0];
    const reach = STICK_REM * remPixels();
    return [(finger.x - finger.startX) / reach, (finger.y - finger.startY) / reach];
  }

  #drawStick(): void {
    const finger = [...this.#fingers.values()].find(({ kind }) => kind === "walk");
    this.#stick.classList.toggle("held", finger !== undefined);
    const [right, ahead] = this.walk;
    this.#knob.style.translate = `${right * 2}rem ${-ahead * 2}rem`;
    if (finger === undefined) {
      this.#stick.style.cssText = "";
      return;
    }
    const half = this.#stick.offsetWidth / 2;
    this.#stick.style.left = `${finger.startX - half}px`;
    this.#stick.style.bottom = `${innerHeight - finger.startY - half}px`;
  }
}

function remPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}

interface RoundButton {
  readonly element: HTMLElement;
  isHeld(): boolean;
  release(): void;
}

/** A button that is held like a key, by any finger. */
function roundButton(label: string, className: string): RoundButton {
  const made = element("button", `round ${className}`);
  made.type = "button";
  made.tabIndex = -1;
  made.ariaLabel = label;
  const arrow = vector("svg", { viewBox: "0 0 24 24" });
  arrow.append(vector("path", { d: "M5 15l7-7 7 7" }));
  made.append(arrow);
  let isHeld = false;
  const release = (): void => {
    isHeld = false;
  };
  made.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    isHeld = true;
  });
  for (const type of ["pointerup", "pointercancel"] as const) made.addEventListener(type, release);
  made.addEventListener("contextmenu", (event) => event.preventDefault());
  return { element: made, isHeld: () => isHeld, release };
}

/** The ring around a finger that holds. */
function ring(): { readonly element: SVGElement; fill(share: number): void } {
  const circle = { cx: "48", cy: "48", r: "42", pathLength: "1" };
  const made = vector("svg", { viewBox: "0 0 96 96", class: "ring" });
  const filled = vector("circle", { ...circle, class: "fill", "stroke-dasharray": "0 1" });
  made.append(vector("circle", { ...circle, class: "track" }), filled);
  return {
    element: made,
    fill: (share) => filled.setAttribute("stroke-dasharray", `${Math.min(1, share)} 1`),
  };
}

function vector(name: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const made = document.createElementNS(SVG, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
