/** Skips parts of GFM that a text does not use: they take most of the time, and the result is the same. */
import type { Processor } from 'unified'
import type { TreeNode } from './tree.ts'

const ADDRESS = /https?:\/\/|www\.|@/i
const LINKS = new Set(['link', 'linkReference'])
/** Patterns that a text must match to use a construct. The parser tries most at each bracket, word or line. */
const CONSTRUCTS: [needs: RegExp, ...names: string[]][] = [
  [/\||:-|-:/, 'table'],
  [/[\w.+-]@[\w-]*\./, 'emailAutolink'],
  [/\[\^/, 'gfmFootnoteDefinition', 'gfmFootnoteCall', 'gfmPotentialFootnoteCall'],
  [/\[(?:[xX]\]|\s)/, 'tasklistCheck'],
  [/~/, 'strikethrough'],
  // With definitions, nested brackets may be a link to one.
  [/^(?![\s\S]*\]:)[\s\S]*\[\[/, 'obsidianLink'],
]

type Transform = (tree: TreeNode) => void
type Extension = { transforms?: Transform[] }
type Construct = { name?: string }
type Syntax = Record<string, Record<string, Construct | Construct[]>>
type ParserData = { fromMarkdownExtensions?: (Extension | Extension[])[]; micromarkExtensions?: Syntax[] }

/** Runs after remark-gfm, which searches every node for URLs: passes it only nodes that may contain one. */
export function autolinkWhereNeeded(this: Processor): void {
  const data = this.data() as ParserData
  data.fromMarkdownExtensions = data.fromMarkdownExtensions?.map((each) =>
    [each].flat().map((extension) => ({
      ...extension,
      ...(extension.transforms && { transforms: extension.transforms.map(whereNeeded) }),
    })),
  )
}

function whereNeeded(transform: Transform): Transform {
  return (tree) => {
    const pending = [tree]
    for (let node = pending.pop(); node; node = pending.pop()) {
      const { children = [] } = node
      if (LINKS.has(node.type)) continue
      pending.push(...children)
      if (children.some(({ type, value = '' }) => type === 'text' && ADDRESS.test(value))) transform(node)
    }
  }
}

export function constructsNotIn(text: string): string[] {
  return CONSTRUCTS.flatMap(([needs, ...names]) => (needs.test(text) ? [] : names))
}

/** Runs after remark-gfm. A construct that is only disabled would still be tried. */
export function without(this: Processor, names: string[]): void {
  const data = this.data() as ParserData
  const isLeft = ({ name = '' }: Construct) => !names.includes(name)
  data.micromarkExtensions = data.micromarkExtensions?.map(({ disable, attentionMarkers, ...syntax }) => ({
    ...Object.fromEntries(
      Object.entries(syntax).map(([place, constructs]) => [
        place,
        Object.fromEntries(
          Object.entries(constructs).map(([code, some]) => [code, [some].flat().filter(isLeft)]),
        ),
      ]),
    ),
    ...(disable && { disable }),
    ...(attentionMarkers && { attentionMarkers }),
  }))
}
