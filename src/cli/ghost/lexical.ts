/** Renders documents of Ghost's editor since 2023 (https://lexical.dev/docs/concepts/serialization). */
import type { LosePart } from '../import/losses.ts'
import { type Fields, recordOf, renderCard } from './cards.ts'
import { element, escaped, textOf, voidElement } from './markup.ts'

/** Bits of a text's format, outermost element first. */
const FORMATS: [bit: number, name: string][] = [
  [1, 'strong'],
  [2, 'em'],
  [4, 's'],
  [8, 'u'],
  [16, 'code'],
  [32, 'sub'],
  [64, 'sup'],
  [128, 'mark'],
]

type Render = (node: Fields, inner: () => string, lose: LosePart) => string

const HEADING = /^h[1-6]$/
const heading: Render = ({ tag }, inner) =>
  element(HEADING.test(textOf(tag)) ? textOf(tag) : 'h2', {}, inner())
const quote: Render = (_, inner) => element('blockquote', {}, inner())
const text: Render = (node) => formatted(node)
const link: Render = ({ url, title }, inner) => element('a', { href: url, title }, inner())

const NODES = new Map<string, Render>(
  Object.entries<Render>({
    root: (_, inner) => inner(),
    paragraph: (_, inner) => {
      const content = inner()
      return content.trim() ? element('p', {}, content) : ''
    },
    heading,
    'extended-heading': heading,
    quote,
    'extended-quote': quote,
    aside: quote,
    list: (node, _, lose) => list(node, lose),
    listitem: (_, inner) => element('li', {}, inner()),
    text,
    'extended-text': text,
    'code-highlight': text,
    tk: text,
    link,
    autolink: link,
    'at-link': link,
    'at-link-search': () => '',
    linebreak: () => voidElement('br'),
    tab: () => '\t',
    zwnj: () => '',
  }),
)

export function renderLexical(document: unknown, lose: LosePart): string {
  return render(recordOf(recordOf(document).root), lose)
}

function render(node: Fields, lose: LosePart): string {
  const type = textOf(node.type)
  const renderNode = NODES.get(type)
  if (renderNode) return renderNode(node, () => renderAll(node, lose), lose)
  return renderCard(type, node, lose) || renderAll(node, lose)
}

function renderAll(node: Fields, lose: LosePart): string {
  return childrenOf(node)
    .map((child) => render(child, lose))
    .join('')
}

/** Lexical puts a nested list into its own item; in HTML it belongs to the item before. */
function list(node: Fields, lose: LosePart): string {
  const items: string[] = []
  for (const item of childrenOf(node)) {
    const children = childrenOf(item)
    const isNested = children.length > 0 && children.every(({ type }) => type === 'list')
    const content = (isNested ? (items.pop() ?? '') : '') + renderAll(item, lose)
    items.push(content)
  }
  const isNumbered = node.listType === 'number' || node.tag === 'ol'
  const start = isNumbered && node.start !== 1 ? node.start : undefined
  return element(
    isNumbered ? 'ol' : 'ul',
    { start },
    items.map((content) => element('li', {}, content)).join(''),
  )
}

function formatted(node: Fields): string {
  const format = Number(node.format) || 0
  const names = FORMATS.filter(([bit]) => (format & bit) !== 0).map(([, name]) => name)
  return names.reduceRight((inner, name) => element(name, {}, inner), escaped(node.text))
}

function childrenOf({ children }: Fields): Fields[] {
  return Array.isArray(children) ? children.map(recordOf) : []
}
