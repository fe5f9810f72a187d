import { nameFault } from "@orthant/core/arguments";

/** The visitor: an access token, and a name to show to other players. */
export interface Visitor {
  readonly token: string;
  readonly name: string;
}

const TOKEN_KEY = "orthant viewer token";
const NAME_KEY = "orthant viewer name";
const NAME_LENGTH_MAX = 20;

/**
 * Returns the visitor of this page. A token arrives once in the address, as `#token=`. It is removed from the
 * address, so that a link to a position never carries it, and kept for this tab.
 */
export function visitorOf(location: Location): Visitor {
  const text = location.hash.replace(/^#/, "");
  const fields = new URLSearchParams(text);
  const given = fields.get("token");
  if (given !== null) {
    // The other fields stay exactly as written.
    const others = text.split("&").filter((field) => !new URLSearchParams(field).has("token"));
    history.replaceState(null, "", `#${others.join("&")}`);
    keepToken(given);
  }
  const named = fields.get("name")?.slice(0, NAME_LENGTH_MAX);
  if (named !== undefined) store(() => localStorage.setItem(NAME_KEY, named));
  const kept = read(() => localStorage.getItem(NAME_KEY));
  return {
    token: given ?? read(() => sessionStorage.getItem(TOKEN_KEY)),
    // A link may carry any name; one that a server would reject must not keep the visitor out.
    name: kept === "" || nameFault(kept) !== undefined ? "Visitor" : kept,
  };
}

/** Stores a token for this tab. */
export function keepToken(token: string): void {
  store(() => sessionStorage.setItem(TOKEN_KEY, token));
}

function read(get: () => string | null): string {
  try {
    return get() ?? "";
  } catch {
    return ""; // some pages have no access to storage
  }
}

function store(set: () => void): void {
  try {
    set();
  } catch {
    // Without storage, the page asks for the token again after a reload.
  }
}
