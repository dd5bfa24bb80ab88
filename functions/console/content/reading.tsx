/**
 * An article's text inside a console page. It is rebuilt from the elements and attributes listed here, so that no untrusted HTML
 * reaches the page.
 */

import type { Child } from 'hono/jsx'
import { jsx } from 'hono/jsx'
import { Parser } from 'htmlparser2'
import { UNREAD } from '../../../src/html/hidden.ts'
import { wordSet } from '../../../src/html/nesting.ts'

const KEPT = wordSet(
  `a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure
  h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q rp rt ruby s samp small span strong sub summary sup table tbody td tfoot
  th thead time tr u ul var`,
)
const LANDMARKS = wordSet('address article aside center footer header hgroup main nav section')
/** The console page has its own h1 and landmarks. */
const RENAMED: Record<string, string> = {
  h1: 'h2',
  ...Object.fromEntries([...LANDMARKS].map((name) => [name, 'div'])),
}
/** Dropped with their content, and listed for the reader. Other unknown elements keep their text. */
const NOT_SHOWN = wordSet('audio canvas embed form iframe input math object select svg textarea video')
/** By element. All may have `lang` and `dir`. */
const ATTRIBUTES: Record<string, string[]> = {
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan', 'scope'],
  ol: ['start', 'reversed'],
  li: ['value'],
  time: ['datetime'],
  abbr: ['title'],
}
/** Deeper content moves into its parent. */
const MAX_DEPTH = 100
const MAX_ELEMENTS = 20_000

type Open = { tag: string | null; attributes: Record<string, string>; children: Child[] }

export type Reading = {
  content: Child
  /** Names of left-out elements, such as `iframe`. */
  left: string[]
}

/** `base` resolves relative URLs. @returns null if the article is too large for a page */
export function parseArticleHtml(html: string, base: string): Reading | null {
  const open: Open[] = [{ tag: null, attributes: {}, children: [] }]
  const left = new Set<string>()
  let hidden = 0
  let elements = 0
  const parser = new Parser({
    onopentag(name, attributes) {
      if (NOT_SHOWN.has(name)) left.add(name)
      if (hidden > 0 || NOT_SHOWN.has(name) || UNREAD.has(name) || name === 'title') return void hidden++
      elements++
      const known = RENAMED[name] ?? (KEPT.has(name) ? name : null)
      const tag = open.length < MAX_DEPTH ? known : null
      open.push({ tag, attributes, children: tag ? [] : open.at(-1)!.children })
    },
    ontext(text) {
      if (hidden === 0) open.at(-1)!.children.push(text)
    },
    onclosetag() {
      if (hidden > 0) return void hidden--
      const { tag, attributes, children } = open.pop()!
      if (tag) open.at(-1)!.children.push(elementOf(tag, attributes, children, base))
    },
  })
  parser.end(html)
  return elements > MAX_ELEMENTS ? null : { content: open[0]!.children, left: [...left] }
}

function elementOf(tag: string, given: Record<string, string>, children: Child[], base: string): Child {
  const names = ['lang', 'dir', ...(ATTRIBUTES[tag] ?? [])]
  const attributes: Record<string, string | number> = Object.fromEntries(
    names.flatMap((name) => (given[name] ? [[name, given[name]]] : [])),
  )
  if (tag === 'img') return imageOf(given, base)
  if (tag === 'a') {
    const href = addressOf(given.href, base, /^(?:https?|mailto):$/)
    if (href) Object.assign(attributes, { href, rel: 'noreferrer noopener', target: '_blank' })
  }
  const element = children.length > 0 ? jsx(tag, attributes, children as never) : jsx(tag, attributes)
  if (tag !== 'table') return element
  // A scrolling element needs keyboard focus. As a group, it is no landmark, whose name must be unique.
  return jsx(
    'div',
    { role: 'group', class: 'table-scroll', tabindex: 0, 'aria-label': 'Table' },
    element as never,
  )
}

/** Falls back to the alt text if the URL cannot be loaded. */
function imageOf({ src, alt = '' }: Record<string, string>, base: string): Child {
  const url = addressOf(src, base, /^https:$/)
  return url ? <img src={url} alt={alt} loading="lazy" referrerpolicy="no-referrer" /> : alt && <em>{alt}</em>
}

function addressOf(text: string | undefined, base: string, schemes: RegExp): string | null {
  // The page drops the article's ids, so fragment links would not work.
  const url = text && !text.startsWith('#') ? URL.parse(text, base) : null
  return url && schemes.test(url.protocol) ? url.href : null
}
