/** What GFM costs where a text has none of it, which is most of the time that it takes. The results are the same. */
import type { Processor } from 'unified'
import type { TreeNode } from './tree.ts'

const ADDRESS = /https?:\/\/|www\.|@/i
const TABLE = /\||:-|-:/
const LINKS = new Set(['link', 'linkReference'])

type Transform = (tree: TreeNode) => void
type Extension = { transforms?: Transform[] }
type ParserData = { fromMarkdownExtensions?: (Extension | Extension[])[]; micromarkExtensions?: unknown[] }

/** A plugin behind remark-gfm, which looks for addresses in every node: it is given those whose text may have one. */
export function linkWhereAddresses(this: Processor): void {
  const data = this.data() as ParserData
  data.fromMarkdownExtensions = data.fromMarkdownExtensions?.map((each) =>
    [each].flat().map((extension) => ({
      ...extension,
      ...(extension.transforms && { transforms: extension.transforms.map(whereAddresses) }),
    })),
  )
}

function whereAddresses(transform: Transform): Transform {
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

/** Whether a text may have tables. */
export function mayHaveTables(text: string): boolean {
  return TABLE.test(text)
}

/** A plugin for texts without tables, of which each line would be read as the head of one. */
export function withoutTables(this: Processor): void {
  const data = this.data() as ParserData
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), { disable: { null: ['table'] } }]
}
