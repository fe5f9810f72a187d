/** The element with an id that the page has. Throws when it lacks it: then page and program do not fit. */
export function element<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new TypeError(`the page has no ${kind.name} named ${id}`);
}
