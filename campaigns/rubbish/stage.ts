import type { Prng } from "@orthant/testkit";

/** Makes the arguments of a valid call. */
export type Arguments = (prng: Prng) => readonly unknown[];

/** A public function, constructor or method that is called with rubbish. */
export interface Target {
  /** Such as `box`, `World.set` or `new BlockCatalog`. */
  readonly name: string;
  readonly args: Arguments;
  call(args: readonly unknown[]): unknown;
  /** The function that is called, whose parameters have names. */
  readonly called?: unknown;
  /** Whether a valid call may wait for something that never comes; its promise is then not waited for. */
  readonly mayWait?: boolean;
  /** Whether a valid call may allocate as much as its arguments say. */
  readonly mayAllocate?: boolean;
  /** Closes what a call returned. */
  readonly dispose?: (answer: unknown) => unknown;
}

/** How targets are called. */
export type TargetOptions = Pick<Target, "mayWait" | "mayAllocate" | "dispose">;

/** Objects of Orthant that are called many times, and then compared with what they should be. */
export interface OpenStage {
  readonly targets: readonly Target[];
  /** Ends the stage. Returns what was wrong at its end, such as a reopened world that differs. */
  finish(): Promise<readonly string[]>;
}

/** Opens something to call. */
export interface Stage {
  readonly name: string;
  open(prng: Prng): Promise<OpenStage>;
}

/**
 * Returns targets for methods of an object: `World.set` from `set` and the class name `World`. A method that the object
 * lacks is left out; a test finds the methods without a target.
 */
export function methodTargets(
  className: string,
  receiver: object | (() => object),
  methods: Readonly<Record<string, Arguments>>,
  options: TargetOptions = {},
): readonly Target[] {
  const known = Object.entries(methods).filter(
    ([method]) => typeof receiver === "function" || method in receiver,
  );
  const current = (): Readonly<Record<string, unknown>> =>
    (typeof receiver === "function" ? (receiver as () => object)() : receiver) as never;
  return known.map(([method, args]) => ({
    name: `${className}.${method}`,
    args,
    get called() {
      return current()[method];
    },
    call: (given) => {
      const object = current();
      return Reflect.apply(object[method] as () => unknown, object, given);
    },
    ...options,
  }));
}

/** Returns targets for functions. */
export function functionTargets(
  functions: Readonly<Record<string, readonly [(...args: never[]) => unknown, Arguments]>>,
  options: TargetOptions = {},
): readonly Target[] {
  return Object.entries(functions).map(([name, [called, args]]) => ({
    name,
    args,
    called,
    call: (given) => Reflect.apply(called, undefined, given),
    ...options,
  }));
}

/** Returns targets for constructors, named `new Class`. */
export function constructorTargets(
  classes: Readonly<Record<string, readonly [new (...args: never[]) => unknown, Arguments]>>,
): readonly Target[] {
  return Object.entries(classes).map(([name, [constructed, args]]) => ({
    name: `new ${name}`,
    args,
    called: constructed,
    call: (given) => Reflect.construct(constructed, [...given]) as unknown,
  }));
}
