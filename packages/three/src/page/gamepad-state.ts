/** What a gamepad says. Sticks are from -1 to 1, to the right and up. */
export interface GamepadState {
  readonly walk: readonly [right: number, ahead: number];
  readonly look: readonly [right: number, up: number];
  readonly buttons: Readonly<Record<GamepadButtonName, boolean>>;
}

/** Buttons in the standard layout, by what they do here. */
const BUTTONS = {
  jump: 0,
  down: 1,
  fly: 3,
  previous: 4,
  next: 5,
  place: 6,
  dig: 7,
  menu: 9,
  run: 10,
} as const;
/** A button that does something here. */
export type GamepadButtonName = keyof typeof BUTTONS;

/** Sticks are never quite in the middle. */
const DEAD_ZONE = 0.16;

/** Returns what the first gamepad with the standard layout says, if there is one. */
export function readGamepad(): GamepadState | undefined {
  const pads = typeof navigator.getGamepads === "function" ? navigator.getGamepads() : [];
  const pad = pads.find((found) => found?.connected && found.mapping === "standard");
  if (!pad) return undefined;
  const stick = (axis: number): number => {
    const value = pad.axes[axis] ?? 0;
    return Math.abs(value) < DEAD_ZONE ? 0 : (value - Math.sign(value) * DEAD_ZONE) / (1 - DEAD_ZONE);
  };
  const pressed = Object.entries(BUTTONS).map(([name, index]) => [
    name,
    pad.buttons[index]?.pressed ?? false,
  ]);
  return {
    walk: [stick(0), -stick(1)],
    look: [stick(2), -stick(3)],
    buttons: Object.fromEntries(pressed) as Record<GamepadButtonName, boolean>,
  };
}
