/** MDX without running JavaScript: HTML elements stay, components are replaced by their children, code is removed. */
import { isHtmlElement, isReported } from '../../convert/elements.ts'
import { noteComponent } from '../../convert/notes.ts'
import { codeRanges } from '../../convert/shortcodes.ts'
import { replaceNodes, type TreeAttribute, type TreeNode } from '../../convert/tree.ts'

/** Removed silently, whatever the value. */
const WITHOUT_CONTENT = /^(?:on[A-Z].*|class|className|key|ref|style)$/
const MAX_NAMED = 60

const PHRASING = new Set(
  `a abbr b bdi bdo br cite code data del dfn em i img input ins kbd label mark q ruby s samp small span strong sub
  sup time u var wbr`.split(/\s+/),
)

type File = Parameters<typeof noteComponent>[0]

const COMMENT = /<!--[\s\S]*?-->/g
const HEADING_ID = /^([ \t]{0,3}#{1,6}[ \t].*?)\{(#[\w-]+)\}[ \t]*$/gm

/** Docusaurus accepts HTML comments and heading ids, which MDX does not have. */
export function asMdx(text: string): string {
  if (!text.includes('<!--') && !text.includes('{#')) return text
  const isCode = codeRanges(text)
  const plain = text.replace(COMMENT, (comment, at: number) => (isCode(at) ? comment : ''))
  const inCode = codeRanges(plain)
  return plain.replace(HEADING_ID, (line, before: string, id: string, at: number) =>
    inCode(at) ? line : `${before}\\{${id}\\}`,
  )
}

export function plainMdx() {
  return (tree: TreeNode, file: File): void => {
    replaceNodes(tree, (node) => {
      if (node.type === 'mdxjsEsm') return []
      if (node.type === 'mdxFlowExpression' || node.type === 'mdxTextExpression')
        return literalText(node, file)
      if (node.type === 'paragraph' && isOnlyBlocks(node)) return node.children?.filter(isElement) ?? []
      if (!isElement(node)) return [node]
      if (node.name && isReported(node.name)) noteComponent(file, node.name)
      if (node.name && isHtmlElement(node.name)) return [htmlElement(node, file)]
      if (node.name) noteComponent(file, node.name)
      return node.children ?? []
    })
  }
}

// `<div>text</div>` alone on its line is parsed as a paragraph, which cannot contain a div.
function isOnlyBlocks(paragraph: TreeNode): boolean {
  const children = paragraph.children ?? []
  return (
    children.some(isElement) &&
    children.every((child) => {
      if (child.type === 'text') return child.value?.trim() === ''
      return isElement(child) && !!child.name && isHtmlElement(child.name) && !PHRASING.has(child.name)
    })
  )
}

function isElement(node: TreeNode): boolean {
  return node.type === 'mdxJsxFlowElement' || node.type === 'mdxJsxTextElement'
}

function htmlElement(node: TreeNode, file: File): TreeNode {
  const hProperties: Record<string, unknown> = {}
  for (const attribute of node.attributes ?? []) {
    const value = literalAttribute(attribute)
    if (attribute.name && value !== undefined) hProperties[attribute.name] = value
    else if (!WITHOUT_CONTENT.test(attribute.name ?? '')) noteComponent(file, sourceOf(attribute))
  }
  // In a paragraph or heading, an expression on its own line is still inline.
  const isTextual = /^(?:p|h[1-6])$/.test(node.name ?? '')
  const children = (node.children ?? []).map((child) =>
    isTextual && child.type === 'mdxFlowExpression' ? { ...child, type: 'mdxTextExpression' } : child,
  )
  return { type: 'htmlElement', children, data: { hName: node.name ?? '', hProperties } }
}

function literalAttribute(attribute: TreeAttribute): unknown {
  if (attribute.type !== 'mdxJsxAttribute') return undefined
  if (attribute.value === null || attribute.value === undefined) return true
  return typeof attribute.value === 'string' ? attribute.value : literal(attribute.value.data?.estree)
}

function literalText(node: TreeNode, file: File): TreeNode[] {
  const value = literal(node.data?.estree)
  if (value === undefined && !isComment(node)) noteComponent(file, `{${shortened(node.value)}}`)
  if (typeof value !== 'string' && typeof value !== 'number') return []
  const text = { type: 'text', value: String(value) }
  return node.type === 'mdxTextExpression' ? [text] : [{ type: 'paragraph', children: [text] }]
}

type Expression = {
  type?: string
  value?: unknown
  expressions?: unknown[]
  object?: Expression
  callee?: { name?: string }
  arguments?: Expression[]
  quasis?: { value: { cooked?: string } }[]
}

function literal(estree: unknown): unknown {
  const statement = (estree as { body?: { expression?: Expression }[] } | undefined)?.body?.[0]
  const expression = statement?.expression
  if (expression?.type === 'Literal' && !(expression.value instanceof RegExp)) return expression.value
  if (expression?.type === 'TemplateLiteral' && expression.expressions?.length === 0) {
    return expression.quasis?.[0]?.value.cooked
  }
  const call = expression?.type === 'MemberExpression' ? expression.object : expression
  if (call?.type === 'CallExpression' && call.callee?.name === 'require') return call.arguments?.[0]?.value
  return undefined
}

function isComment({ data }: TreeNode): boolean {
  return (data?.estree as { body?: unknown[] } | undefined)?.body?.length === 0
}

function sourceOf({ name, value }: TreeAttribute): string {
  const source = shortened(typeof value === 'string' ? value : value?.value)
  return name ? `${name}={${source}}` : `{${source}}`
}

function shortened(source = ''): string {
  const line = source.trim().replace(/\s+/g, ' ')
  return line.length > MAX_NAMED ? `${line.slice(0, MAX_NAMED)}…` : line
}
