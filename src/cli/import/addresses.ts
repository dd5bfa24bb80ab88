/** Finds and replaces addresses in HTML, without changing any other byte. */
import { eachTag, type Attribute as Written } from '../../html/tags.ts'

const ADDRESSES = new Map(
  Object.entries({
    a: ['href'],
    area: ['href'],
    img: ['src', 'srcset'],
    source: ['src', 'srcset'],
    video: ['src', 'poster'],
    audio: ['src'],
    track: ['src'],
  }),
)

export type Attribute = Written & {
  element: string
  quote: '"' | "'"
  sized: boolean
}

export type Edit = { attribute: Attribute; value: string; more?: string }

export function attributesIn(html: string): Attribute[] {
  const found: Attribute[] = []
  eachTag(html, ({ name: element, attributes }) => {
    const sized = attributes.some(({ name }) => name === 'width' || name === 'height')
    const names = new Set(ADDRESSES.get(element))
    for (const { quote, ...attribute } of attributes) {
      // HTML uses the first of duplicate attributes.
      if (quote && names.delete(attribute.name)) found.push({ ...attribute, element, quote, sized })
    }
  })
  return found
}

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

/** Parses a `srcset` (https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute). */
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

function escaped(value: string, quote: string): string {
  return value.replaceAll('&', '&amp;').replaceAll(quote, quote === '"' ? '&quot;' : '&#39;')
}
