import { type Codec, decode, encode, record, varUint } from "@orthant/core/bytes";
import type { WorldDescription } from "@orthant/save";

/** Key of the attachment that holds the count of steps. */
const COUNT_KEY = "orthant.step";
/** Key of the attachment that holds which numbers were skipped, and which are reserved. */
const NUMBERS_KEY = "orthant.step.numbers";

/** Numbers that are made durable at once: 55 minutes of steps of 50 ms. */
const RESERVED_STEPS = 2 ** 16;

interface NumberRecord {
  /** How much higher the number of a step is than the count. */
  readonly skipped: number;
  /** Steps up to this number may have been made. */
  readonly reservedTo: number;
}

const numbersCodec = record<NumberRecord>({ skipped: varUint, reservedTo: varUint });

/** Returns the count of steps in a world's simulation; 0 if it never had one. */
export function stepCountOf(description: WorldDescription): number {
  return attachmentOf(description, COUNT_KEY, varUint) ?? 0;
}

/** Returns the description with another count of steps. */
export function withStepCount(description: WorldDescription, count: number): WorldDescription {
  return withAttachment(description, COUNT_KEY, encode(varUint, count));
}

/**
 * Counts the steps of a world, and numbers them. Ticks are due by the count, which is as durable as what the steps changed:
 * a crash may take it back. The numbers never repeat: they are reserved in blocks, and after a crash the first step has
 * the number after the block. Rule S146.
 */
export class StepNumbers {
  #count: number;
  #skipped: number;
  #reservedTo: number;
  readonly #onChange: () => void;

  /** Calls `onChange` when something changed that must be saved. Steps alone need not be. */
  constructor(description: WorldDescription, onChange: () => void) {
    const { skipped = 0, reservedTo = 0 } = attachmentOf(description, NUMBERS_KEY, numbersCodec) ?? {};
    this.#onChange = onChange;
    this.#count = stepCountOf(description);
    this.#skipped = skipped;
    this.#reservedTo = reservedTo;
  }

  /** Steps that were made, as far as their changes survived. */
  get count(): number {
    return this.#count;
  }

  /** The number of the last step. */
  get last(): number {
    return this.count + this.#skipped;
  }

  /** Skips the numbers that a session before this one reserved and did not give back. */
  skipReserved(): void {
    this.#skipped += Math.max(0, this.#reservedTo - this.last);
    this.#reservedTo = this.last;
  }

  /** Sets the count to that of a step that was made. */
  made(count: number): void {
    this.#count = count;
  }

  /** Sets the count to that of a log, or to a later one. */
  restore(count: number): void {
    this.#count = count;
    this.#onChange();
  }

  /** Reserves numbers if none is left. They may be used once a saved description has them. */
  reserve(): void {
    if (this.#reservedTo > this.last) return;
    this.#reservedTo = this.last + RESERVED_STEPS;
    this.#onChange();
  }

  /** Gives reserved numbers back, because no more steps are made. */
  release(): void {
    if (this.#reservedTo <= this.last) return;
    this.#reservedTo = this.last;
    this.#onChange();
  }

  /** Whether a description reserves the number of the next step. */
  isReservedIn(description: WorldDescription): boolean {
    return (attachmentOf(description, NUMBERS_KEY, numbersCodec)?.reservedTo ?? 0) > this.last;
  }

  /** Whether steps were made that a description does not count. */
  isCountedBeyond(description: WorldDescription): boolean {
    return this.count !== stepCountOf(description);
  }

  /** Returns a description with the count and the numbers as they are now; the same one if it has them. */
  in(description: WorldDescription): WorldDescription {
    const isReserved = this.#reservedTo > this.last;
    const record = { skipped: this.#skipped, reservedTo: isReserved ? this.#reservedTo : 0 };
    const numbers = record.skipped + record.reservedTo === 0 ? undefined : encode(numbersCodec, record);
    const counted = this.count === 0 ? description : withStepCount(description, this.count);
    return withAttachment(counted, NUMBERS_KEY, numbers);
  }
}

function attachmentOf<Value>(
  { attachments }: WorldDescription,
  name: string,
  codec: Codec<Value>,
): Value | undefined {
  const value = attachments.find(({ key }) => key === name)?.value;
  return value === undefined ? undefined : decode(codec, value);
}

function withAttachment(
  description: WorldDescription,
  name: string,
  value: Uint8Array | undefined,
): WorldDescription {
  const others = description.attachments.filter(({ key }) => key !== name);
  const attachments = value === undefined ? others : [...others, { key: name, value }];
  return { ...description, attachments: attachments.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}
