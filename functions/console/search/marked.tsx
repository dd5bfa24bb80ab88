import type { Child } from 'hono/jsx'
import { foldCase, wordsOf } from '../../../src/core/fold.ts'

/** Folds like the search does, so that `fruh` marks `Früh`. */
const fold = (text: string) => foldCase(text).normalize('NFD').replace(/\p{M}/gu, '')

export function Marked({ text, q }: { text: string; q: string }) {
  const characters = [...text].map(fold)
  const folded = characters.join('')
  const isMarked = new Array<boolean>(folded.length).fill(false)
  for (const word of wordsOf(fold(q)))
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1))
      isMarked.fill(true, at, at + word.length)
  const parts: { text: string; marked: boolean }[] = []
  let at = 0
  for (const [index, character] of [...text].entries()) {
    const { length } = characters[index]!
    // An accent of its own belongs to the letter before it.
    const marked = length === 0 ? (parts.at(-1)?.marked ?? false) : isMarked[at]!
    at += length
    const last = parts.at(-1)
    if (last?.marked === marked) last.text += character
    else parts.push({ text: character, marked })
  }
  return <>{parts.map(({ text, marked }): Child => (marked ? <mark>{text}</mark> : text))}</>
}
