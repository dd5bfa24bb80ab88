/** Converts Markdown to the HTML of a body. The processors are created once and reused. */
import rehypeRaw from 'rehype-raw'
import rehypeSanitize from 'rehype-sanitize'
import rehypeSlug from 'rehype-slug'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkRehype from 'remark-rehype'
import { type Plugin, type Preset, unified } from 'unified'
import { asidesOfAlerts, normalizeContainerTitles, readContainers } from './alerts.ts'
import { codeLanguages } from './code-languages.ts'
import { dialects } from './dialects.ts'
import { bodySchema, dropEmptyClasses, lossOf, unrenderedTags } from './elements.ts'
import { autolinkWhereNeeded, constructsNotIn, without } from './gfm.ts'
import type { HexoPages } from './hexo-tags.ts'
import { removeHidden } from './hidden-content.ts'
import { checkNesting, limitTree } from './limits.ts'
import { withoutMkdocsBlocks } from './mkdocs.ts'
import { noteComponent, notesOf } from './notes.ts'
import { tokenizeWikiLinks, withoutComments } from './obsidian.ts'
import { parseInPieces } from './parse.ts'
import { textOfProseTags } from './prose-tags.ts'
import { withoutPythonMarkdown } from './python-markdown.ts'
import { withoutShortcodes } from './shortcodes.ts'
import { replaceNodes, type TreeNode, textOf, walk } from './tree.ts'

const FOOTNOTE_LABEL = 'footnote-label'
/** Prefix of file addresses (https://docs.getpelican.com/en/latest/content.html#linking-to-internal-content). */
const PELICAN = /^(?:\{|%7B|\||%7C)(?:attach|filename|static)(?:\}|%7D|\||%7C)/i
const INLINE_IMAGE = /^data:image\/(?:avif|gif|jpeg|png|webp)[;,]/i

type Converted = {
  html: string
  heading: string | null
  losses: ContentLoss[]
}

type ContentLoss = { reason: string; detail: string }

type VFileData = Parameters<typeof notesOf>[0]

/** The second half of every conversion: from HTML that may hold anything to that of a body. */
export const asBody: Preset = {
  plugins: [
    withoutFields,
    [rehypeSanitize, bodySchema],
    dropEmptyClasses,
    refineBody,
    dropTitle,
    rehypeSlug,
    [rehypeStringify as Plugin, { characterReferences: { useNamedReferences: true } }],
  ],
}

const toMarkdownBody = unified()
  .use(parseInPieces)
  .use(remarkGfm)
  .use(autolinkWhereNeeded)
  .use(tokenizeWikiLinks)
  .use(readContainers)
  .use(limitTree)
  .use(textOfProseTags)
  .use(noteUnrendered)
  .use(dialects)
  .use(asidesOfAlerts)
  .use(codeLanguages)
  .use(withoutPositions)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(parseRaw)
  .use(asBody)
  .freeze()

export type Options = HexoPages & {
  /** False if the first heading is the title. It is then dropped if it begins the body. */
  hasTitle: boolean
  /** Drops only a heading with this text. */
  title?: string
  isPage?: (name: string) => boolean
  generator?: string | null
  isNote?: boolean
}

/** A dialect of Markdown that is converted like the others. */
export type Format = {
  processor: Processor
  /** The processors without the parts of GFM that a text does not use, by these parts. */
  made: Map<string, Processor>
  /** Rewrites the text before it is parsed. */
  prepare: (written: string) => string
  hasShortcodes: boolean
}

type Processor = ReturnType<typeof toMarkdownBody.freeze>

const MARKDOWN: Format = {
  processor: toMarkdownBody,
  made: new Map(),
  prepare: withoutMkdocsBlocks,
  hasShortcodes: true,
}

/** @throws Error with a one-line reason */
export function convertMarkdown(written: string, options: Options): Converted {
  return convertWith(MARKDOWN, written, options)
}

