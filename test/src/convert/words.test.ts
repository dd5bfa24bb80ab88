/** Nothing visible is lost without a report. Skipped without the real content. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { convertMdx } from '../../../src/cli/markdown/convert-mdx.ts'
import { splitFrontMatter } from '../../../src/cli/markdown/front-matter.ts'
import { convertMarkdown } from '../../../src/convert/convert.ts'
import { depthOf } from '../../support/depth.ts'
import { randomFrom } from '../../support/random.ts'

const CORPUS = join(import.meta.dirname, '../../../../shared/corpus')
const FOLDERS = ['nodejs-blog', 'nodejs-about'].map((name) => join(CORPUS, name))
const SEED = Number(process.env.WORDS_SEED ?? Math.floor(Math.random() * 2 ** 31))

const HTML_TAG =
  /<\/?(?:a|b|br|center|cite|code|details|div|em|figcaption|figure|i|iframe|img|li|ol|p|pre|small|span|strong|sub|summary|sup|table|td|tr|ul)(?:\s(?:"[^"]*"|'[^']*'|[^>"'])*)?\/?>/gi
const JSX = /<\/?[A-Za-z]\w*(?:\s[^>]*)?>|^(?:import|export) .*$/gm

/** The author's words, read by a Markdown parser other than the converter's. */
function writtenWords(body: string, isMdx: boolean): string[] {
  const text = body
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^[ \t>]*(?:[-*+][ \t]+)?(?:```|~~~).*$/gm, '')
    .replace(HTML_TAG, ' ')
    // A link label may be unused, and is not shown; list numbers and task marks are generated.
    .replace(/^[ \t>]*\[[^^\]\n][^\]\n]*\]:.*$/gm, '')
    .replace(/\]\[[^\]\n]*\]|\[\^[^\]\n]+\]/g, ' ')
    .replace(/^(?:[ \t>]|[-*+][ \t])*\d+[.)][ \t]/gm, '')
    .replace(/^([ \t>]*[-*+][ \t]+)\[[ xX]\]/gm, '$1')
  return wordsOf(isMdx ? text.replace(JSX, ' ') : text)
}

function shownWords(html: string): string[] {
  const attributes = /\s(?:href|src|srcset|alt|title|cite|poster)="([^"]*)"/g
  return wordsOf(
    html.replace(
      /<(?:"[^"]*"|[^">])*>/g,
      (tag) => ` ${[...tag.matchAll(attributes)].map(([, value]) => value).join(' ')} `,
    ),
  )
}

function wordsOf(text: string): string[] {
  const plain = text
    .replace(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&\w+;/g, ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, (code) => {
      try {
        return decodeURIComponent(code)
      } catch {
        return ' '
      }
    })
  return (
    plain
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  )
}

function missingWords(body: string, isMdx: boolean): string[] {
  const { html, losses } = (isMdx ? convertMdx : convertMarkdown)(body, { hasTitle: true })
  const named = new Set(wordsOf(losses.map(({ detail }) => detail).join(' ')))
  const left = new Map<string, number>()
  for (const word of shownWords(html)) left.set(word, (left.get(word) ?? 0) + 1)
  return writtenWords(body, isMdx).filter((word) => {
    const count = left.get(word) ?? 0
    left.set(word, count - 1)
    return count <= 0 && !named.has(word)
  })
}

const TAGS =
  `object template iframe svg style title textarea script select T Object String noscript canvas b s body
  xmp plaintext math my-part option`.split(/\s+/)

const isTaken = FOLDERS.every(existsSync)

describe('the words of a file', () => {
  it.each([
    ['a paragraph', 'one two\n\nthree', 'two', 'one \n\nthree'],
    ['everything else', 'one two three', 'three', 'one two'],
  ])('that a converter would lose are reported: %s', (_, body, word, less) => {
    const left = shownWords(convertMarkdown(less, { hasTitle: true }).html)
    expect(writtenWords(body, false).filter((each) => !left.includes(each))).toEqual([word])
  })

  it.skipIf(!isTaken)(
    `are all in the result, or named (../shared/corpus, WORDS_SEED=${SEED})`,
    { timeout: 1_800_000 },
    () => {
      const files = FOLDERS.flatMap((folder) =>
        (readdirSync(folder, { recursive: true }) as string[])
          .filter((file) => /\.mdx?$/.test(file))
          .map((file) => join(folder, file)),
      ).sort()
      const random = randomFrom(SEED)
      const taken = files
        .map((file) => ({ file, order: random(), place: random() }))
        .sort((a, b) => a.order - b.order)
        .slice(0, depthOf('words'))
      const missing = taken.flatMap(({ file, place }, i) => {
        const { body } = splitFrontMatter(readFileSync(file, 'utf8'))
        const isMdx = file.endsWith('.mdx')
        // MDX refuses an unclosed tag.
        const written = isMdx ? body : withTag(body, TAGS[i % TAGS.length] ?? '', place)
        const words = missingWords(written, isMdx)
        return words.length === 0 ? [] : [{ file, words: words.slice(0, 20) }]
      })
      expect(missing).toEqual([])
    },
  )
})

/** The body with prose that contains a tag, between two of its blocks. */
function withTag(body: string, tag: string, place: number): string {
  const blocks = body.split('\n\n')
  const at = Math.floor(place * blocks.length)
  return [...blocks.slice(0, at), `An Array.<${tag}> in prose.`, ...blocks.slice(at)].join('\n\n')
}
