import { MATERIAL_WORDS } from "@orthant/mesh/volume";
import { DataTexture, RGIntegerFormat, UnsignedIntType } from "three";

/** Materials in each row of the texture; shaders have the same number. */
const ROW_MATERIALS = 256;

/** The table of materials that quads refer to, as a texture of two words a pixel. All layers share it. */
export class MaterialTexture {
  /** The uniform of shaders that read it. */
  readonly uniform: { value: DataTexture } = { value: textureOf(new Uint32Array(0)) };

  /** Replaces the table. */
  set(materials: Uint32Array): void {
    this.uniform.value.dispose();
    this.uniform.value = textureOf(materials);
  }
}

function textureOf(materials: Uint32Array): DataTexture {
  const rows = Math.max(1, Math.ceil(materials.length / MATERIAL_WORDS / ROW_MATERIALS));
  const words = new Uint32Array(rows * ROW_MATERIALS * MATERIAL_WORDS);
  words.set(materials);
  const texture = new DataTexture(words, ROW_MATERIALS, rows, RGIntegerFormat, UnsignedIntType);
  texture.internalFormat = "RG32UI";
  texture.needsUpdate = true;
  return texture;
}