/** @throws Error with a one-line reason */
export function convertWith(format: Format, written: string, options: Options): Converted {
  const python = withoutPythonMarkdown(format.prepare(written), options.generator)
  const text = normalizeContainerTitles(python.text)
  const shown = options.isNote ? withoutComments(text) : { text, losses: [] }
  const plain = format.hasShortcodes
    ? withoutShortcodes(shown.text, options)
    : { text: shown.text, losses: [] }
  const processor = processorFor(plain.text, format)
  try {
    checkNesting(plain.text, processor.data('micromarkExtensions') ?? [])
    const file = processor.processSync({ value: plain.text, data: { ...options } as Record<string, unknown> })
    const html = String(file).trim()
    const { heading, components = [], kept = [], losses: others } = notesOf(file)
    const losses = [
      ...[...components].sort().map(lossOf),
      ...[...kept].sort().map(keptTag),
      ...(others?.values() ?? []),
      ...python.losses,
      ...shown.losses,
      ...plain.losses,
    ]
    return { html, heading: heading ?? null, losses }
  } catch (error) {
    if (error instanceof RangeError) throw new Error('nested too deeply')
    throw error
  }
}

function processorFor(text: string, { processor, made }: Format): Processor {
  const absent = constructsNotIn(text)
  const key = absent.join(' ')
  const known = made.get(key)
  if (known) return known
  const smaller = processor().use(without, absent).freeze()
  made.set(key, smaller)
  return smaller
}

function keptTag(name: string): ContentLoss {
  return { reason: 'kept as text', detail: `<${name}>` }
}

function noteUnrendered() {
  return (tree: TreeNode, file: VFileData): void => {
    walk(tree, (node) => {
      if (node.type !== 'html') return
      for (const name of unrenderedTags(node.value ?? '')) noteComponent(file, name)
      if (/<[^<>]+\sstyle\s*=/i.test(node.value ?? '')) noteComponent(file, 'style attribute')
    })
  }
}

// Most posts have no raw HTML, and parsing them as HTML would double the time.
function parseRaw() {
  const parse = rehypeRaw() as (tree: TreeNode, file: unknown) => TreeNode
  return (tree: TreeNode, file: unknown): TreeNode => {
    let raw = false
    walk(tree, (node) => {
      raw ||= node.type === 'raw'
    })
    if (!raw) return tree
    const parsed = parse(tree, file)
    noteRemoved(file as VFileData, removeHidden(parsed))
    return parsed
  }
}

export function withoutHidden() {
  return (tree: TreeNode, file: VFileData): void => noteRemoved(file, removeHidden(tree))
}

function noteRemoved(file: VFileData, details: string[]): void {
  const notes = notesOf(file)
  notes.losses ??= new Map()
  for (const detail of details) notes.losses.set(`removed ${detail}`, { reason: 'removed', detail })
}

// Plugins copy a node's position to everything they create, and nothing needs it any more.
export function withoutPositions() {
  return (tree: TreeNode): void => {
    tree.position = undefined
    walk(tree, (node) => {
      node.position = undefined
    })
  }
}

// The schema would turn every form field into a checkbox.
function withoutFields() {
  return (tree: TreeNode, file: VFileData): void => {
    replaceNodes(tree, (node) => {
      if (node.tagName !== 'input' || node.properties?.type === 'checkbox') return [node]
      noteComponent(file, 'input')
      return []
    })
  }
}

function refineBody() {
  return (tree: TreeNode, file: VFileData): void => {
    const notes = notesOf(file)
    walk(tree, (node) => {
      const { tagName, properties } = node
      if (isHeading(node)) notes.heading ||= textOf(node)
      for (const name of ['href', 'src']) {
        const address = properties?.[name]
        if (properties && typeof address === 'string') properties[name] = address.replace(PELICAN, '')
      }
      const src = properties?.src
      if (typeof src === 'string' && /^data:/i.test(src.trim())) {
        if (tagName !== 'img' || !INLINE_IMAGE.test(src)) delete properties?.src
      }
    })
  }
}

/** Keeps a title heading with more than text in it, or with content before it. */
function dropTitle() {
  return (tree: TreeNode, file: VFileData): void => {
    const { hasTitle, title } = notesOf(file)
    if (hasTitle) return
    const first = tree.children?.find((node) => node.type !== 'text' || node.value?.trim())
    if (!first || !isHeading(first) || textOf(first) === '') return
    if (title !== undefined && textOf(first) !== title) return
    let isPlain = true
    walk(first, ({ tagName }) => {
      isPlain &&= tagName !== 'a' && tagName !== 'img'
    })
    if (isPlain) tree.children = tree.children?.filter((node) => node !== first) ?? []
  }
}

function isHeading({ tagName, properties }: TreeNode): boolean {
  return tagName !== undefined && /^h[1-6]$/.test(tagName) && properties?.id !== FOOTNOTE_LABEL
}
