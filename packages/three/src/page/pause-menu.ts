import { element } from "./elements.ts";
import { type GameSettings, SETTING_RANGES, type SettingName } from "./game-settings.ts";

/** A number that players set in the menu. */
export interface Slider {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** Its value when the menu opens. */
  value(): number;
  /** How a value reads, such as `128 m`. */
  text(value: number): string;
  set(value: number): void;
}

const percent = (value: number): string => `${Math.round(value * 100)} %`;
const SETTINGS: readonly (readonly [name: SettingName, label: string, text: (value: number) => string])[] = [
  ["viewDistance", "View distance", (value) => `${value} m`],
  ["fieldOfView", "Field of view", (value) => `${value}°`],
  ["sensitivity", "Sensitivity", (value) => value.toFixed(1)],
  ["brightness", "Brightness", percent],
  ["volume", "Volume", percent],
];

/** What else the menu offers, such as to leave the game. */
export interface MenuButton {
  readonly label: string;
  press(): void;
}

/** What the menu does. */
export interface PauseMenuOptions {
  readonly title: string;
  readonly settings: GameSettings;
  /** Settings that the game does not have, such as the field of view in 2D. */
  readonly without?: readonly SettingName[];
  /** The game's own numbers, such as the time of day; after the settings. */
  readonly sliders?: readonly Slider[];
  /** The game's own buttons, at the end. Each closes the menu. */
  readonly buttons: readonly MenuButton[];
  readonly onOpen: () => void;
  readonly onClose: () => void;
  /** The player returns to the game; called after `onClose`. */
  readonly onResume: () => void;
}

/** The menu over a game that pauses. Everything in it works with the keyboard. */
export class PauseMenu {
  readonly element: HTMLDialogElement = element("dialog", "menu");
  readonly #options: PauseMenuOptions;

  constructor(options: PauseMenuOptions) {
    this.#options = options;
    this.element.ariaLabel = "Pause";
    this.element.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.resume();
    });
    // A press beside the panel is a press on the dialog itself.
    this.element.addEventListener("pointerdown", ({ target }) => {
      if (target === this.element) this.resume();
    });
  }

  get isOpen(): boolean {
    return this.element.open;
  }

  /** Shows the menu. */
  open(): void {
    if (this.isOpen) return;
    this.element.replaceChildren(this.#panel());
    this.element.showModal();
    this.element.querySelector("button")?.focus();
    this.#options.onOpen();
  }

  /** Closes it, so that the game goes on. */
  resume(): void {
    if (!this.isOpen) return;
    this.#close();
    this.#options.onResume();
  }

  #close(): void {
    // A closed slider would still get the next keys.
    this.element.querySelector<HTMLElement>(":focus")?.blur();
    this.element.close();
    this.#options.onClose();
  }

  #panel(): HTMLElement {
    const { title, settings, without = [], sliders = [], buttons } = this.#options;
    const panel = element("div", "panel", element("h1", "", title));
    panel.append(button("Resume", "primary", () => this.resume()));
    for (const [name, label, text] of SETTINGS) {
      if (without.includes(name)) continue;
      const value = (): number => settings.values[name];
      const set = (next: number): void => settings.set(name, next);
      panel.append(row({ label, ...SETTING_RANGES[name], value, text, set }));
    }
    panel.append(...sliders.map(row));
    for (const { label, press } of buttons) {
      const closeAndPress = (): void => {
        this.#close();
        press();
      };
      panel.append(button(label, "", closeAndPress));
    }
    return panel;
  }
}

function button(text: string, className: string, act: () => void): HTMLElement {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

function row({ label, min, max, step, value, text, set }: Slider): HTMLElement {
  const [input, shown] = [element("input"), element("output", "", text(value()))];
  Object.assign(input, { type: "range", min, max, step });
  input.valueAsNumber = value();
  const fill = (): void => {
    input.style.setProperty("--share", String((input.valueAsNumber - min) / (max - min)));
    input.ariaValueText = text(input.valueAsNumber);
    shown.value = text(input.valueAsNumber);
  };
  fill();
  input.addEventListener("input", () => {
    set(input.valueAsNumber);
    fill();
  });
  return element("label", "setting", element("span", "", label), shown, input);
}
