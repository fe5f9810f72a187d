/** Callbacks for mouse and touch input. All distances are in CSS pixels. */
export interface PointerEvents {
  /** One pointer was dragged. */
  readonly onDrag: (right: number, down: number) => void;
  /** Two fingers moved together, and `apart` pixels away from each other. */
  readonly onPinch: (right: number, down: number, apart: number) => void;
  /** A pointer was pressed and released without moving. */
  readonly onClick: (event: PointerEvent) => void;
  /** The mouse moved with no button pressed. */
  readonly onHover: (event: PointerEvent) => void;
  /** The wheel turned by `notches`. */
  readonly onWheel: (notches: number, event: WheelEvent) => void;
}

/** A pointer that moves less than this clicks rather than drags. */
const CLICK_PIXELS = 5;
const PIXELS_PER_NOTCH = 100;
const PIXELS_PER_LINE = 33;

interface Held {
  x: number;
  y: number;
  moved: number;
}

/** Watches the pointers over an element. */
export function watchPointers(target: HTMLElement, events: PointerEvents): void {
  const held = new Map<number, Held>();
  let wheel = 0;

  target.addEventListener("pointerdown", (event) => {
    target.setPointerCapture(event.pointerId);
    held.set(event.pointerId, { x: event.clientX, y: event.clientY, moved: 0 });
  });
  target.addEventListener("pointermove", (event) => {
    const pointer = held.get(event.pointerId);
    if (pointer === undefined) {
      events.onHover(event);
      return;
    }
    const before = spreadOf(held);
    const right = event.clientX - pointer.x;
    const down = event.clientY - pointer.y;
    pointer.x = event.clientX;
    pointer.y = event.clientY;
    pointer.moved += Math.hypot(right, down);
    if (held.size === 2) events.onPinch(right / 2, down / 2, spreadOf(held) - before);
    else if (pointer.moved >= CLICK_PIXELS) events.onDrag(right, down);
  });
  target.addEventListener("pointerup", (event) => {
    const pointer = held.get(event.pointerId);
    if (pointer !== undefined && pointer.moved < CLICK_PIXELS && held.size === 1) events.onClick(event);
    held.delete(event.pointerId);
  });
  target.addEventListener("pointercancel", (event) => held.delete(event.pointerId));
  target.addEventListener("contextmenu", (event) => event.preventDefault());
  target.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      wheel += (event.deltaY * (event.deltaMode === 0 ? 1 : PIXELS_PER_LINE)) / PIXELS_PER_NOTCH;
      const notches = Math.trunc(wheel);
      wheel -= notches;
      if (notches !== 0) events.onWheel(notches, event);
    },
    { passive: false },
  );
}

function spreadOf(held: ReadonlyMap<number, Held>): number {
  const [first, second] = [...held.values()];
  return first && second ? Math.hypot(first.x - second.x, first.y - second.y) : 0;
}
