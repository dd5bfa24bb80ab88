/** Renders documents of Ghost's editor from 2017 to 2023 (https://github.com/bustle/mobiledoc-kit, MOBILEDOC.md). */
import type { LosePart } from '../import/losses.ts'
import { type Fields, recordOf, renderCard } from './cards.ts'
import { element, escaped, textOf, voidElement } from './markup.ts'

const [MARKUP_SECTION, IMAGE_SECTION, LIST_SECTION, CARD_SECTION] = [1, 2, 3, 10]
const ATOM = 1
const SECTION_TAGS = /^(?:aside|blockquote|h[1-6]|p|pre)$/
const MARKUP_TAGS = /^(?:a|b|code|del|em|i|mark|s|strike|strong|sub|sup|u)$/

type Parts = { markups: unknown[]; atoms: unknown[]; cards: unknown[]; lose: LosePart }

export function renderMobiledoc(document: unknown, lose: LosePart): string {
  const { markups, atoms, cards, sections } = recordOf(document)
  const parts = { markups: listOf(markups), atoms: listOf(atoms), cards: listOf(cards), lose }
  return listOf(sections)
    .map((section) => renderSection(listOf(section), parts))
    .join('')
}

function renderSection([type, ...rest]: unknown[], parts: Parts): string {
  const [first, second] = rest
  if (type === MARKUP_SECTION) {
    const tag = textOf(first).toLowerCase()
    const inner = renderMarkers(listOf(second), parts)
    if (tag === 'p' && inner.trim() === '') return ''
    return element(SECTION_TAGS.test(tag) ? tag : tag === 'pull-quote' ? 'blockquote' : 'p', {}, inner)
  }
  if (type === IMAGE_SECTION) return renderCard('image', { src: first }, parts.lose)
  if (type === LIST_SECTION) {
    const items = listOf(second).map((item) => element('li', {}, renderMarkers(listOf(item), parts)))
    return element(first === 'ol' ? 'ol' : 'ul', {}, items.join(''))
  }
  const [name, payload] = type === CARD_SECTION ? listOf(parts.cards[Number(first)]) : []
  return renderCard(textOf(name), recordOf(payload), parts.lose)
}

/** A marker opens markups, contains a text or an atom, and then closes a given number of open markups. */
function renderMarkers(markers: unknown[], parts: Parts): string {
  const open: string[] = []
  let html = ''
  for (const marker of markers) {
    const [type, opened, closed, value] = listOf(marker)
    for (const index of listOf(opened)) {
      const { tag, attributes } = markupOf(parts.markups[Number(index)])
      open.push(tag)
      // A later marker may close it.
      if (tag) html += element(tag, attributes).slice(0, -`</${tag}>`.length)
    }
    html += type === ATOM ? renderAtom(parts.atoms[Number(value)], parts) : escaped(value)
    for (let count = Number(closed) || 0; count > 0 && open.length > 0; count--) html += endTag(open.pop())
  }
  return html + open.reverse().map(endTag).join('')
}

function markupOf(markup: unknown): { tag: string; attributes: Fields } {
  const [name, values] = listOf(markup)
  const tag = textOf(name).toLowerCase()
  const list = listOf(values)
  const pairs = list.flatMap((each, i) => (i % 2 === 0 ? [[textOf(each), list[i + 1]] as const] : []))
  const { href, title } = Object.fromEntries(pairs)
  return { tag: MARKUP_TAGS.test(tag) ? tag : '', attributes: tag === 'a' ? { href, title } : {} }
}

function renderAtom(atom: unknown, { lose }: Parts): string {
  const [name, text] = listOf(atom)
  if (name === 'soft-return') return voidElement('br')
  lose('an atom becomes text', textOf(name) || 'without a name')
  return escaped(text)
}

function endTag(tag = ''): string {
  return tag && `</${tag}>`
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
