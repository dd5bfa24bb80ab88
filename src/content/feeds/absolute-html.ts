/**
 * The HTML of a post as it stands in a feed: with absolute addresses, and without what no reader of feeds runs. It reads
 * tokens and builds no tree, so that all else stays byte for byte as it was put.
 */
import { Tokenizer } from 'htmlparser2'

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
const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:', 'data:'])
/** With what they enclose. */
const SCRIPTS = new Set(['script', 'style'])
const LEFT_OUT = new Set([...SCRIPTS, 'base', 'meta', 'link'])

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
    if (isHidden || !LEFT_OUT.has(tag.name)) return
    replace(tag.start, end + 1, '')
    isHidden = SCRIPTS.has(tag.name)
  }
  const noop = () => {}
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname: (start, end) => {
        tag = { name: html.slice(start, end).toLowerCase(), start: start - 1 }
      },
      onopentagend: endTag,
      onselfclosingtag: endTag,
      onclosetag: (_, end) => {
        if (!isHidden) return
        isHidden = false
        const closed = html.indexOf('>', end)
        copied = closed < 0 ? html.length : closed + 1
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
        const value = absoluteValue(attribute, base)
        if (value === null) replace(attribute.start, end, '')
        else if (value !== attribute.value) replace(attribute.end, end, `="${escapeHtml(value)}"`)
      },
      ontext: noop,
      ontextentity: noop,
      oncdata: noop,
      oncomment: noop,
      ondeclaration: noop,
      onprocessinginstruction: noop,
      onend: noop,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  if (!isHidden) parts.push(html.slice(copied))
  return parts.join('')
}

/** Null for an attribute that is left out. */
function absoluteValue({ name, value }: { name: string; value: string }, base: string): string | null {
  if (name.startsWith('on') || name === 'srcdoc') return null
  if (name === 'srcset') return absoluteCandidates(value, base)
  return ADDRESSES.has(name) ? absoluteUrl(value, base) : value
}

/** One that is absolute stays as it is written. Null for what is no address of a page, a picture or a person. */
export function absoluteUrl(address: string, base: string): string | null {
  const url = URL.parse(address, base)
  if (!url || !SCHEMES.has(url.protocol)) return null
  return URL.canParse(address) ? address : url.href
}

/** See https://html.spec.whatwg.org/multipage/images.html#srcset-attributes. */
function absoluteCandidates(srcset: string, base: string): string {
  // A comma ends an address only where a blank follows it.
  const candidates = srcset.matchAll(/([^\s,]\S*)(?<!,)([^,]*)/g)
  const absolute = [...candidates].flatMap(([, address = '', size = '']) => {
    const url = absoluteUrl(address, base)
    return url === null ? [] : [`${url} ${size.trim()}`.trim()]
  })
  return absolute.join(', ')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' }

/** Text as HTML, also of a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&"<>]/g, (character) => ENTITIES[character]!)
}
