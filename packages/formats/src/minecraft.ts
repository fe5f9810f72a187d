/**
 * Worlds of Minecraft, to read and convert.
 *
 * @module @orthant/formats/minecraft
 */

export { minecraftFormat } from "./minecraft/format.ts";
