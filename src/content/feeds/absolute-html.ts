/** Post HTML for feeds. Reads tokens and builds no tree, so that kept text stays byte for byte and deep nesting costs nothing. */
import { eachToken } from '../../html/tokens.ts'
import {
  ELEMENTS,
  isAllowedAttribute,
  LEFT_OUT_WHOLE,
  LINKS,
  PICTURES,
  type Schemes,
  schemesOf,
} from './allowed-html.ts'

/** Keeps only what allowed-html.ts lists. `base` is the post's URL. */
export function absoluteHtml(html: string, base: string): string {
  const written: string[] = []
  /** The start of the next token. */
  let read = 0
  /** An element that is left out with its content, and how many of its name are open in it. */
  let hidden = { name: '', depth: 0 }
  /** `text` is null for a tag that is left out. */
  let tag: { name: string; text: string | null } = { name: '', text: null }
  let attribute = { name: '', start: 0, end: 0, value: '' }

  const leaveOutTo = (end: number) => {
    read = Math.min(end, html.length)
  }
  const keepText = (end: number) => {
    const text = html.slice(read, end)
    // Without the `</x>` that is left out, `<</x>script>` would be a tag.
    const isLast = end === html.length
    if (hidden.depth === 0) written.push(isLast ? text : text.replace(/<(\/?)$/, '&lt;$1'))
    read = end
  }
  const addToTag = (end: number) => {
    if (tag.text !== null) tag.text += html.slice(read, end)
    read = end
  }
  const endTag = (end: number) => {
    addToTag(end + 1)
    if (hidden.depth > 0) {
      if (tag.name === hidden.name) hidden.depth++
    } else if (LEFT_OUT_WHOLE.has(tag.name)) {
      hidden = { name: tag.name, depth: 1 }
    } else if (tag.text !== null) {
      written.push(tag.text)
      if (tag.name !== 'iframe') return
      // Some parsers read text between its tags as HTML.
      written.push('</iframe>')
      hidden = { name: tag.name, depth: 1 }
    }
  }
  const leaveOut = (_: number, end: number) => leaveOutTo(end + 1)

  eachToken(html, {
    ontext: (start, end) => {
      // If the HTML ends within a tag, the tokenizer gives the rest as text.
      if (start !== read) leaveOutTo(end)
      else keepText(end)
    },
    ontextentity: (_, end) => keepText(end),
    onopentagname: (start, end) => {
      const name = html.slice(start, end).toLowerCase()
      tag = { name, text: ELEMENTS.has(name) ? '' : null }
      addToTag(end)
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
      if (tag.text === null) return
      const value = absoluteValue(tag.name, attribute, base)
      addToTag(value === null ? attribute.start : attribute.end)
      if (value === null) leaveOutTo(end)
      else if (value === attribute.value) addToTag(end)
      else {
        tag.text += `="${escapeMarkup(value)}"`
        leaveOutTo(end)
      }
    },
    onopentagend: endTag,
    onselfclosingtag: endTag,
    onclosetag: (start, end) => {
      const name = html.slice(start, end).toLowerCase()
      if (hidden.depth > 0) {
        if (name === hidden.name) hidden.depth--
      } else if (ELEMENTS.has(name)) {
        // Without attributes, in which some parsers see a `>`.
        written.push(`${html.slice(read, end)}>`)
      }
      const closed = html.indexOf('>', end)
      leaveOutTo(closed < 0 ? html.length : closed + 1)
    },
    // Parsers disagree on where these end.
    oncdata: leaveOut,
    oncomment: leaveOut,
    ondeclaration: leaveOut,
    onprocessinginstruction: leaveOut,
  })
  return written.join('')
}

function absoluteValue(
  element: string,
  { name, value }: { name: string; value: string },
  base: string,
): string | null {
  const schemes = schemesOf(element, name)
  if (name === 'srcset') return absoluteCandidates(value, base)
  if (schemes) return absoluteUrl(value, base, schemes)
  return isAllowedAttribute(element, name) ? value : null
}

/** Keeps an absolute URL as written. Null for other schemes, and for text that is no URL. */
function absoluteUrl(address: string, base: string, schemes: Schemes): string | null {
  const url = URL.parse(address, base)
  if (!url || !schemes.has(url.protocol)) return null
  if (url.protocol === 'data:' && !url.pathname.startsWith('image/')) return null
  return URL.canParse(address) ? address : url.href
}

/** Absolute and only in URI characters (https://www.rfc-editor.org/rfc/rfc3986#section-2), as feed validators require. */
export function encodedUrl(address: string, base: string): string | null {
  const absolute = absoluteUrl(address, base, LINKS)
  if (absolute === null) return null
  const url = new URL(absolute)
  for (const part of ['pathname', 'search', 'hash'] as const)
    url[part] = url[part].replace(/%(?![\da-f]{2})|[^\w%\-.~:/?#@!$&'()*+,;=]/gi, encodeURIComponent)
  return url.href
}

/** See https://html.spec.whatwg.org/multipage/images.html#srcset-attributes. */
function absoluteCandidates(srcset: string, base: string): string {
  // A comma ends a URL only before white space.
  const candidates = srcset.matchAll(/([^\s,]\S*)(?<!,)([^,]*)/g)
  const absolute = [...candidates].flatMap(([, address = '', size = '']) => {
    const url = absoluteUrl(address, base, PICTURES)
    return url === null ? [] : [`${url} ${size.trim()}`.trim()]
  })
  return absolute.join(', ')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' }

/** Also for quoted attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&"<>]/g, (character) => ENTITIES[character]!)
}
