import { register } from "node:module";

register("./mutant-hooks.js", import.meta.url);
