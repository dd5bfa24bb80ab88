/** Bounds the cost of HTML to Markdown: the converters take more than linear time for some small trees. */
import { wordSet } from './nesting.ts'

/** A node of hast (https://github.com/syntax-tree/hast), with the fields that we read. */
export type HtmlNode = {
  type: string
  tagName?: string
  properties?: Record<string, unknown>
  value?: string
  children?: HtmlNode[]
}

const MAX_DEPTH = 50
/** In units of about 4 µs, measured with the worst trees found. */
const NODE_WORK = 5
/** Each quote or list around a line indents it once more, and costs an export's parser that much again. */
const INDENTED_LINE_WORK = 3

const CONTAINERS = wordSet('blockquote dd dt li')
const ATTENTION = wordSet('b del em i mark s strike strong u')
/** White space ends at these. Before others the converter searches ahead for its end. */
const BOUNDARIES = wordSet(`
  address article aside audio blockquote br caption center dd details div dl dt fieldset figcaption figure footer form
  h1 h2 h3 h4 h5 h6 header hr iframe img input li main nav ol p pre section select summary table tbody td textarea
  tfoot th thead tr ul video`)

type Place = { depth: number; containers: number; attention: number; group: { attention: number } }

/** @throws RangeError if the tree takes more work than `maxWork`, or is nested too deeply */
export function chargeTree(tree: HtmlNode, maxWork: number): void {
  let work = 0
  let emptyInRow = 0
  const charge = (units: number) => {
    work += units
    if (work > maxWork) throw new RangeError('The HTML takes too much work to convert to Markdown')
  }
  const visit = (node: HtmlNode, { depth, containers, attention, group }: Place): void => {
    if (depth > MAX_DEPTH) throw new RangeError('The HTML is nested too deeply')
    const { tagName = '', children = [] } = node
    const isBoundary = tagName === '' ? /[^\t\n\f\r ]/.test(node.value ?? '') : BOUNDARIES.has(tagName)
    emptyInRow = isBoundary ? 0 : emptyInRow + 1
    const isAttention = ATTENTION.has(tagName)
    if (isAttention) group.attention += 1
    const lines = 1 + linesOf(node)
    charge(NODE_WORK + depth + INDENTED_LINE_WORK * lines * containers)
    // The converter compares each with its neighbours.
    charge(2 * emptyInRow + attention ** 2 + (isAttention ? (2 * group.attention) / 3 : 0))
    const inside = {
      depth: depth + 1,
      containers: containers + (CONTAINERS.has(tagName) ? 1 : 0),
      attention: attention + (isAttention || tagName === 'a' ? 1 : 0),
      group: isBoundary ? { attention: 0 } : group,
    }
    for (const child of children) visit(child, inside)
    if (isBoundary) emptyInRow = 0
  }
  visit(tree, { depth: 0, containers: 0, attention: 0, group: { attention: 0 } })
}

function linesOf({ value = '', properties = {} }: HtmlNode): number {
  const texts = [value, ...Object.values(properties).filter((each) => typeof each === 'string')]
  return texts.reduce((lines, text) => lines + (text.match(/[\r\n]/g)?.length ?? 0), 0)
}
