/** The used parts of mdast and hast. Walks are iterative, so that deep nesting cannot exhaust the stack. */
export type TreeNode = {
  type: string
  value?: string
  tagName?: string
  name?: string | null
  /** First word after a code fence; `meta` is the rest. */
  lang?: string | null
  meta?: string | null
  url?: string
  alt?: string
  children?: TreeNode[]
  properties?: Record<string, unknown>
  attributes?: TreeAttribute[]
  data?: {
    estree?: unknown
    hName?: string
    hProperties?: Record<string, unknown>
    directiveLabel?: boolean | null
  }
  position?: { start: Point; end: Point } | undefined
}

type Point = { line: number; column: number; offset?: number }

export type TreeAttribute = {
  type: string
  name?: string
  value?: string | null | { value?: string; data?: { estree?: unknown } }
}

/** Visits in document order; the root's children have depth 1. */
export function walk(root: TreeNode, visit: (node: TreeNode, depth: number) => void): void {
  const pending = (root.children ?? []).map((node) => ({ node, depth: 1 })).reverse()
  for (let next = pending.pop(); next; next = pending.pop()) {
    visit(next.node, next.depth)
    const children = next.node.children ?? []
    for (let i = children.length - 1; i >= 0; i--) {
      pending.push({ node: children[i] as TreeNode, depth: next.depth + 1 })
    }
  }
}

/** Replaces every node below `root` by the result of `replace`, and visits the children of returned nodes, too. */
export function replaceNodes(root: TreeNode, replace: (node: TreeNode) => TreeNode[]): void {
  const parents = [root]
  for (let parent = parents.pop(); parent; parent = parents.pop()) {
    if (!parent.children) continue
    const children: TreeNode[] = []
    const pending = [...parent.children].reverse()
    for (let node = pending.pop(); node; node = pending.pop()) {
      const replacement = replace(node)
      if (replacement.length === 1 && replacement[0] === node) children.push(node)
      else for (const each of replacement.reverse()) pending.push(each)
    }
    parent.children = children
    for (const each of children) parents.push(each)
  }
}

/** Collapses white space. */
export function textOf(node: TreeNode): string {
  let text = ''
  walk(node, (child) => {
    if (child.type === 'text') text += child.value ?? ''
    else if (child.tagName === 'br') text += ' '
    else if (child.tagName === 'img') text += String(child.properties?.alt ?? '')
  })
  return text.replace(/\s+/g, ' ').trim()
}
