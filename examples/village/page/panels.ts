// The parts of the page that are this game's own: the login, the chat, and the bag.
import { type Items, RECIPES, sum } from "../src/game.ts";

/** Returns an element of the page that is there. */
export const find = <E extends HTMLElement>(selector: string): E => document.querySelector(selector) as E;

export const textOf = (items: Items): string =>
  Object.entries(items)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ") || "nothing";

/** Lets the player log in. Resolves with a function that returns a token for each connection. */
export async function logIn(): Promise<() => Promise<string>> {
  const [dialog, form] = [find<HTMLDialogElement>("#login"), find<HTMLFormElement>("#login form")];
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
      token().then(play, ({ message }: Error) => find("#login output").replaceChildren(message));
    };
  });
}

/** Shows the chat. `say` gets what the player says. */
export function startChat(say: (text: string) => void): void {
  find("section").hidden = false;
  find("section form").onsubmit = (event) => {
    event.preventDefault();
    const input = find<HTMLInputElement>("section input");
    if (input.value !== "") say(input.value);
    input.value = "";
    input.blur();
  };
}

/** Lets the player type. The key that was pressed for it is not typed. */
export const talk = (): unknown => setTimeout(() => find("section input").focus());

/** Shows what the player reads. */
export function hear(text: string): void {
  const line = document.createElement("li");
  line.append(text);
  find("ol").append(line);
  line.scrollIntoView();
}

/** Fills the bag, with a button for everything that can be made. `craft` gets what the player makes. */
export function fillBag(items: Items, craft: (name: string) => void): void {
  const buttons = Object.entries(RECIPES).map(([name, recipe]) => {
    const button = document.createElement("button");
    button.append(`Make ${textOf(recipe)}`);
    button.disabled = sum(items, recipe) === undefined;
    button.onclick = () => craft(name);
    return button;
  });
  find("#bag").replaceChildren(`You carry ${textOf(items)}. Press Escape to close your bag.`, ...buttons);
}
