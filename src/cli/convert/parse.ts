/**
 * Parses Markdown, in pieces: what the parser holds of a text is some 300 times its size, and small pieces are forgotten before
 * the garbage collector has to move them. The tree is the same, but its positions are those in a piece.
 */
import { fromMarkdown, type Options } from 'mdast-util-from-markdown'
import { parse, preprocess } from 'micromark'
import type { Extension } from 'micromark-util-types'
import type { Processor } from 'unified'

/** In characters. */
const PIECE = 8 * 1024
const HEADING = /^#{1,6}(?:[ \t]|$)/
const LINE = /([^\r\n]*)(?:\r\n|[\r\n]|$)/g
const FENCE = /^(?:(?<ticks>`{3,})[^`]*|(?<tildes>~{3,}).*)$/
const FENCE_END = /^ {0,3}(`{3,}|~{3,})[ \t]*$/
/** HTML, admonitions, and fences in quotes and lists or behind blanks. */
const OPAQUE = /^[ \t>*+.)\d-]*(?:<[a-z/!?]|:::)|^[ \t>*+.)\d-]+(?:```|~~~)/i

type Root = ReturnType<typeof fromMarkdown>

/** A plugin in place of remark-parse. */
export function parseInPieces(this: Processor): void {
  this.parser = (text) =>
    parsePieces(text, {
      extensions: this.data('micromarkExtensions') ?? [],
      mdastExtensions: this.data('fromMarkdownExtensions') ?? [],
    })
}

/** Pieces begin with headings in no quote or list, behind an empty line: they are read the same whatever was before. */
export function parsePieces(text: string, options: Options, length = PIECE): Root {
  const starts = text.length > length ? startsIn(text, length) : [0]
  const pieces = starts.map((start, i) => text.slice(start, starts[i + 1]))
  return { type: 'root', children: pieces.flatMap((each) => fromMarkdown(each, options).children) }
}

/**
 * Where pieces begin. A text is one piece if it has definitions, which hold for all of it, or anything that may hide a heading but
 * fences at the start of a line.
 */
export function startsIn(text: string, length: number): number[] {
  if (text.includes(']:') || text.startsWith('\ufeff')) return [0]
  const starts = [0]
  let fence: string | undefined
  let isBehindBlank = false
  for (const { 1: line = '', index } of text.matchAll(LINE)) {
    if (fence !== undefined) {
      if (FENCE_END.exec(line)?.[1]?.startsWith(fence)) fence = undefined
    } else if (OPAQUE.test(line)) return [0]
    else if (isBehindBlank && HEADING.test(line)) {
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
