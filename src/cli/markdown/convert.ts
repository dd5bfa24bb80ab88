/** Markdown or MDX → the HTML of a body, with unified. The processors are created once and reused. */
import rehypeRaw from 'rehype-raw'
import rehypeSanitize from 'rehype-sanitize'
import rehypeSlug from 'rehype-slug'
import rehypeStringify from 'rehype-stringify'
import remarkFrontmatter from 'remark-frontmatter'
import remarkGfm from 'remark-gfm'
import remarkMdx from 'remark-mdx'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { bodySchema, unrenderedTags } from './elements.ts'
import { plainMdx } from './mdx.ts'
import { noteComponent, notesOf } from './notes.ts'
import { type TreeNode, textOf, walk } from './tree.ts'

const MAX_DEPTH = 200
const FOOTNOTE_LABEL = 'footnote-label'
const INLINE_IMAGE = /^data:image\/(?:avif|gif|jpeg|png|webp)[;,]/i

type Converted = {
  frontMatter: { format: 'yaml' | 'toml'; text: string } | null
  html: string
  /** The text of the first heading, or null. */
  heading: string | null
  /** Components and embeds that could not be rendered, sorted. */
  components: string[]
}

type Notebook = Parameters<typeof notesOf>[0]

const markdown = unified().use(remarkParse).use(remarkGfm).use(remarkFrontmatter, ['yaml', 'toml'])
const toMdx = markdown()
  .use(remarkMdx)
  .use(takeFrontMatter)
  .use(limitDepth)
  .use(plainMdx)
  .use(remarkRehype)
  .use(rehypeRaw)
  .use(rehypeSanitize, bodySchema)
  .use(refineBody)
  .use(rehypeSlug)
  .use(rehypeStringify, { characterReferences: { useNamedReferences: true } })
  .freeze()
const toMd = markdown()
  .use(takeFrontMatter)
  .use(limitDepth)
  .use(noteUnrendered)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(parseRaw)
  .use(rehypeSanitize, bodySchema)
  .use(refineBody)
  .use(rehypeSlug)
  .use(rehypeStringify, { characterReferences: { useNamedReferences: true } })
  .freeze()

/** Converts one file's text. Throws an Error with a one-line reason when it cannot be converted. */
export function convertMarkdown(text: string, format: 'md' | 'mdx'): Converted {
  const processor = format === 'mdx' ? toMdx : toMd
  try {
    const file = processor.processSync(text)
    const notes = notesOf(file)
    return {
      frontMatter: notes.frontMatter ?? null,
      html: String(file).trim(),
      heading: notes.heading ?? null,
      components: [...(notes.components ?? [])].sort(),
    }
  } catch (error) {
    if (error instanceof RangeError) throw new Error('nested too deeply')
    throw error
  }
}

function takeFrontMatter() {
  return (tree: TreeNode, file: Notebook): void => {
    const first = tree.children?.[0]
    if (first?.type === 'yaml' || first?.type === 'toml') {
      notesOf(file).frontMatter = { format: first.type, text: first.value ?? '' }
    }
  }
}

function limitDepth() {
  return (tree: TreeNode): void => {
    walk(tree, (_, depth) => {
      if (depth > MAX_DEPTH) throw new Error(`nested too deeply (more than ${MAX_DEPTH} levels)`)
    })
  }
}

function noteUnrendered() {
  return (tree: TreeNode, file: Notebook): void => {
    walk(tree, (node) => {
      if (node.type === 'html') for (const name of unrenderedTags(node.value ?? '')) noteComponent(file, name)
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
    return raw ? parse(tree, file) : tree
  }
}

function refineBody() {
  return (tree: TreeNode, file: Notebook): void => {
    const notes = notesOf(file)
    walk(tree, (node) => {
      const { tagName, properties } = node
      if (tagName && /^h[1-6]$/.test(tagName) && properties?.id !== FOOTNOTE_LABEL)
        notes.heading ||= textOf(node)
      const src = properties?.src
      if (typeof src === 'string' && /^data:/i.test(src.trim())) {
        if (tagName !== 'img' || !INLINE_IMAGE.test(src)) delete properties?.src
      }
    })
  }
}
