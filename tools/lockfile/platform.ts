/** The machines that a native package supports, in the words of `package-lock.json`. */
export interface Platform {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

type PlatformField = keyof Platform;

const FIELD_OF_WORD: ReadonlyMap<string, PlatformField> = new Map([
  ...wordsOf("os", "aix android darwin freebsd linux netbsd openbsd openharmony sunos win32"),
  ...wordsOf("cpu", "arm arm64 ia32 loong64 mips64el ppc64 riscv64 s390x wasm32 x64"),
  ...wordsOf("libc", "glibc musl"),
]);

const MEANING_OF_WORD: Readonly<Record<string, readonly string[]>> = {
  gnu: ["glibc"],
  eabi: ["arm"],
  eabihf: ["arm"],
  gnueabihf: ["arm"],
  musleabihf: ["arm"],
  msvc: ["win32"],
};

/** Derives the platform of a package from its name, such as `@rolldown/binding-linux-x64-gnu`. */
export function platformOf(packageName: string): Platform {
  const words = packageName.split(/[@/.-]/).flatMap((word) => MEANING_OF_WORD[word] ?? [word]);
  const found: Partial<Record<PlatformField, readonly string[]>> = {};
  for (const word of words) {
    const field = FIELD_OF_WORD.get(word);
    if (field !== undefined) found[field] = [word];
  }
  return found;
}

function wordsOf(field: PlatformField, words: string): readonly (readonly [string, PlatformField])[] {
  return words.split(" ").map((word) => [word, field] as const);
}
