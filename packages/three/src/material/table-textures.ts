import { MATERIAL_WORDS, TEMPLATE_NUMBERS } from "@orthant/mesh/volume";
import {
  DataTexture,
  FloatType,
  type IUniform,
  NearestFilter,
  RGBAFormat,
  RGIntegerFormat,
  UnsignedIntType,
} from "three";

/** Pixels of a row of both tables; the shader counts on it. */
const ROW_PIXELS = 256;
const TEMPLATE_PIXEL_NUMBERS = 4;

/** Tables that quads refer to, as a scene of a `MeshPool` has them. They only grow. */
export interface TableArrays {
  readonly materials: Uint32Array;
  readonly templates: Float32Array;
}

/** The tables as textures, which shaders read. */
export class TableTextures {
  readonly uniforms: { readonly materials: IUniform<DataTexture>; readonly templates: IUniform<DataTexture> };
  #materialWords = 0;
  #templateNumbers = 0;

  constructor() {
    this.uniforms = {
      materials: { value: materialTexture(new Uint32Array(0)) },
      templates: { value: templateTexture(new Float32Array(0)) },
    };
  }

  /** Takes over what is new. */
  follow({ materials, templates }: TableArrays): void {
    const { uniforms } = this;
    if (materials.length > this.#materialWords) {
      this.#materialWords = materials.length;
      uniforms.materials.value.dispose();
      uniforms.materials.value = materialTexture(materials);
    }
    if (templates.length > this.#templateNumbers) {
      this.#templateNumbers = templates.length;
      uniforms.templates.value.dispose();
      uniforms.templates.value = templateTexture(templates);
    }
  }

  dispose(): void {
    this.uniforms.materials.value.dispose();
    this.uniforms.templates.value.dispose();
  }
}

function materialTexture(words: Uint32Array): DataTexture {
  const rows = Math.max(1, Math.ceil(words.length / MATERIAL_WORDS / ROW_PIXELS));
  const data = new Uint32Array(rows * ROW_PIXELS * MATERIAL_WORDS);
  data.set(words);
  const texture = new DataTexture(data, ROW_PIXELS, rows, RGIntegerFormat, UnsignedIntType);
  texture.internalFormat = "RG32UI";
  return settled(texture);
}

function templateTexture(numbers: Float32Array): DataTexture {
  const rowNumbers = ROW_PIXELS * TEMPLATE_PIXEL_NUMBERS;
  const templatesInRow = rowNumbers / TEMPLATE_NUMBERS;
  const rows = Math.max(1, Math.ceil(numbers.length / TEMPLATE_NUMBERS / templatesInRow));
  const data = new Float32Array(rows * rowNumbers);
  data.set(numbers);
  return settled(new DataTexture(data, ROW_PIXELS, rows, RGBAFormat, FloatType));
}

function settled(texture: DataTexture): DataTexture {
  texture.magFilter = NearestFilter;
  texture.minFilter = NearestFilter;
  texture.generateMipmaps = false;
  texture.needsUpdate = true;
  return texture;
}
