/** Uses what `opening` gives, and closes it. */
export async function closing<Opened extends { close(): Promise<void> }, Value>(
  opening: Promise<Opened>,
  use: (opened: Opened) => Value | Promise<Value>,
): Promise<Value> {
  const opened = await opening;
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}
