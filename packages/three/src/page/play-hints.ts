import type { ControlOptions } from "./controls.ts";
import type { Hint } from "./hints.ts";
import { keyBindings } from "./key-bindings.ts";

/** Says how to play with a keyboard and a mouse. */
export function keyHints({ keys, mouse, canFly }: ControlOptions): Readonly<Record<string, Hint>> {
  const bindings = keyBindings(keys);
  const first = (action: keyof typeof bindings): string => keyName(bindings[action][0] ?? "");
  const isFirstPerson = mouse !== "points";
  const walk = isFirstPerson ? (["ahead", "left", "back", "right"] as const) : (["left", "right"] as const);
  return {
    ...(isFirstPerson && { look: { keys: "Click", text: "look around" } }),
    walk: { keys: walk.map(first).join(" "), text: "walk" },
    jump: { keys: first("jump"), text: "jump" },
    dig: { keys: `Left click or ${first("dig")}`, text: "dig" },
    place: { keys: `Right click or ${first("place")}`, text: "build" },
    choose: { keys: "1 to 9", text: "choose a block" },
    ...(canFly && { fly: { keys: `${first("jump")} twice`, text: "fly" } }),
    menu: { keys: "Esc", text: "pause" },
  };
}

/** Says how to play with fingers. */
export function touchHints({ mouse, canFly }: ControlOptions): Readonly<Record<string, Hint>> {
  return {
    walk: { keys: "Left thumb", text: "walk" },
    ...(mouse !== "points" && { look: { keys: "Right thumb", text: "look around" } }),
    place: { keys: "Tap", text: "build" },
    dig: { keys: "Hold", text: "dig" },
    ...(canFly && { fly: { keys: "Jump twice", text: "fly" } }),
  };
}

/** Returns what is on a key, such as W for KeyW, on most keyboards. */
function keyName(code: string): string {
  return (
    code.replace(/^(?:Key|Digit)|(?:Left|Right)$/g, "").replace("Arrow", "") || code.replace("Arrow", "")
  );
}
