/** Tells excerpts that WordPress made of the body from those of authors. */
import { htmlToText } from '../../html/text.ts'

const ELLIPSIS = /\[(?:…|\.\.\.)\]$/
/** Themes end excerpts with a link, or with its text alone. */
const MORE_CLASS = /more|continue/i
const MORE =
  /(?:continue reading|read (?:more|on|the rest|full)|lire (?:la suite|plus)|en savoir plus|weiterlesen|mehr (?:lesen|erfahren)|leer más|seguir leyendo|sigue leyendo|leggi (?:tutto|di più|altro)|continua a leggere|lees (?:verder|meer)|ler mais|leia mais|continue (?:lendo|a ler)|czytaj (?:dalej|więcej)|läs (?:mer|vidare)|læs mere|les mer|číst (?:dále|více)|читать далее|подробнее|続きを読む|阅读更多|继续阅读|繼續閱讀)/giu
const MAX_MORE_LENGTH = 120
const MIN_WORDS = 3
const BLOCK =
  /<\/?(?:blockquote|br|d[dlt]|div|fig(?:ure|caption)|h[1-6]|li|ol|p|pre|t(?:able|body|d|h|head|r)|ul)\b[^>]*>/
const FIRST_PARAGRAPH = /<p(?: [^>]*)?>(.*?)<\/p>/s

/**
 * Whether an excerpt, as HTML, is made of a body: its first words, or of a short body all, but for pictures and for blocks that
 * WordPress leaves out of excerpts.
 */
export function isMadeOf(excerpt: string, body: string): boolean {
  const words = wordsOf(excerpt)
  const { text } = htmlToText(excerpt)
  if (ELLIPSIS.test(text) || startsWith(wordsOf(body), words)) return true
  if (isCutFrom(text, wordsOf(body))) return true
  const outside = body.replace(/<figure(?: [^>]*)?>.*?<\/figure>/gs, '')
  const first = wordsOf(FIRST_PARAGRAPH.exec(outside)?.[1] ?? '')
  if (first.length === 0 || !startsWith(words, first)) return false
  let rest = words
  for (const part of body.split(BLOCK)) {
    const own = wordsOf(part)
    if (own.length > 0 && startsWith(rest, own)) rest = rest.slice(own.length)
  }
  return rest.length === 0
}

/** The excerpt as HTML without a link to the rest at its end. */
export function withoutMoreLink(excerpt: string, post: string | undefined): string {
  const at = [...excerpt.matchAll(/<a\s/gi)].at(-1)?.index ?? -1
  const [, attributes = '', label = '', rest = 'x'] =
    (at < 0 ? null : /^<a\s([^>]*)>([\s\S]*?)<\/a>([\s\S]*)$/i.exec(excerpt.slice(at))) ?? []
  if (wordsOf(rest).length > 0) return excerpt
  const value = (name: string) =>
    new RegExp(`\\b${name}\\s*=\\s*["']?([^"'>]*)`, 'i').exec(attributes)?.[1] ?? ''
  const isMore =
    MORE_CLASS.test(value('class')) ||
    /^\W*$/u.test(htmlToText(label).text.replace(MORE, '')) ||
    (post !== undefined && placeOf(value('href')) === placeOf(post))
  return isMore ? excerpt.slice(0, at) + rest : excerpt
}

/** Without what two addresses of a post may differ in. */
function placeOf(address: string): string {
  return address
    .replace(/^https?:/i, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
}

/** True if the text begins as the body does, up to an ellipsis or an invitation to read on. */
function isCutFrom(text: string, body: string[]): boolean {
  const ends = [
    text.lastIndexOf('…'),
    text.lastIndexOf('...'),
    ...[...text.matchAll(MORE)].map(({ index }) => index),
  ]
  return ends
    .filter((end) => end > 0 && text.length - end <= MAX_MORE_LENGTH)
    .some((end) => {
      const words = wordsIn(text.slice(0, end))
      const last = words.pop()
      // It may be cut within a word.
      return (
        words.length >= MIN_WORDS && startsWith(body, words) && body[words.length]?.startsWith(last ?? '')
      )
    })
}

function startsWith(words: string[], start: string[]): boolean {
  return start.every((word, at) => words[at] === word)
}

function wordsOf(html: string): string[] {
  return wordsIn(htmlToText(html).text)
}

function wordsIn(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}
