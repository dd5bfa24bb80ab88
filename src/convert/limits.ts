/** Limits of a body, so that a small one cannot keep the converter busy for minutes. */
import type { Extension, State, TokenizeContext } from 'micromark-util-types'
import { parseBlocks } from './parse.ts'
import { type TreeNode, walk } from './tree.ts'

const MAX_DEPTH = 200
/** Each one parses all of its lines again. */
const MAX_CONTAINERS = 30
const MAX_CELLS = 100_000
const TOO_DEEP = `nested too deeply (more than ${MAX_DEPTH} levels)`

const MARKER = String.raw`(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])|\[\^[^\s\]]+\]:)`
/** Matches the first MAX_DEPTH container markers of a line with more. A thematic break such as `- - -` has no markers. */
const DEEP_LINE = new RegExp(
  String.raw`^(?![ \t]*([-*])(?:[ \t]*\1)*[ \t]*$)(?:[ \t]*${MARKER}){${MAX_DEPTH}}[ \t]*(?=${MARKER})`,
  'gm',
)

const CONTAINER = /^([ \t>*+.)\d-]*)(:{3,})[ \t]*([a-z]|$)/gim

/**
 * Runs before the body is parsed as a whole, since that takes many times as long for each level. In code and raw HTML a
 * deep line nests nothing, so the parser decides where a container begins, and is stopped there.
 *
 * @throws Error with a one-line reason
 */
export function checkNesting(text: string, extensions: Extension[]): void {
  checkContainers(text)
  const tooDeep = new Set<number>()
  for (const { index, 0: markers } of text.matchAll(DEEP_LINE)) tooDeep.add(index + markers.length)
  if (tooDeep.size === 0) return
  parseBlocks(text, [...extensions, refusingContainersAt(tooDeep)])
}

/** Counts at least as many open `:::` as the parser does, which also ends those in code. */
function checkContainers(text: string): void {
  let open: { size: number; quotes: number; column: number }[] = []
  for (const [, before = '', { length: size } = '', name] of text.matchAll(CONTAINER)) {
    const quotes = before.split('>').length
    const column = before.replaceAll('\t', '    ').length
    if (name) open.push({ size, quotes, column })
    else if (!/[^ \t>]/.test(before))
      open = open.filter(
        (each) => each.size > size || each.quotes !== quotes || Math.abs(each.column - column) > 3,
      )
    if (open.length > MAX_CONTAINERS)
      throw new Error(`nested too deeply (more than ${MAX_CONTAINERS} levels of :::)`)
  }
}

/** The parser asks this extension wherever a container may begin. It never accepts. */
function refusingContainersAt(offsets: Set<number>): Extension {
  const refusing = {
    tokenize(this: TokenizeContext, _effects: unknown, _ok: State, nok: State): State {
      const { offset } = this.now()
      return (code) => {
        if (offsets.has(offset)) throw new Error(TOO_DEEP)
        return nok(code)
      }
    },
  }
  return {
    document: Object.fromEntries([...'>*+-0123456789['].map((marker) => [marker.charCodeAt(0), refusing])),
  }
}

/** Limits the parsed body. A table row is as wide as the table's head, whatever its number of cells. */
export function limitTree() {
  return (tree: TreeNode): void => {
    let cells = 0
    walk(tree, ({ type, children = [] }, depth) => {
      if (depth > MAX_DEPTH) throw new Error(TOO_DEEP)
      if (type === 'table') cells += children.length * (children[0]?.children?.length ?? 0)
      if (cells > MAX_CELLS)
        throw new Error(`its tables have more than ${MAX_CELLS.toLocaleString('en')} cells`)
    })
  }
}

const MAX_LENGTH = 100_000
const MAX_LINES = 1_500
const MAX_MARKS = 10_000
const MAX_BLOCK_MARKS = 2_000
const MARKS = /[*_[\]<!~|`]/g
/** Ends a paragraph. Other items, such as `2. a`, may be a part of one. */
const ITEM = /^ {0,3}(?:[-*+]|1[.)])[ \t]+[^ \t]/

/** Limits a text for the Worker, since some take time that grows with their square. @throws Error with a one-line reason */
export function checkSize(text: string): void {
  limit(text.length, MAX_LENGTH, 'characters')
  const lines = text.split(/\r\n|[\r\n]/)
  limit(lines.length, MAX_LINES, 'lines')
  let [all, inBlock] = [0, 0]
  for (const line of lines) {
    const marks = line.match(MARKS)?.length ?? 0
    all += marks
    inBlock = marks + (line.trim() === '' || ITEM.test(line) ? 0 : inBlock)
    limit(all, MAX_MARKS, 'marks such as * or [')
    limit(inBlock, MAX_BLOCK_MARKS, 'marks such as * or [ in one paragraph')
  }
}

const MAX_HTML_LENGTH = 500_000
const MAX_ELEMENTS = 10_000
const ELEMENT = /<[a-z]/gi

/** @throws Error with a one-line reason */
export type CheckHtml = (html: string) => void

/** Limits a body for the Worker: each element takes some kilobytes while its body is cleaned. */
export const checkHtmlSize: CheckHtml = (html) => {
  limit(html.length, MAX_HTML_LENGTH, 'characters')
  limit(html.match(ELEMENT)?.length ?? 0, MAX_ELEMENTS, 'elements')
}

function limit(count: number, most: number, unit: string): void {
  if (count > most) throw new Error(`more than ${most.toLocaleString('en')} ${unit}`)
}
