/**
 * Parses Markdown, in pieces: what the parser holds of a text is some 300 times its size, and small pieces are forgotten before
 * the garbage collector has to move them. The tree is the same, but its positions are those in a piece.
 */
import { fromMarkdown, type Options } from 'mdast-util-from-markdown'
import { parse, preprocess } from 'micromark'
import type { Extension } from 'micromark-util-types'
import type { Processor } from 'unified'

/** In characters. */
const PIECE = 2 * 1024
const HEADING = /^#{1,6}(?:[ \t]|$)/
/** An item of a list with bullets, and no break such as `- - -`. */
const ITEM = /^([-*+]) +(?![-*+ \t]*$)/
const LINE = /([^\r\n]*)(?:\r\n|[\r\n]|$)/g
const FENCE = /^(?:(?<ticks>`{3,})[^`]*|(?<tildes>~{3,}).*)$/s
const FENCE_END = /^ {0,3}(`{3,}|~{3,})[ \t]*$/
/** HTML, admonitions, and fences in quotes and lists or behind blanks. */
const OPAQUE = /^[ \t>*+.)\d-]*(?:<(?![a-z][a-z\d+.-]*:)[a-z/!?]|:::)|^[ \t>*+.)\d-]+(?:```|~~~)/i
/** A line that ends the label of a definition, which has no other brackets, and may begin before. */
const DEFINITION = /^(?:[ \t>*+.)\d-]*\[)?(?:[^[\]\\]|\\.)*\]:/s

type Root = ReturnType<typeof fromMarkdown>

/** A plugin in place of remark-parse. */
export function parseInPieces(this: Processor): void {
  this.parser = (text) =>
    parsePieces(text, {
      extensions: this.data('micromarkExtensions') ?? [],
      mdastExtensions: this.data('fromMarkdownExtensions') ?? [],
    })
}

/**
 * Pieces begin with headings in no quote or list, behind an empty line, or with an item of a list behind a line that begins
 * another: they are read the same whatever was before.
 */
export function parsePieces(text: string, options: Options, length = PIECE): Root {
  const starts = text.length > length ? startsIn(text, length) : [0]
  const children: Root['children'] = []
  for (const [i, start] of starts.entries()) {
    const [first, ...others] = fromMarkdown(text.slice(start, starts[i + 1]), options).children
    const before = children.at(-1)
    if (first?.type === 'list' && before?.type === 'list') {
      before.children.push(...first.children)
      before.spread ||= first.spread ?? false
    } else if (first) children.push(first)
    children.push(...others)
  }
  return { type: 'root', children }
}

/**
 * Where pieces begin. A text is one piece if it has definitions, which hold for all of it, or anything that may hide a heading or
 * an item but fences at the start of a line.
 */
export function startsIn(text: string, length: number): number[] {
  if (text.startsWith('\ufeff')) return [0]
  const starts = [0]
  let fence: string | undefined
  let isBehindBlank = false
  let bullet: string | undefined
  for (const { 1: line = '', index } of text.matchAll(LINE)) {
    const bulletBefore = bullet
    bullet = fence === undefined ? ITEM.exec(line)?.[1] : undefined
    if (fence !== undefined) {
      if (FENCE_END.exec(line)?.[1]?.startsWith(fence)) fence = undefined
    } else if (OPAQUE.test(line) || DEFINITION.test(line)) return [0]
    else if (isBehindBlank ? HEADING.test(line) : bullet !== undefined && bullet === bulletBefore) {
      if (index - (starts.at(-1) ?? 0) >= length) starts.push(index)
    } else {
      const { ticks, tildes } = FENCE.exec(line)?.groups ?? {}
      fence = ticks ?? tildes
    }
    isBehindBlank = line === ''
  }
  return starts
}

/** Parses the blocks, and not what is in them. */
export function parseBlocks(text: string, extensions: Extension[]): void {
  parse({ extensions })
    .document()
    .write(preprocess()(text, undefined, true))
}
