/** What the plugins find out about a file. */
type Notes = {
  components?: Set<string>
  /** The names of tags that are kept as text. */
  kept?: Set<string>
  /** What else is not as it was written, by its reason and detail. */
  losses?: Map<string, { reason: string; detail: string }>
  heading?: string
  /** Whether a file of the folder has that name, without its extension. */
  isPage?: (name: string) => boolean
  /** Whether the title is known already. */
  titled?: boolean
  /** What the first heading has to be if it is to be left out as the title. */
  title?: string
  /** The generator of its site, where that is known. */
  generator?: string | null
  /** Whether the text is a note of Obsidian. */
  isNote?: boolean
}

/** The notes on a vfile. */
export function notesOf(file: { data: Record<string, unknown> }): Notes {
  return file.data
}

/** Notes the name of a component or an embed that will not be rendered. */
export function noteComponent(file: { data: Record<string, unknown> }, name: string): void {
  const notes = notesOf(file)
  notes.components ??= new Set()
  notes.components.add(name)
}
