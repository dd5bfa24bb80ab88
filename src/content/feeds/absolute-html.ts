/**
 * The HTML of a post as it stands in a feed: with absolute addresses, and without what no reader of feeds runs. It reads
 * tokens and builds no tree, so that all else stays byte for byte as it was put.
 */
import { eachToken } from '../../foundation/html-tokens.ts'

const ADDRESSES = new Set([
  'href',
  'src',
  'poster',
  'cite',
  'data',
  'action',
  'formaction',
  'background',
  'longdesc',
  'xlink:href',
])
const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:'])
/** What addresses with `data:` are pictures in. */
const PICTURES = new Set(['img', 'image', 'source'])
/** Left out with what they enclose, which is text to some parsers and tags to others. */
const RAW = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'noembed', 'noframes', 'plaintext'])
/** Elements of SVG that change attributes of others. */
const ANIMATIONS = ['animate', 'animatemotion', 'animatetransform', 'set']
const LEFT_OUT = new Set([...RAW, ...ANIMATIONS, 'base', 'meta', 'link', 'noscript'])

/** `base` is the post's URL. Scripts, styles, event handlers and addresses such as `javascript:` are left out. */
export function absoluteHtml(html: string, base: string): string {
  const parts: string[] = []
  let copied = 0
  let tag = { name: '', start: 0 }
  let attribute = { name: '', start: 0, end: 0, value: '' }
  let isHidden = false
  const replace = (start: number, end: number, by: string) => {
    parts.push(html.slice(copied, start), by)
    copied = end
  }
  const endTag = (end: number) => {
    if (isHidden) return
    if (LEFT_OUT.has(tag.name)) replace(tag.start, end + 1, '')
    isHidden = RAW.has(tag.name) || tag.name === 'iframe'
    if (tag.name === 'iframe') replace(end + 1, end + 1, '</iframe>')
  }
  /** A comment, a CDATA section or a declaration: not all parsers agree on where one ends. */
  const leaveOut = (start: number, end: number) => {
    if (!isHidden) replace(html.lastIndexOf('<', start - 1), Math.min(end + 1, html.length), '')
  }
  eachToken(html, {
    onopentagname: (start, end) => {
      tag = { name: html.slice(start, end).toLowerCase(), start: start - 1 }
    },
    onopentagend: endTag,
    onselfclosingtag: endTag,
    onclosetag: (start, end) => {
      const closed = html.indexOf('>', end)
      const next = closed < 0 ? html.length : closed + 1
      if (isHidden) copied = next
      else if (LEFT_OUT.has(html.slice(start, end).toLowerCase())) replace(start - 2, next, '')
      // Attributes, in which some parsers see a `>`.
      else if (end !== closed) replace(end, next, '>')
      isHidden = false
    },
    onattribname: (start, end) => {
      attribute = { name: html.slice(start, end).toLowerCase(), start, end, value: '' }
    },
    onattribdata: (start, end) => {
      attribute.value += html.slice(start, end)
    },
    onattribentity: (codepoint) => {
      attribute.value += String.fromCodePoint(codepoint)
    },
    onattribend: (_, end) => {
      if (isHidden || LEFT_OUT.has(tag.name)) return
      const value = absoluteValue(attribute, base, PICTURES.has(tag.name))
      if (value === null) replace(attribute.start, end, '')
      else if (value !== attribute.value) replace(attribute.end, end, `="${escapeHtml(value)}"`)
    },
    oncdata: leaveOut,
    oncomment: leaveOut,
    ondeclaration: leaveOut,
    onprocessinginstruction: leaveOut,
  })
  if (!isHidden) parts.push(html.slice(copied))
  return parts.join('')
}

/** Null for an attribute that is left out. */
function absoluteValue(
  { name, value }: { name: string; value: string },
  base: string,
  isPicture: boolean,
): string | null {
  if (name.startsWith('on') || name === 'srcdoc') return null
  if (name === 'srcset') return absoluteCandidates(value, base)
  return ADDRESSES.has(name) ? absoluteUrl(value, base, isPicture) : value
}

/** One that is absolute stays as it is written. Null for what is no address of a page, a picture or a person. */
function absoluteUrl(address: string, base: string, isPicture = false): string | null {
  const url = URL.parse(address, base)
  if (!url || !(SCHEMES.has(url.protocol) || (isPicture && url.protocol === 'data:'))) return null
  return URL.canParse(address) ? address : url.href
}

/** The same in the characters of a URI (https://www.rfc-editor.org/rfc/rfc3986#section-2), which validators of feeds want. */
export function encodedUrl(address: string, base: string): string | null {
  const absolute = absoluteUrl(address, base)
  if (absolute === null) return null
  const url = new URL(absolute)
  for (const part of ['pathname', 'search', 'hash'] as const)
    url[part] = url[part].replace(/%(?![\da-f]{2})|[^\w%\-.~:/?#@!$&'()*+,;=]/gi, encodeURIComponent)
  return url.href
}

/** See https://html.spec.whatwg.org/multipage/images.html#srcset-attributes. */
function absoluteCandidates(srcset: string, base: string): string {
  // A comma ends an address only where a blank follows it.
  const candidates = srcset.matchAll(/([^\s,]\S*)(?<!,)([^,]*)/g)
  const absolute = [...candidates].flatMap(([, address = '', size = '']) => {
    const url = absoluteUrl(address, base, true)
    return url === null ? [] : [`${url} ${size.trim()}`.trim()]
  })
  return absolute.join(', ')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' }

/** Text as HTML, also of a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&"<>]/g, (character) => ENTITIES[character]!)
}
