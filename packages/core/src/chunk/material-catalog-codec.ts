import type { Codec } from "../bytes/codec.ts";
import { list } from "../bytes/combinators.ts";
import { U16_MAX } from "../bytes/integers.ts";
import {
  findContradiction,
  MATERIAL_NAME_LENGTH_MAX,
  type Material,
  MaterialCatalog,
} from "./material-catalog.ts";

const CATALOG_VERSION = 1;
const NAME_BYTES_MAX = MATERIAL_NAME_LENGTH_MAX * 3;

const materialCodec: Codec<Material> = {
  write(out, { id, name, colour, solid }) {
    out.varU16(id);
    out.string(name, NAME_BYTES_MAX);
    out.u8(colour >>> 16);
    out.u8((colour >>> 8) & 0xff);
    out.u8(colour & 0xff);
    out.bool(solid);
  },

  read(input) {
    const id = input.varU16();
    const name = input.string(NAME_BYTES_MAX);
    const colour = (input.u8() << 16) | (input.u8() << 8) | input.u8();
    return { id, name, colour, solid: input.bool() };
  },
};

const materialsCodec = list(materialCodec, U16_MAX + 1);

/** A catalog, prefixed with its version. Rules C15 to C18 in docs/formats/chunk-payload.md. */
export const materialCatalogCodec: Codec<MaterialCatalog> = {
  write(out, { materials }) {
    out.varUint(CATALOG_VERSION);
    materialsCodec.write(out, materials);
  },

  read(input) {
    const version = input.varUint();
    if (version !== CATALOG_VERSION) {
      throw input.fail("ORT_VERSION", `material catalog version ${version}, known is ${CATALOG_VERSION}`);
    }
    const materials = materialsCodec.read(input);
    const problem = findContradiction(materials);
    if (problem !== undefined) throw input.fail("ORT_MATERIALS", problem);
    return new MaterialCatalog(materials);
  },
};
