/** The differences of two texts: by line, and by word and tag in changed lines. */
import { type ChangeObject, diffArrays, diffLines } from 'diff'

export type Part = { in: 'both' | 'theirs' | 'mine'; text: string }

/** Bounds time, which grows with their square. */
const LIMIT = { maxEditLength: 1_000 }
const MAX_COMPARED_BY_WORD = 100_000
/** With less in common, lines are shown as a whole. */
const LEAST_COMMON = 0.3
/** Around a difference, in characters. */
const CONTEXT = 160

export function differencesOf(theirs: string, mine: string): Part[] {
  const lines = partsOf(diffLines(theirs, mine, LIMIT), theirs, mine)
  const parts = lines.flatMap((part, at): Part[] => {
    const next = lines[at + 1]
    if (part.in === 'theirs' && next?.in === 'mine') return byWord(part.text, next.text)
    return part.in === 'mine' && lines[at - 1]?.in === 'theirs' ? [] : [part]
  })
  return parts.map((part, at) =>
    part.in === 'both' ? { ...part, text: shorten(part.text, at === 0, at === parts.length - 1) } : part,
  )
}

function byWord(theirs: string, mine: string): Part[] {
  const isLong = theirs.length + mine.length > MAX_COMPARED_BY_WORD
  const whole = partsOf(undefined, theirs, mine)
  const parts = isLong ? whole : partsOf(diffTokens(theirs, mine), theirs, mine)
  const common = parts.filter((part) => part.in === 'both').map(({ text }) => text.trim().length)
  const isReadable =
    common.reduce((sum, length) => sum + length, 0) > LEAST_COMMON * Math.max(theirs.length, mine.length)
  return isReadable ? parts : whole
}

/** A tag is one token, so that no half of it is marked. */
const TOKENS = /<\/?[a-z][^<>]*>|[\p{L}\p{N}\p{M}_]+|\s+|./gisu

const diffTokens = (theirs: string, mine: string) =>
  diffArrays(theirs.match(TOKENS) ?? [], mine.match(TOKENS) ?? [], LIMIT)?.map((change) => ({
    ...change,
    value: change.value.join(''),
  }))

/** `changes` is undefined if there are too many. */
function partsOf(changes: ChangeObject<string>[] | undefined, theirs: string, mine: string): Part[] {
  const whole: Part[] = [
    { in: 'theirs', text: theirs },
    { in: 'mine', text: mine },
  ]
  return (
    changes?.map(({ added, removed, value }) => ({
      in: added ? 'mine' : removed ? 'theirs' : 'both',
      text: value,
    })) ?? whole
  )
}

/** Leaves out what is far from a difference. */
function shorten(text: string, isFirst: boolean, isLast: boolean): string {
  const start = isFirst ? '' : text.slice(0, CONTEXT)
  const end = isLast ? '' : text.slice(-CONTEXT)
  if (text.length <= start.length + end.length + CONTEXT) return text
  const gap = isLast ? ' …' : text.includes('\n') ? '\n…\n' : ' … '
  return `${start.replace(/\S*$/, '').trimEnd()}${isFirst ? gap.trimStart() : gap}${end.replace(/^\S*\s*/, '')}`
}
