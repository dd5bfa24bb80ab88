/** GitHub's alerts, quotes that begin with `[!NOTE]`, as asides of their kind. */
import { type TreeNode, walk } from './tree.ts'

export const ALERT_KINDS = ['note', 'tip', 'important', 'warning', 'caution']

const MARK = new RegExp(`^\\[!(${ALERT_KINDS.join('|')})\\][ \\t]*(?:\\n|$)`, 'i')

/** A remark plugin. */
export function asidesOfAlerts() {
  return (tree: TreeNode): void => {
    walk(tree, (node) => {
      const [paragraph] = node.children ?? []
      const [first] = paragraph?.children ?? []
      if (node.type !== 'blockquote' || paragraph?.type !== 'paragraph' || first?.type !== 'text') return
      const kind = MARK.exec(first.value ?? '')?.[1]?.toLowerCase()
      if (kind === undefined) return
      first.value = first.value?.replace(MARK, '') ?? ''
      const label = { type: 'text', value: kind.charAt(0).toUpperCase() + kind.slice(1) }
      const heading = { type: 'paragraph', children: [{ type: 'strong', children: [label] }] }
      const rest =
        first.value === '' && paragraph.children?.length === 1
          ? (node.children?.slice(1) ?? [])
          : node.children
      node.children = [heading, ...(rest ?? [])]
      node.data = { hName: 'aside', hProperties: { className: [kind] } }
    })
  }
}
