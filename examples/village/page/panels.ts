// The parts of the page that are this game's own: the login and the chat.
import type { Items } from "../src/game.ts";

/** Returns an element of the page that is there. */
export const find = <E extends HTMLElement>(selector: string): E => document.querySelector(selector) as E;

export const textOf = (items: Items): string =>
  Object.entries(items)
    .map((item) => item.reverse().join(" "))
    .join(", ") || "nothing";

/** Lets the player log in. Resolves with a function that returns a token for each connection. */
export async function logIn(): Promise<() => Promise<string>> {
  const [dialog, form] = [find<HTMLDialogElement>("dialog"), find<HTMLFormElement>("dialog form")];
  dialog.showModal();
  const token = async (): Promise<string> => {
    const body = new URLSearchParams([...new FormData(form)] as [string, string][]);
    const answer = await fetch("/login", { method: "POST", body });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.text();
  };
  return new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      const play = (): void => [dialog.close(), resolve(token)][0];
      token().then(play, ({ message }: Error) => find("dialog output").replaceChildren(message));
    };
  });
}

/** Shows the chat. `say` gets what the player says. */
export function startChat(say: (text: string) => void): void {
  find("section").hidden = false;
  find("section form").onsubmit = (event) => {
    event.preventDefault();
    const input = find<HTMLInputElement>("section input");
    say(input.value);
    input.value = "";
    input.blur();
  };
}

/** Lets the player type. The key that was pressed for it is not typed. */
export const talk = (): unknown => setTimeout(() => find("section input").focus());

/** Shows what the player reads, below what was there last. */
export const hear = (text: string): void =>
  find("#chat").replaceChildren([...`${find("#chat").textContent}`.split("\n").slice(-5), text].join("\n"));
