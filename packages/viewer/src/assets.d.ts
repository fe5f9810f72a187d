// Files that the bundler turns into text.

declare module "*?inline" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler exports the text so
  export default text;
}

declare module "*?raw" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler exports the text so
  export default text;
}
