import type { ByteReader } from "../bytes/byte-reader.ts";
import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { Codec } from "../bytes/codec.ts";
import { wrongArgument } from "../error/orthant-error.ts";

/** A value that a parameter of a defined generator can have. */
export type PlainParameter = number | boolean | string;

/** Maximum number of parameters, with the ids of the generator's blocks. */
export const PLAIN_PARAMETERS_MAX = 64;
const NAME_BYTES_MAX = 64;
const TEXT_BYTES_MAX = 256;
const NUMBER = 0;
const BOOLEAN = 1;
const TEXT = 2;
const KINDS = [NUMBER, BOOLEAN, TEXT] as const;

type Kind = (typeof KINDS)[number];
type Parameters = Readonly<Record<string, PlainParameter>>;

/** Throws `ORT_ARGUMENT` unless these can be the parameters of a generator and their defaults. */
export function requirePlainParameters(parameters: unknown): asserts parameters is Parameters {
  if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) {
    throw wrongArgument(
      "parameters",
      parameters,
      "they are an object with default values, such as { height: 40 }",
    );
  }
  const names = Object.keys(parameters);
  if (names.length > PLAIN_PARAMETERS_MAX) {
    throw wrongArgument("the number of parameters", names.length, `at most ${PLAIN_PARAMETERS_MAX} may be`);
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (name === "seed")
      throw wrongArgument("the name of a parameter", name, "every generator has a seed already");
    if (!/^[A-Za-z]\w*$/.test(name) || name.length > NAME_BYTES_MAX) {
      const advice = `it is a word of letters, digits and _, at most ${NAME_BYTES_MAX}`;
      throw wrongArgument("the name of a parameter", name, advice);
    }
    requirePlain(`parameters.${name}`, value);
  }
}

/**
 * Returns a codec for parameters: a count, then name, kind and value of each, ordered by name. It accepts values
 * of the same kinds as the defaults, and any part of them, so that a parameter can be added later.
 */
export function plainParametersCodec(defaults: Parameters): Codec<Parameters> {
  return {
    write(out, parameters) {
      const names = Object.keys(parameters).sort();
      out.varUint(names.length);
      for (const name of names) {
        out.string(name, NAME_BYTES_MAX);
        writeValue(out, name, parameters[name], kindOf(defaults[name]));
      }
    },
    read(input) {
      const count = input.count(PLAIN_PARAMETERS_MAX);
      const parameters: Record<string, PlainParameter> = {};
      let last = "";
      for (let index = 0; index < count; index++) {
        const name = input.string(NAME_BYTES_MAX);
        if (name <= last || !Object.hasOwn(defaults, name)) {
          throw input.fail(
            "ORT_GENERATOR_PARAMETERS",
            `${JSON.stringify(name)} is not a parameter or out of order`,
          );
        }
        parameters[name] = readValue(input, name, kindOf(defaults[name]));
        last = name;
      }
      return parameters;
    },
  };
}

function kindOf(value: PlainParameter | undefined): Kind {
  return typeof value === "number" ? NUMBER : typeof value === "boolean" ? BOOLEAN : TEXT;
}

function writeValue(out: ByteWriter, name: string, value: unknown, kind: Kind): void {
  const expected = ["a finite number", "true or false", "a text"][kind];
  requirePlain(name, value);
  if (kindOf(value) !== kind) throw wrongArgument(name, value, `it is ${expected}`);
  out.u8(kind);
  // Adding 0 turns -0 into 0, which has one encoding.
  if (typeof value === "number") out.f64(value + 0);
  else if (typeof value === "boolean") out.bool(value);
  else out.string(value, TEXT_BYTES_MAX);
}

function readValue(input: ByteReader, name: string, kind: Kind): PlainParameter {
  const found = input.u8();
  if (found !== kind) {
    throw input.fail("ORT_GENERATOR_PARAMETERS", `${name} is a value of kind ${found}, not ${kind}`);
  }
  if (kind === BOOLEAN) return input.bool();
  if (kind === TEXT) return input.string(TEXT_BYTES_MAX);
  const value = input.f64();
  if (Number.isFinite(value) && !Object.is(value, -0)) return value;
  throw input.fail("ORT_GENERATOR_PARAMETERS", `${name} is ${value}, not a finite number`);
}

function requirePlain(name: string, value: unknown): asserts value is PlainParameter {
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return;
  if (typeof value === "string" && value.length <= TEXT_BYTES_MAX) return;
  const advice = `it is a finite number, true or false, or a text of at most ${TEXT_BYTES_MAX} characters`;
  throw wrongArgument(name, value, advice);
}
