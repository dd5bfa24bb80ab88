/** What a body may be, so that a small one cannot keep the converter busy for minutes. */
import { type TreeNode, walk } from './tree.ts'

const MAX_DEPTH = 200
const MAX_CELLS = 100_000
const TOO_DEEP = `nested too deeply (more than ${MAX_DEPTH} levels)`

/** A line that begins with more markers than that, each in the one before: of quotes, lists and footnotes. A break such as `- - -` is none. */
const DEEP_LINE = new RegExp(
  String.raw`^(?![ \t]*([-*])(?:[ \t]*\1)*[ \t]*$)(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])|\[\^[^\s\]]+\]:)){${MAX_DEPTH + 1}}`,
  'm',
)

/** Before it is parsed, which takes many times as long for each level. @throws Error with a one-line reason */
export function checkNesting(text: string): void {
  if (DEEP_LINE.test(text)) throw new Error(TOO_DEEP)
}

/** The same for the parsed body. A row of a table is as wide as its head, however few cells it was given. */
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
