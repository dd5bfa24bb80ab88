/** Limits of a body, so that a small one cannot keep the converter busy for minutes. */
import type { Extension, State, TokenizeContext } from 'micromark-util-types'
import { parseBlocks } from './parse.ts'
import { type TreeNode, walk } from './tree.ts'

const MAX_DEPTH = 200
const MAX_CELLS = 100_000
const TOO_DEEP = `nested too deeply (more than ${MAX_DEPTH} levels)`

const MARKER = String.raw`(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])|\[\^[^\s\]]+\]:)`
/** Matches the first MAX_DEPTH container markers of a line with more. A thematic break such as `- - -` has no markers. */
const DEEP_LINE = new RegExp(
  String.raw`^(?![ \t]*([-*])(?:[ \t]*\1)*[ \t]*$)(?:[ \t]*${MARKER}){${MAX_DEPTH}}[ \t]*(?=${MARKER})`,
  'gm',
)

/**
 * Runs before the body is parsed as a whole, since that takes many times as long for each level. In code and raw HTML a
 * deep line nests nothing, so the parser decides where a container begins, and is stopped there.
 *
 * @throws Error with a one-line reason
 */
export function checkNesting(text: string, extensions: Extension[]): void {
  const tooDeep = new Set<number>()
  for (const { index, 0: markers } of text.matchAll(DEEP_LINE)) tooDeep.add(index + markers.length)
  if (tooDeep.size === 0) return
  parseBlocks(text, [...extensions, refusingContainersAt(tooDeep)])
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
