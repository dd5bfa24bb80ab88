import {
  type Attributes,
  classesOf,
  HIDING_ATTRIBUTES,
  isAriaHidden,
  isHidden,
  isKatexHtml,
  UNREAD,
} from './hidden.ts'
import { VOID, wordSet } from './nesting.ts'
import { count, isOpen, type OpenTags, trackElement } from './part.ts'
import { eachToken } from './tokens.ts'

/** Tooltips, and content for browsers that cannot show the element. */
const ASIDE = wordSet('title desc audio canvas iframe video')
const NO_PROSE = wordSet('h1 h2 h3 h4 h5 h6 pre table figure')
const INLINE = wordSet('a abbr b code em i mark s small span strong sub sup u')
const READ_ATTRIBUTES = new Set([...HIDING_ATTRIBUTES, 'data-footnotes', 'href'])
const FOOTNOTES = /(?:^|\s)(?:wp-block-)?footnotes(?:\s|$)/

type Tag = { name: string; attributes: Map<string, string> }

/** Decodes entities, folds white space, skips hidden parts. `prose` also lacks headings, code, tables, figures and footnotes. */
export function htmlToText(html: string): { text: string; prose: string } {
  const text: string[] = []
  const prose: string[] = []
  const open: OpenTags = new Map()
  const hidden = trackElement(open)
  const apart = trackElement(open)
  let tag: Tag = { name: '', attributes: new Map() }
  let attribute: string | null = null
  let justOpened: Tag | null = null
  let isAfterMath = false

  const add = (part: string) => {
    if (hidden.isInside()) return
    if (part.trim()) {
      justOpened = null
      isAfterMath = false
    }
    text.push(part)
    if (!apart.isInside()) prose.push(part)
  }
  const start = (isSelfClosing: boolean) => {
    const { name, attributes } = tag
    hidden.endBefore(name)
    apart.endBefore(name)
    if (!INLINE.has(name)) add(' ')
    if (VOID.has(name)) return
    // Only SVG and MathML elements can be self-closing, and without content they hide nothing.
    if (isSelfClosing && (isOpen(open, 'svg') || isOpen(open, 'math') || name === 'svg' || name === 'math'))
      return
    const given: Attributes = (each) => attributes.get(each)
    const isSeen = isKatexHtml(given) && isAriaHidden(given) ? !isAfterMath : !isHidden(name, given)
    count(open, name, 1)
    hidden.start(name, UNREAD.has(name) || ASIDE.has(name) || !isSeen)
    apart.start(name, NO_PROSE.has(name) || isFootnotes(given) || isNoteMark(justOpened, tag))
    justOpened = tag
  }
  eachToken(html, {
    ontext: (from, to) => add(html.slice(from, to)),
    ontextentity: (codepoint) => add(String.fromCodePoint(codepoint)),
    onopentagname: (from, to) => {
      tag = { name: html.slice(from, to).toLowerCase(), attributes: new Map() }
    },
    onattribname: (from, to) => {
      const name = html.slice(from, to).toLowerCase()
      // The first of duplicate attributes counts.
      attribute = READ_ATTRIBUTES.has(name) && !tag.attributes.has(name) ? name : null
      if (attribute) tag.attributes.set(attribute, '')
    },
    onattribdata: (from, to) => {
      if (attribute)
        tag.attributes.set(attribute, (tag.attributes.get(attribute) ?? '') + html.slice(from, to))
    },
    onattribentity: (codepoint) => {
      if (attribute)
        tag.attributes.set(attribute, (tag.attributes.get(attribute) ?? '') + String.fromCodePoint(codepoint))
    },
    onopentagend: () => start(false),
    onselfclosingtag: () => start(true),
    onclosetag: (from, to) => {
      const name = html.slice(from, to).toLowerCase()
      if (!INLINE.has(name)) add(' ')
      hidden.end(name)
      apart.end(name)
      count(open, name, -1)
      justOpened = null
      if (name === 'math') isAfterMath = true
      else if (name === 'p') isAfterMath = false
    },
  })
  return { text: folded(text), prose: folded(prose) }
}

function isFootnotes(attribute: Attributes): boolean {
  return (
    attribute('data-footnotes') !== undefined || classesOf(attribute).some((each) => FOOTNOTES.test(each))
  )
}

/** A link in `sup`, or a `sup` in a link, to a footnote. */
function isNoteMark(outer: Tag | null, inner: Tag): boolean {
  const names = `${outer?.name} ${inner.name}`
  const link = names === 'sup a' ? inner : names === 'a sup' ? outer : null
  return link?.attributes.get('href')?.startsWith('#') ?? false
}

function folded(parts: string[]): string {
  return parts.join('').replace(/\s+/g, ' ').trim()
}
