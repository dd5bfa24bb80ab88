/** Storage for waiting items: a temporary file, or memory where the import is small. */

export type SpoolRange = { at: number; bytes: number }

export type Spool = {
  append(text: string): Promise<SpoolRange>
  read(range: SpoolRange): Promise<string>
  /** For texts appended without a line break: yields them in order, each with one. */
  lines(): AsyncIterable<string>
  close(): Promise<void>
}

export type OpenSpool = () => Promise<Spool>

export const openMemory: OpenSpool = async () => {
  const texts: string[] = []
  return {
    append: async (text) => ({ at: texts.push(text) - 1, bytes: 0 }),
    read: async ({ at }) => texts[at]!,
    async *lines() {
      yield* texts
    },
    close: async () => {},
  }
}
