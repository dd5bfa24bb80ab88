/** Obsidian's extensions of Markdown: links and embeds in double brackets, comments, highlights and block ids. */
import type { Code, Effects, State } from 'micromark-util-types'
import type { Processor } from 'unified'
import { notesOf } from './notes.ts'
import { codeRanges } from './shortcodes.ts'
import { replaceNodes, type TreeNode, walk } from './tree.ts'

const OBSIDIAN =
  /(?<embed>!?)\[\[(?<page>[^[\]|#\n]*)(?<part>#[^[\]|\n]*)?(?:\|(?<text>[^[\]\n]*))?\]\]|(?<!\S)%%(?=\S|\n)[^%]*%%(?!\S)/g
const COMMENT = /(?<!\S)%%[\s\S]*?%%(?!\S)/g
const IMAGE = /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$/i
const BLOCK_ID = /(?:^|\s)\^[A-Za-z0-9-]+\s*$/
const MARKED = /==(?=\S)((?:[^=]|=(?!=))+?)(?<=\S)==/g

/** Other characters are left to Markdown. */
const PLAIN = /[^[\]\n\r*_`<&\\~:@]/
/** A bracket after the link means that it is the text of another link. */
const AFTER_LINK_TEXT = new Set(['(', '['])

type VFileData = Parameters<typeof notesOf>[0]
type Lose = (reason: string, detail: string) => void

/** Makes the parser read a link as one text: thousands of brackets on a line would take minutes. */
export function tokenizeWikiLinks(this: Processor): void {
  const link = { name: 'obsidianLink', tokenize: tokenizeLink }
  const extension = { text: { [codeOf('!')]: link, [codeOf('[')]: link } }
  const data = this.data()
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), extension]
}

function tokenizeLink(effects: Effects, ok: State, nok: State): State {
  let opened = 0
  let closed = 0
  return start

  function start(code: Code): State | undefined {
    effects.enter('data')
    if (code === codeOf('!')) return consume(code, open)
    return open(code)
  }

  function open(code: Code): State | undefined {
    if (code !== codeOf('[')) return nok(code)
    opened += 1
    return consume(code, opened === 2 ? first : open)
  }

  function first(code: Code): State | undefined {
    return isPlain(code) ? consume(code, inside) : nok(code)
  }

  function inside(code: Code): State | undefined {
    if (isPlain(code)) return consume(code, inside)
    return close(code)
  }

  function close(code: Code): State | undefined {
    if (closed === 2) {
      effects.exit('data')
      return code !== null && AFTER_LINK_TEXT.has(String.fromCharCode(code)) ? nok(code) : ok(code)
    }
    if (code !== codeOf(']')) return nok(code)
    closed += 1
    return consume(code, close)
  }

  function consume(code: Code, next: State): State {
    effects.consume(code)
    return next
  }
}

const codeOf = (character: string) => character.charCodeAt(0)

/** Line endings and tabs are negative codes. */
const isPlain = (code: Code) => code !== null && code >= 0 && PLAIN.test(String.fromCharCode(code))

/** Only the author of a note sees its comments. */
export function withoutComments(text: string): {
  text: string
  losses: { reason: string; detail: string }[]
} {
  if (!text.includes('%%')) return { text, losses: [] }
  const isCode = codeRanges(text)
  const losses: { reason: string; detail: string }[] = []
  const rest = text.replace(COMMENT, (comment, at: number) => {
    if (isCode(at)) return comment
    losses.push({ reason: 'a comment is left out', detail: comment.replace(/\s+/g, ' ') })
    return ''
  })
  return { text: rest, losses }
}

export function readObsidian(tree: TreeNode, file: VFileData, lose: Lose): void {
  const { isNote } = notesOf(file)
  if (isNote) walk(tree, dropBlockId)
  replaceNodes(tree, (node) => {
    if (node.type !== 'text') return [node]
    const parts = withLinks(node, file, lose)
    return isNote && parts.length === 1 && parts[0] === node ? withMarks(node) : parts
  })
  if (isNote) dropEmptyParagraphs(tree)
}

function dropBlockId(node: TreeNode): void {
  const last = node.children?.at(-1)
  if (!['paragraph', 'heading'].includes(node.type) || last?.type !== 'text') return
  last.value = last.value?.replace(BLOCK_ID, '') ?? ''
}

function dropEmptyParagraphs(tree: TreeNode): void {
  replaceNodes(tree, (node) => {
    const [only, more] = node.children ?? []
    const isEmpty = node.type === 'paragraph' && !more && only?.type === 'text' && only.value?.trim() === ''
    return isEmpty ? [] : [node]
  })
}

function withMarks(node: TreeNode): TreeNode[] {
  const { value = '' } = node
  const parts: TreeNode[] = []
  let at = 0
  for (const { 0: written, 1: marked = '', index } of value.matchAll(MARKED)) {
    if (index > at) parts.push({ type: 'text', value: value.slice(at, index) })
    parts.push({ type: 'emphasis', children: [{ type: 'text', value: marked }], data: { hName: 'mark' } })
    at = index + written.length
  }
  if (at === 0) return [node]
  return at < value.length ? [...parts, { type: 'text', value: value.slice(at) }] : parts
}

function withLinks(node: TreeNode, file: VFileData, lose: Lose): TreeNode[] {
  const { value = '' } = node
  const parts: TreeNode[] = []
  let at = 0
  for (const match of value.matchAll(OBSIDIAN)) {
    const made = match.groups?.page === undefined ? [] : linkOf(match.groups, file, lose)
    if (!made) {
      lose('kept as text', match[0])
      continue
    }
    if (made.length === 0) lose('a comment is left out', match[0].replace(/\s+/g, ' '))
    if (match.index > at) parts.push({ type: 'text', value: value.slice(at, match.index) })
    parts.push(...made)
    at = match.index + match[0].length
  }
  if (at === 0) return [node]
  return at < value.length ? [...parts, { type: 'text', value: value.slice(at) }] : parts
}

/** Null if it leads to no file of the folder, for example `[[Prototype]]`. */
function linkOf(
  { embed, page = '', part = '', text }: Record<string, string | undefined>,
  file: VFileData,
  lose: Lose,
): TreeNode[] | null {
  const url = encodeURI(page.trim()).replaceAll('?', '%3F') + fragmentOf(part)
  if (embed && IMAGE.test(page)) {
    const [, alt = '', width] = /^(.*?)(?:(?:^|\|)(\d+)(?:x\d+)?)?$/.exec(text ?? '') ?? []
    return [{ type: 'image', url, alt, data: { hProperties: width ? { width } : {} } }]
  }
  if (page.trim() !== '' && !notesOf(file).isPage?.(page.trim()))
    return notesOf(file).generator === 'logseq' && !embed ? [{ type: 'text', value: text || page }] : null
  if (embed) lose('an embed is replaced by a link', `![[${page}${part}]]`)
  const shown = text || [page, part.replace(/^#\^?/, '')].filter(Boolean).join(' > ')
  return [{ type: 'link', url, children: [{ type: 'text', value: shown }] }]
}

/** Ids exist only for headings, not for Obsidian's blocks. */
function fragmentOf(part: string): string {
  const heading = part.split('#').at(-1) ?? ''
  if (heading === '' || heading.startsWith('^')) return ''
  const id = heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
  return `#${encodeURI(id.replaceAll(' ', '-'))}`
}
