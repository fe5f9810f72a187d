import type { SeedableGenerator, SeedOptions } from "@orthant/core/generate";

export const MODULE: string;
export const odd: SeedableGenerator<SeedOptions & { readonly block?: number }>;
export const throwing: SeedableGenerator<SeedOptions>;
export const crashing: SeedableGenerator<SeedOptions>;
export const slow: SeedableGenerator<
  SeedOptions & { readonly delayMs?: number; readonly isEndless?: boolean }
>;
