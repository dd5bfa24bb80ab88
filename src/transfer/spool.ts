/** Where an import keeps what waits: a temporary file, or, where all of it is small, the memory. */

/** Where a text is. */
export type Place = { at: number; bytes: number }

export type Spool = {
  append(text: string): Promise<Place>
  read(place: Place): Promise<string>
  /** Texts that were appended without a line break, each with one, in their order. */
  lines(): AsyncIterable<string>
  close(): Promise<void>
}

export type OpenSpool = () => Promise<Spool>

/** Its places are numbers of texts. */
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
