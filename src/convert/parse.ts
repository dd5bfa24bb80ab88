/**
 * Parses Markdown in pieces: the parser's data is some 300 times the size of a text, and that of small pieces is freed
 * before the garbage collector has to move it. The tree is the same, except that positions are relative to a piece.
 */
import { fromMarkdown, type Options } from 'mdast-util-from-markdown'
import { parse, preprocess } from 'micromark'
import type { Extension } from 'micromark-util-types'
import type { Processor } from 'unified'

const PIECE = 2 * 1024
const HEADING = /^#{1,6}(?:[ \t]|$)/
/** A bullet of a list, but not a break such as `- - -`. */
const ITEM = /^([-*+]) +(?![-*+ \t]*$)/
const LINE = /([^\r\n]*)(?:\r\n|[\r\n]|$)/g
const FENCE = /^(?:(?<ticks>`{3,})[^`]*|(?<tildes>~{3,}).*)$/s
const FENCE_END = /^ {0,3}(`{3,}|~{3,})[ \t]*$/
/** HTML, admonitions, and indented fences or those in quotes and lists. */
const OPAQUE = /^[ \t>*+.)\d-]*(?:<(?![a-z][a-z\d+.-]*:)[a-z/!?]|:::)|^[ \t>*+.)\d-]+(?:```|~~~)/i
/** The end of a definition's label, which may begin on an earlier line. */
const DEFINITION = /^(?:[ \t>*+.)\d-]*\[)?(?:[^[\]\\]|\\.)*\]:/s

type Root = ReturnType<typeof fromMarkdown>

export function parseInPieces(this: Processor): void {
  this.parser = (text) =>
    parsePieces(text, {
      extensions: this.data('micromarkExtensions') ?? [],
      mdastExtensions: this.data('fromMarkdownExtensions') ?? [],
    })
}

/** Pieces begin with a top-level heading after an empty line, or with a list item: these need no context. */
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

/** Doesn't split a text with definitions, or with anything other than a top-level fence that could contain such a start. */
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

export function parseBlocks(text: string, extensions: Extension[]): void {
  parse({ extensions })
    .document()
    .write(preprocess()(text, undefined, true))
}
