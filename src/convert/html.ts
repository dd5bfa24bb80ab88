/** Cleans bodies that are HTML: parses, sanitises as for Markdown, and gives each heading an id. */
import rehypeRaw from 'rehype-raw'
import rehypeSanitize from 'rehype-sanitize'
import rehypeSlug from 'rehype-slug'
import rehypeStringify from 'rehype-stringify'
import { unified } from 'unified'
import { bodySchema, dropEmptyClasses, lossOf } from './elements.ts'
import { dropEmptyImages, removeHidden } from './hidden-content.ts'
import { type TreeNode, walk } from './tree.ts'

const allowed = new Set(bodySchema.tagNames)
const PROTOCOLS = bodySchema.protocols as Record<string, string[]>
const INLINE_IMAGE = /^data:image\/(?:avif|gif|jpeg|png|webp)[;,]/i
const MAX_DEPTH = 500
const STYLING = new Set(['big', 'font', 'style'])

const parser = unified().use(rehypeRaw).freeze()
const cleaner = unified()
  .use(rehypeSanitize, bodySchema)
  .use(dropEmptyClasses)
  .use(rehypeSlug)
  .use(rehypeStringify, { characterReferences: { useNamedReferences: true } })
  .freeze()

type Root = Parameters<typeof cleaner.runSync>[0]

/**
 * `dropped` lists what was removed, sorted: elements (their text stays, except for scripts and styles), addresses
 * (`javascript: in a[href]`), attributes (`style attribute`) and alignment classes. An `iframe` becomes a link to its page,
 * and is listed, too. Other classes and event handlers are removed silently. `isLeftOut` removes nodes with their content.
 * Content hidden from readers is removed, and listed unless it is repeated elsewhere in the body.
 *
 * @throws Error with a one-line reason when the HTML is nested too deeply
 */
export function cleanHtml(
  html: string,
  isLeftOut: (node: TreeNode) => boolean = () => false,
): { html: string; dropped: string[] } {
  try {
    const tree = parser.runSync(fragment(html)) as TreeNode
    walk(tree, (_, depth) => {
      if (depth > MAX_DEPTH) throw new RangeError('too deep')
    })
    const dropped = new Set([...removeHidden(tree), ...dropEmptyImages(tree)])
    walk(tree, (node) => {
      if (node.tagName && isLeftOut(node)) emptyNode(node)
      // Reported once, not with each of its parts.
      if (node.tagName === 'svg') node.children = []
      if (node.tagName && !allowed.has(node.tagName)) dropped.add(node.tagName)
      if (node.tagName === 'iframe') becomeLink(node)
      if (node.tagName === 'input' && node.properties?.type !== 'checkbox') {
        dropped.add('input')
        emptyNode(node)
      }
      if (node.properties?.style !== undefined) dropped.add('style attribute')
      for (const [name, scheme] of refusedAddresses(node)) {
        dropped.add(`${scheme} in ${node.tagName}[${name}]`)
        delete node.properties?.[name]
      }
    })
    const clean = cleaner.runSync(tree as Root)
    return { html: cleaner.stringify(clean as never).trim(), dropped: [...dropped].sort() }
  } catch (error) {
    if (error instanceof RangeError) throw new Error('nested too deeply')
    throw error
  }
}

export function lossOfDropped(name: string) {
  const detail = name
  if (name === 'iframe') return { reason: 'replaced by a link', detail: '<iframe>' } as const
  if (name === 'style attribute' || STYLING.has(name))
    return { reason: 'the styles of the site decide how text looks', detail } as const
  return /^[a-z0-9-]+$/i.test(name) ? lossOf(name) : ({ reason: 'removed', detail } as const)
}

function fragment(html: string): Root {
  return { type: 'root', children: [{ type: 'raw', value: html }] } as never
}

function emptyNode(node: TreeNode): void {
  Object.assign(node, {
    type: 'text',
    value: '',
    tagName: undefined,
    properties: undefined,
    children: undefined,
  })
}

function becomeLink(node: TreeNode): void {
  const address = String(node.properties?.src ?? '').trim()
  if (!/^(?:https?:)?\/\/[^/]/i.test(address)) return
  node.tagName = 'a'
  node.properties = { href: address }
  node.children = [{ type: 'text', value: address }]
}

function refusedAddresses({ tagName = '', properties = {} }: TreeNode): [name: string, scheme: string][] {
  if (!allowed.has(tagName)) return []
  return ['href', 'src', 'poster'].flatMap((name) => {
    const scheme = schemeOf(properties[name])
    if (!scheme) return []
    const isAllowed =
      scheme === 'data:'
        ? tagName === 'img' && INLINE_IMAGE.test(String(properties[name]).trim())
        : PROTOCOLS[name]?.includes(scheme.slice(0, -1))
    return isAllowed ? [] : [[name, scheme]]
  })
}

// Browsers ignore control characters and spaces before a scheme, and line breaks in it.
function schemeOf(address: unknown): string | undefined {
  if (typeof address !== 'string') return undefined
  const text = address.replace(/^[\0- ]+|[\t\n\r]/g, '')
  return /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase()
}
