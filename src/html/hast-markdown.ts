/** Converts an HTML tree to GitHub's Markdown. Import it only when needed, because it is large. */
import { defaultHandlers, type Handle, toMdast } from 'hast-util-to-mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import { toMarkdown } from 'mdast-util-to-markdown'
import { chargeTree, type HtmlNode } from './markdown-budget.ts'

/** HTML's limit (https://html.spec.whatwg.org/multipage/tables.html#dom-tdth-colspan). */
const MAX_SPAN = 1_000
/** Counts every row as wide as its table's widest. */
const MAX_CELLS = 50_000

/** Does not pad tables: a long cell would widen thousands of rows. @throws RangeError if it is too large, deep or slow to convert */
export function treeToMarkdown(tree: HtmlNode, maxWork: number): string {
  chargeTree(tree, maxWork)
  limitTables(tree)
  const mdast = toMdast(tree as never, { newlines: true, handlers: { li: listItem, pre: codeBlock } })
  return toMarkdown(mdast as never, {
    ...{ bullet: '-', rule: '-', emphasis: '_', fences: true },
    extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  })
}

/** Clamps spans, and counts cells as the converter fills them in. */
function limitTables(tree: HtmlNode): void {
  let cells = 0
  const visit = ({ tagName = '', properties, children = [] }: HtmlNode, rows: Span[][]) => {
    const ofTable = tagName === 'table' ? [[]] : rows
    if (tagName === 'tr') rows.push([])
    if ((tagName === 'td' || tagName === 'th') && properties) {
      const span = { columns: clampSpan(properties.colSpan), rows: clampSpan(properties.rowSpan) }
      Object.assign(properties, { colSpan: span.columns, rowSpan: span.rows })
      rows.at(-1)!.push(span)
    }
    for (const child of children) visit(child, ofTable)
    if (tagName !== 'table') return
    cells += ofTable.length * widestOf(ofTable)
    if (cells > MAX_CELLS) throw new RangeError('The tables are too large')
  }
  visit(tree, [[]])
}

type Span = { columns: number; rows: number }

const clampSpan = (value: unknown) => Math.min(Math.max(Number(value) || 1, 1), MAX_SPAN)

/** Includes cells that reach into a row from above. */
function widestOf(rows: Span[][]): number {
  const growth = new Float64Array(rows.length + 1)
  for (const [index, row] of rows.entries())
    for (const span of row) {
      growth[index]! += span.columns
      growth[Math.min(index + span.rows, rows.length)]! -= span.columns
    }
  let width = 0
  return growth.reduce((widest, more) => {
    width += more
    return Math.max(widest, width)
  }, 0)
}

function listItem(...[state, node]: Parameters<Handle>) {
  const item = defaultHandlers.li(state, node)
  const hasParagraph = node.children.some((child) => child.type === 'element' && child.tagName === 'p')
  return { ...item, spread: hasParagraph }
}

/** Keeps all empty lines. The last line's end belongs to the fence. */
function codeBlock(...[state, node]: Parameters<Handle>) {
  const code = defaultHandlers.pre(state, node)
  return 'value' in code ? { ...code, value: textOf(node as HtmlNode).replace(/\n$/, '') } : code
}

function textOf(node: HtmlNode): string {
  let text = ''
  const pending = [node]
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.type === 'text') text += next.value ?? ''
    pending.push(...(next.children ?? []).toReversed())
  }
  return text
}
