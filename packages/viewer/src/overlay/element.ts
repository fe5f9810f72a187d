import { printable } from "@orthant/core";

/** The element with an id that the page has. Throws when it lacks it: then page and program do not fit. */
export function element<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new TypeError(`the page has no ${kind.name} named ${id}`);
}

/** Shows text of a world, a player or a server. Characters that a browser would act on, such as direction marks, are escaped. */
export function showText(shown: HTMLElement, text: string): void {
  const safe = printable(text);
  if (shown.textContent !== safe) shown.textContent = safe;
}
