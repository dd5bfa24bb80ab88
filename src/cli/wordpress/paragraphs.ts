/** Paragraphs of the classic editor (https://developer.wordpress.org/reference/functions/wpautop/). */
import { eachTag, type Tag } from '../convert/tags.ts'

type Piece = { source: string; tag: Pick<Tag, 'name' | 'kind'> | null }

/** How lines become paragraphs: always, only between blank lines, as breaks, or never. */
type Lines = 'paragraphs' | 'parted' | 'breaks' | 'none'

const words = (text: string) => text.split(' ')
const elements = (lines: Lines, names: string) => words(names).map((name) => [name, lines] as const)
const BLOCKS = new Map<string, Lines>([
  ...elements('paragraphs', 'blockquote'),
  ...elements(
    'parted',
    'address article aside center dd details div fieldset figcaption figure footer form header li main nav section td th',
  ),
  ...elements('breaks', 'caption dt h1 h2 h3 h4 h5 h6 hr legend p summary'),
  ...elements('none', 'col colgroup dl hgroup map menu ol table tbody tfoot thead tr ul'),
])
const RAW = new Set(words('audio canvas iframe math object pre script select style svg textarea video'))
const RAW_BLOCKS = new Set(words('pre script style'))
// Unicode noncharacters, which no text contains.
const PARAGRAPH = '\uFDD0'
const BREAK = '\uFDD1'
const NEXT_PARAGRAPH = '</p>\n<p>'
const DOUBLE_BREAK = '<br>\n<br>\n'

export function withParagraphs(html: string): string {
  const output: string[] = []
  const open: string[] = []
  let run: string[] = []

  const linesHere = (): Lines => BLOCKS.get(open.at(-1) ?? '') ?? 'paragraphs'
  const flush = () => {
    output.push(renderRun(run.join(''), linesHere(), open.at(-1) === 'p' ? NEXT_PARAGRAPH : DOUBLE_BREAK))
    run = []
  }
  const closeElement = (name: string) => {
    const depth = open.lastIndexOf(name)
    if (depth >= 0) open.length = depth
  }

  for (const { source, tag } of merged(piecesOf(html))) {
    if (!tag) run.push(source.replace(/[ \t]*\n[ \t]*\n\s*/g, PARAGRAPH).replaceAll('\n', BREAK))
    else if (RAW_BLOCKS.has(tag.name)) {
      flush()
      output.push(source, '\n')
    } else if (!BLOCKS.has(tag.name)) run.push(source)
    else {
      flush()
      if (tag.kind !== 'close') closeElement('p')
      const isContainer = BLOCKS.get(tag.name) === 'none' || tag.name === 'hr'
      output.push(source, tag.kind === 'close' || isContainer ? '\n' : '')
      if (tag.kind === 'close') closeElement(tag.name)
      else if (tag.kind === 'open' && tag.name !== 'hr') open.push(tag.name)
    }
  }
  flush()
  return output.join('').trim()
}

function renderRun(run: string, lines: Lines, between: string): string {
  if (lines === 'none') return run.replaceAll(/[\uFDD0\uFDD1]/g, ' ').trim()
  const marked = run.replace(/<br ?\/?>\s*<br ?\/?>/gi, PARAGRAPH)
  const paragraphs = marked.split(PARAGRAPH).map(withBreaks).filter(Boolean)
  if (lines === 'breaks') return paragraphs.join(between)
  const wraps = lines === 'paragraphs' || marked.includes(PARAGRAPH)
  return wraps ? paragraphs.map((text) => `<p>${text}</p>\n`).join('') : paragraphs.join('')
}

function withBreaks(text: string): string {
  return text.replace(/^[\s\uFDD1]+|[\s\uFDD1]+$/g, '').replace(/(?:<br ?\/?>)?[ \t]*\uFDD1/gi, '<br>\n')
}

function* merged(pieces: Iterable<Piece>): Generator<Piece> {
  let raw: { name: string; depth: number; sources: string[] } | null = null
  for (const piece of pieces) {
    const { source, tag } = piece
    if (raw) {
      raw.sources.push(source)
      if (tag?.name === raw.name) raw.depth += tag.kind === 'open' ? 1 : tag.kind === 'close' ? -1 : 0
      if (raw.depth > 0) continue
      yield { source: raw.sources.join(''), tag: { name: raw.name, kind: 'void' } }
      raw = null
    } else if (tag?.kind === 'open' && RAW.has(tag.name))
      raw = { name: tag.name, depth: 1, sources: [source] }
    else yield piece
  }
  if (raw) yield { source: raw.sources.join(''), tag: { name: raw.name, kind: 'void' } }
}

function piecesOf(html: string): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  eachTag(html, ({ name, kind, start, end }) => {
    if (start > at) pieces.push({ source: html.slice(at, start), tag: null })
    pieces.push({ source: html.slice(start, end), tag: { name, kind } })
    at = end
  })
  if (at < html.length) pieces.push({ source: html.slice(at), tag: null })
  return pieces
}
