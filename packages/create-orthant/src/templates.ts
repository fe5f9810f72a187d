/** A game to start from. */
interface Template {
  /** One line for the list of templates. */
  readonly about: string;
  /** What to do once it runs. */
  readonly next: string;
  /** Folders of `templates` that make it up; files of later ones replace those of earlier ones. */
  readonly folders: readonly string[];
}

/** Name of a template. */
export type TemplateName = "three" | "tiles" | "server" | "browser";

/** The templates, by name. */
export const TEMPLATES: Readonly<Record<TemplateName, Template>> = {
  three: {
    about: "3D with three.js: players walk, dig and build together",
    next: "Start it, and open the page that it prints in two windows:",
    folders: ["every", "page", "first-person", "hosted", "shared-world", "three"],
  },
  tiles: {
    about: "2D from the side, with three.js: players walk, dig and build together",
    next: "Start it, and open the page that it prints in two windows:",
    folders: ["every", "page", "hosted", "shared-world", "tiles"],
  },
  server: {
    about: "a server with one rule of its own, without a page",
    next: "Start it:",
    folders: ["every", "hosted", "server"],
  },
  browser: {
    about: "3D with three.js for one player, saved in the browser, without a server",
    next: "Start it, and open the page that it prints:",
    folders: ["every", "page", "first-person", "browser"],
  },
};

/** The names of all templates. */
export const TEMPLATE_NAMES: readonly TemplateName[] = Object.keys(TEMPLATES) as TemplateName[];

/** Whether there is a template of this name. */
export function isTemplateName(name: string): name is TemplateName {
  return Object.hasOwn(TEMPLATES, name);
}
