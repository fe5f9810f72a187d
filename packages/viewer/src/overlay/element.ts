import { printable } from "@orthant/core";

/** Returns the page's element with an id. Throws when it is missing: page and program do not match. */
export function element<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new TypeError(`the page has no ${kind.name} named ${id}`);
}

/**
 * Shows text from a world, a player or a server. Escapes characters that a browser would act on, such as
 * direction marks.
 */
export function showText(shown: HTMLElement, text: string): void {
  const safe = printable(text);
  if (shown.textContent !== safe) shown.textContent = safe;
}
