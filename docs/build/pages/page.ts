/** A page of the guide: its Markdown, title and summary, and its HTML with the console's parts. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import rehypeSlug from 'rehype-slug'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'

type Heading = { id: string; text: string }

export type Page = {
  name: string
  title: string
  summary: string
  markdown: string
  html: string
  /** The second level. */
  headings: Heading[]
}

type Node = {
  type: string
  tagName?: string
  value?: string
  properties?: Record<string, unknown>
  children?: Node[]
}

/** Languages that readers copy. Other blocks show output. */
const TITLES: Record<string, string> = { sh: 'Shell', js: 'JavaScript', nginx: 'nginx' }
/** The service has no page for the README. */
const README = /^\.\.\/\.\.\/README\.md/

const processor = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkRehype)
  .use(() => refine)
  .use(rehypeSlug)
  .use(() => keepHeadings)
  .use(rehypeStringify)
  .freeze()

/** @throws Error when it does not begin with a title and a summary */
export async function readPage(folder: string, name: string): Promise<Page> {
  const markdown = await readFile(join(folder, `${name}.md`), 'utf8')
  const [, title, summary] = /^# (.+)\n\n([^#\n][\s\S]*?)\n\n/.exec(markdown) ?? []
  if (!title || !summary) throw new Error(`${name}.md does not begin with a title and a summary`)
  const plain = summary.replace(/\s+/g, ' ')
  const file = processor.processSync(markdown)
  const { headings } = file.data as { headings: Heading[] }
  return { name, title, summary: plain, markdown, html: String(file), headings }
}

const inline = new Map<string, string>()

/** HTML of a sentence or two, such as a description in an OpenAPI document. */
export function inlineHtml(markdown: string): string {
  const known = inline.get(markdown)
  if (known !== undefined) return known
  const made = String(processor.processSync(markdown)).replace(/^<p>([\s\S]*)<\/p>$/, '$1')
  inline.set(markdown, made)
  return made
}

export const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

function refine(tree: Node): void {
  for (const [index, node] of (tree.children ?? []).entries()) {
    refine(node)
    if (node.tagName === 'pre') tree.children![index] = snippet(node)
    if (node.tagName === 'table') labelCells(node)
    if (node.tagName === 'a') localise(node)
  }
}

/** For the table of contents. */
function keepHeadings(tree: Node, file: { data: Record<string, unknown> }): void {
  file.data.headings = all(tree, 'h2').map(
    (node): Heading => ({ id: String(node.properties?.id), text: textOf(node) }),
  )
}

/** Turns `sync.md#how-often` into `/docs/sync#how-often`. */
function localise({ properties = {} }: Node): void {
  const href = String(properties.href)
  if (README.test(href)) throw new Error(`A page cannot link to ${href}`)
  properties.href = href.replace(/^([a-z-]+)\.md(?=#|$)/, '/docs/$1')
}

/** The same markup as in the console, whose script shows the copy button. */
function snippet(pre: Node): Node {
  const [code] = pre.children ?? []
  const [name = 'language-text'] = (code?.properties?.className as string[] | undefined) ?? []
  const [text] = code?.children ?? []
  if (text) text.value = text.value?.trimEnd() ?? ''
  const title = TITLES[name.slice('language-'.length)]
  // Long lines scroll, also with the keyboard.
  pre.properties = { tabIndex: 0, ariaLabel: title ?? 'Output' }
  if (!title) return element('div', { className: ['snippet', 'output'] }, [pre])
  const hint = element('span', { className: ['visually-hidden'] }, [{ type: 'text', value: ` ${title}` }])
  const button = element(
    'button',
    { type: 'button', className: ['button', 'small'], dataCopy: '', hidden: true },
    [{ type: 'text', value: 'Copy' }, hint],
  )
  const head = element('div', { className: ['snippet-head'] }, [
    element('p', {}, [{ type: 'text', value: title }]),
    button,
  ])
  return element('div', { className: ['snippet'] }, [head, pre])
}

/** Cells begin with a capital. Narrow screens show the column's name beside each cell, except in tables with two columns. */
function labelCells(table: Node): void {
  for (const cell of all(table, 'tr').flatMap(({ children = [] }) => children)) capitalise(cell)
  const [head = [], ...rows] = all(table, 'tr').map((row) =>
    (row.children ?? []).filter(({ tagName }) => tagName === 'th' || tagName === 'td'),
  )
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      if (column > 0 && head.length > 2)
        cell.properties = { ...cell.properties, dataLabel: textOf(head[column]) }
    }
  }
  // A header without a text would be an empty th.
  for (const cell of head) if (textOf(cell) === '') cell.tagName = 'td'
}

/** Identifiers in code stay as they are. */
function capitalise(node: Node | undefined): void {
  if (node?.value) node.value = node.value.charAt(0).toUpperCase() + node.value.slice(1)
  else if (node && node.tagName !== 'code') capitalise(node.children?.[0])
}

function all(node: Node, tagName: string): Node[] {
  const here = node.tagName === tagName ? [node] : []
  return [...here, ...(node.children ?? []).flatMap((child) => all(child, tagName))]
}

function textOf(node: Node | undefined): string {
  return node?.value ?? (node?.children ?? []).map(textOf).join('')
}

function element(tagName: string, properties: Record<string, unknown>, children: Node[]): Node {
  return { type: 'element', tagName, properties, children }
}
