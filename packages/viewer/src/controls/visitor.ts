import { nameFault } from "@orthant/core";

/** Who visits: a token that opens the door, and a name for the others. */
export interface Visitor {
  readonly token: string;
  readonly name: string;
}

const TOKEN_KEY = "orthant viewer token";
const NAME_KEY = "orthant viewer name";
const NAME_LENGTH_MAX = 20;

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
  const named = fields.get("name")?.slice(0, NAME_LENGTH_MAX);
  if (named !== undefined) store(() => localStorage.setItem(NAME_KEY, named));
  const kept = read(() => localStorage.getItem(NAME_KEY));
  return {
    token: given ?? read(() => sessionStorage.getItem(TOKEN_KEY)),
    // A link may carry any name; one that a server would refuse must not keep the visitor out.
    name: kept === "" || nameFault(kept) !== undefined ? "Visitor" : kept,
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
