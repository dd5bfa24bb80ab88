/** The addresses in a body, and a body with other ones, in which every other byte is as it was. */
import { Tokenizer } from 'htmlparser2'

/** The attributes that hold an address, by element. */
const ADDRESSES: Record<string, string[]> = {
  a: ['href'],
  area: ['href'],
  img: ['src', 'srcset'],
  source: ['src', 'srcset'],
  video: ['src', 'poster'],
  audio: ['src'],
  track: ['src'],
}
const UNQUOTED = 1
const SINGLE_QUOTED = 2

/** An attribute with an address. `start` and `end` enclose what is behind its `=`, with the quotes. */
export type Attribute = {
  element: string
  name: string
  value: string
  start: number
  end: number
  quote: '"' | "'"
  /** Whether the element says its width or height. */
  sized: boolean
}

/** The replacement of `attribute`'s value; `more` are further attributes, to stand behind it. */
export type Edit = { attribute: Attribute; value: string; more?: string }

export function attributesIn(html: string): Attribute[] {
  const found: Attribute[] = []
  let element = ''
  let inTag: Attribute[] = []
  let sized = false
  let name = ''
  let value = ''
  let nameEnd = 0
  const endTag = () => {
    for (const attribute of inTag) attribute.sized = sized
    found.push(...inTag)
    inTag = []
  }
  const noop = () => {}
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname(start, end) {
        element = html.slice(start, end).toLowerCase()
        sized = false
      },
      onattribname(start, end) {
        name = html.slice(start, end).toLowerCase()
        nameEnd = end
        value = ''
      },
      onattribdata(start, end) {
        value += html.slice(start, end)
      },
      onattribentity(codepoint) {
        value += String.fromCodePoint(codepoint)
      },
      onattribend(kind, end) {
        sized ||= name === 'width' || name === 'height'
        const isFirst = !inTag.some((attribute) => attribute.name === name)
        if (kind < UNQUOTED || !isFirst || !ADDRESSES[element]?.includes(name)) return
        const start = valueStart(html, nameEnd)
        const quote = kind === SINGLE_QUOTED ? "'" : '"'
        inTag.push({ element, name, value, start, end, quote, sized: false })
      },
      onopentagend: endTag,
      onselfclosingtag: endTag,
      onclosetag: noop,
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
  return found
}

/** `edits` in the order of their attributes. */
export function withEdits(html: string, edits: Edit[]): string {
  let edited = ''
  let at = 0
  for (const { attribute, value, more = '' } of edits) {
    const { start, end, quote } = attribute
    const written =
      value === attribute.value ? html.slice(start, end) : `${quote}${escaped(value, quote)}${quote}`
    edited += html.slice(at, start) + written + more
    at = end
  }
  return edited + html.slice(at)
}

/** The addresses of a `srcset` (https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute). */
export function srcsetParts(srcset: string): { address: string; start: number; end: number }[] {
  const parts: { address: string; start: number; end: number }[] = []
  const candidate = /[\s,]*(\S+)/y
  const descriptors = /(?:\([^)]*\)|[^,(])*,?/y
  for (let match = candidate.exec(srcset); match; match = candidate.exec(srcset)) {
    const written = match[1] ?? ''
    const address = written.replace(/,+$/, '')
    const start = candidate.lastIndex - written.length
    parts.push({ address, start, end: start + address.length })
    if (address.length < written.length) continue
    descriptors.lastIndex = candidate.lastIndex
    if (!descriptors.exec(srcset)) break
    candidate.lastIndex = descriptors.lastIndex
  }
  return parts
}

function valueStart(html: string, nameEnd: number): number {
  const equals = /\s*=\s*/y
  equals.lastIndex = nameEnd
  return equals.exec(html) ? equals.lastIndex : nameEnd
}

function escaped(value: string, quote: string): string {
  return value.replaceAll('&', '&amp;').replaceAll(quote, quote === '"' ? '&quot;' : '&#39;')
}
