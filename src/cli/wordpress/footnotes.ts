/** Footnotes of the block editor: JSON outside the body, and a block that marks their position. */
import { objectOf, stringOf } from './rest-shape.ts'

export const FOOTNOTES_KEY = 'footnotes'
const BLOCK = /<!--\s+wp:(?:core\/)?footnotes\s*(?:\{[\s\S]{0,1000}?\}\s*)?\/-->/g

/** Inserts the footnotes at their block, or at the end. Null if the JSON is invalid. */
export function withFootnotes(raw: string, json: string): string | null {
  if (json.trim() === '') return raw
  const notes = notesIn(json)
  if (!notes) return null
  if (notes.length === 0) return raw
  const list = listOf(notes)
  let isPlaced = false
  const placed = raw.replace(BLOCK, () => {
    const shown = isPlaced ? '' : list
    isPlaced = true
    return shown
  })
  return isPlaced ? placed : `${raw}\n\n${list}`
}

/** Marks a list that WordPress rendered as footnotes. */
export function markFootnotes(rendered: string): string {
  return rendered.replace(
    /<ol[^>]*\bclass="[^"]*\bwp-block-footnotes\b[\s\S]*?<\/ol>/g,
    (list) => `${SECTION}${list}</section>`,
  )
}

type Note = { id: string; content: string }

const SECTION = '<section data-footnotes class="footnotes">'

function notesIn(json: string): Note[] | null {
  try {
    const parsed: unknown = JSON.parse(json)
    if (!Array.isArray(parsed)) return null
    const notes = parsed.map((each) => {
      const { id, content } = objectOf(each) ?? {}
      return { id: stringOf(id) ?? '', content: stringOf(content) ?? '' }
    })
    return notes.every(({ id }) => /^[\w-]+$/.test(id)) ? notes : null
  } catch {
    return null
  }
}

function listOf(notes: Note[]): string {
  const items = notes.map(
    ({ id, content }, at) =>
      `<li id="${id}">${content} <a href="#${id}-link" aria-label="Jump to footnote reference ${at + 1}">↩︎</a></li>`,
  )
  return `${SECTION}<ol>${items.join('')}</ol></section>`
}
