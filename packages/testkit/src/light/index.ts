export { type PlainWorld, plainLight } from "./plain-light.ts";
