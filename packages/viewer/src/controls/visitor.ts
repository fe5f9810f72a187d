/** Who visits: a token that opens the door, and a name for the others. */
export interface Visitor {
  readonly token: string;
  readonly name: string;
}

const TOKEN_KEY = "orthant viewer token";
const NAME_KEY = "orthant viewer name";

/**
 * The visitor of this page. A token comes at the end of the address once, as `#token=`; it is taken out of there, so
 * that a link to a place never carries it, and kept for this tab.
 */
export function visitorOf(location: Location): Visitor {
  const text = location.hash.replace(/^#/, "");
  const fields = new URLSearchParams(text);
  const given = fields.get("token");
  if (given !== null) {
    // All the rest stays as it is written.
    const others = text.split("&").filter((field) => !new URLSearchParams(field).has("token"));
    history.replaceState(null, "", `#${others.join("&")}`);
    keepToken(given);
  }
  const named = fields.get("name");
  if (named !== null) store(() => localStorage.setItem(NAME_KEY, named.slice(0, 20)));
  return {
    token: given ?? read(() => sessionStorage.getItem(TOKEN_KEY)),
    name: read(() => localStorage.getItem(NAME_KEY)) || "Visitor",
  };
}

/** Keeps a token for this tab. */
export function keepToken(token: string): void {
  store(() => sessionStorage.setItem(TOKEN_KEY, token));
}

function read(get: () => string | null): string {
  try {
    return get() ?? "";
  } catch {
    return ""; // storage is refused to some pages; then nothing is kept
  }
}

function store(set: () => void): void {
  try {
    set();
  } catch {
    // As above: the token is asked for again when the page is opened again.
  }
}
