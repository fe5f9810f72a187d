import { type Check, fieldsOf } from "../arguments/options.ts";
import { wrongArgument } from "../error/orthant-error.ts";

/** What libraries such as zod, valibot and arktype make of a schema: see standardschema.dev. */
export interface StandardSchema<Value> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Value> | Promise<SchemaResult<Value>>;
    readonly types?: { readonly input: unknown; readonly output: Value } | undefined;
  };
}

type SchemaResult<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/**
 * Checks a value that a player's program has sent: a schema, or a function that returns the value as the game takes it, or throws
 * an error with the reason. It must decide at once.
 *
 * @example
 * const contents: Validator<Record<string, number>> = (value) => {
 *   for (const count of Object.values(value as object)) if (!Number.isInteger(count)) throw new Error("Count things whole.");
 *   return value as Record<string, number>;
 * };
 */
export type Validator<Value = unknown> = StandardSchema<Value> | ((value: unknown) => Value);

/** What a validator found: the value as the game takes it, or what is wrong with it. */
export type Validated<Value> = { readonly value: Value } | { readonly fault: string };

/** Asks a validator about a value. Throws `ORT_ARGUMENT` for a schema that does not decide at once. */
export function validated<Value>(validator: Validator<Value>, value: unknown): Validated<Value> {
  if (typeof validator === "function") {
    try {
      return { value: validator(value) };
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) };
    }
  }
  const result = validator["~standard"].validate(value);
  if (result instanceof Promise)
    throw wrongArgument(
      "a schema",
      validator["~standard"].vendor,
      "it has to decide at once, without a promise",
    );
  if (result.issues === undefined) return { value: result.value };
  return { fault: result.issues.map(({ message }) => message).join("; ") };
}

/**
 * The messages of a game: a module that the server and its clients import says them once. Both check what they send, and what they
 * get, and TypeScript knows the types. What is left out may be anything.
 *
 * @example
 * export const messages = { fromClient: chat, fromServer: news } satisfies GameMessages;
 */
export interface GameMessages<FromClient = unknown, FromServer = unknown> {
  /** Checks what clients send. */
  readonly fromClient?: Validator<FromClient>;
  /** Checks what the server sends. */
  readonly fromServer?: Validator<FromServer>;
}

/** Throws `ORT_ARGUMENT`, with what is wrong, for a message that is to be sent and that the other side would refuse. */
export function requireMessage(validator: Validator | undefined, message: unknown): void {
  const checked = validator && validated(validator, message);
  if (checked !== undefined && "fault" in checked) throw wrongArgument("message", message, checked.fault);
}

/** Requires a validator. */
export const requireValidator: Check<Validator> = (name, value) => {
  const standard = (Object(value) as Partial<StandardSchema<unknown>>)["~standard"];
  if (typeof value === "function" || typeof standard?.validate === "function") return value as Validator;
  throw wrongArgument(name, value, "it is a function that returns the value or throws, or a Standard Schema");
};

/** Requires the messages of a game. */
export const requireMessages: Check<GameMessages> = fieldsOf<GameMessages>({
  fromClient: requireValidator,
  fromServer: requireValidator,
});
