/** Names what a body loses as Markdown, by converting it back. */
import { type Attribute, eachTag } from '../html/tags.ts'
import { htmlToText } from '../html/text.ts'
import { convertMarkdown } from './convert.ts'
import { looksTheSame } from './to-markdown.ts'

/** Elements with the same meaning in Markdown. */
const SAME: Record<string, string> = { b: 'strong', i: 'em', s: 'del', strike: 'del' }
/** Without attributes they have no meaning of their own, or Markdown adds and removes them. */
const PLAIN = new Set('p div span thead tbody tfoot colgroup col code'.split(' '))
const ADDRESSES = new Set(['href', 'src'])

/** Such as `<iframe>` and `class of <p>`. `markdown` was made from `html`. @throws Error with a one-line reason */
export function lostInMarkdown(html: string, markdown: string): string[] {
  const again = convertMarkdown(markdown, { hasTitle: true }).html
  if (looksTheSame(again, html)) return []
  const lost = partsLost(html, again)
  const isTextLost = lost.length === 0 && htmlToText(html).text !== htmlToText(again).text
  return isTextLost ? ['some text'] : lost
}

function partsLost(html: string, again: string): string[] {
  const [before, after] = [countParts(html), countParts(again)]
  const isLost = (part: string) => (after.get(part) ?? 0) < before.get(part)!
  const lost = new Set<string>()
  for (const [part] of before) {
    const [name = '', attribute] = part.split(' ')
    if (!isLost(part)) continue
    if (attribute === undefined) {
      if (!PLAIN.has(name)) lost.add(name ? `<${name}>` : 'comments')
    } else if (PLAIN.has(name) || !isLost(name)) lost.add(`${attribute} of <${name}>`)
  }
  if ((after.get('th') ?? 0) > (before.get('th') ?? 0)) lost.add('tables without a heading row')
  return [...lost]
}

/** The number of elements by name, such as `td`, and of attributes by element, name and value. */
function countParts(html: string): Map<string, number> {
  const counts = new Map<string, number>()
  const count = (part: string) => counts.set(part, (counts.get(part) ?? 0) + 1)
  eachTag(html, ({ name: written, kind, attributes }) => {
    if (kind === 'close') return
    const name = SAME[written] ?? written
    count(name)
    for (const attribute of attributes) {
      if (attribute.value !== '' || attribute.name !== 'alt')
        count(`${name} ${attribute.name} ${comparable(attribute)}`)
    }
  })
  return counts
}

function comparable({ name, value }: Attribute): string {
  if (!ADDRESSES.has(name)) return value.trim()
  try {
    return decodeURI(value)
  } catch {
    return value
  }
}
