import { printable } from "@orthant/core/arguments";
import style from "./viewer.css?inline";
import markup from "./viewer.html?raw";

/** Not `div`: rules of the page around it for elements that it uses itself do not apply. */
const TAG = "orthant-viewer";

/**
 * The elements of one viewer, in a shadow tree: its styles and ids meet neither the page's nor those of
 * another viewer. No style is inline, so a strict content security policy allows all of it.
 */
export class ViewerElements {
  /** The only element that the page itself sees. */
  readonly host: HTMLElement = document.createElement(TAG);
  readonly #root: ShadowRoot = this.host.attachShadow({ mode: "open" });

  constructor(parent: Element) {
    this.add(markup, style);
    parent.append(this.host);
  }

  /** Adds elements that are loaded later, with their styles. */
  add(markup: string, style: string): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    this.#root.adoptedStyleSheets = [...this.#root.adoptedStyleSheets, sheet];
    const template = document.createElement("template");
    template.innerHTML = markup;
    this.#root.append(template.content);
  }

  /** Returns the element with an id. Throws when it is missing: markup and program do not match. */
  find<Kind extends Element>(id: string, kind: new () => Kind): Kind {
    const found = this.#root.getElementById(id);
    if (found instanceof kind) return found;
    throw new TypeError(`the viewer has no ${kind.name} named ${id}`);
  }

  /** Shows whether a button is pressed. */
  press(id: string, isPressed: boolean): void {
    this.find(id, HTMLElement).setAttribute("aria-pressed", String(isPressed));
  }

  /** Removes all elements from the page. */
  remove(): void {
    this.host.remove();
    this.#root.replaceChildren();
  }
}

/**
 * Shows text from a world, a player or a server. Escapes characters that a browser would act on, such as
 * direction marks.
 */
export function showText(shown: HTMLElement, text: string): void {
  const safe = printable(text);
  if (shown.textContent !== safe) shown.textContent = safe;
}

/** Returns the rows of a list of terms, each with its value. */
export function termRows(rows: readonly (readonly [term: string, value: string])[]): readonly HTMLElement[] {
  return rows.flatMap(([name, value]) => {
    const [term, detail] = [document.createElement("dt"), document.createElement("dd")];
    showText(term, name);
    showText(detail, value);
    return [term, detail];
  });
}
