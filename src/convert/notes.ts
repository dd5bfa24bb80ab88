/** Data of a vfile: options of the conversion, and findings of the plugins. */
type Notes = {
  components?: Set<string>
  kept?: Set<string>
  losses?: Map<string, { reason: string; detail: string }>
  heading?: string
  /** True if the folder has a file with this name, without extension. */
  isPage?: (name: string) => boolean
  hasTitle?: boolean
  /** Only a heading with this text is dropped as the title. */
  title?: string
  generator?: string | null
  isNote?: boolean
}

export function notesOf(file: { data: Record<string, unknown> }): Notes {
  return file.data
}

export function noteComponent(file: { data: Record<string, unknown> }, name: string): void {
  const notes = notesOf(file)
  notes.components ??= new Set()
  notes.components.add(name)
}
