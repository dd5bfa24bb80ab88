/** Three-way merge of texts. The original is known by a fingerprint of each block, which forms carry. */
import { diffArrays } from 'diff'

/** Bounds time, which grows with their square. */
const LIMIT = { maxEditLength: 1_000 }
const CONTAINERS = 'blockquote|div|dl|figure|ol|section|table|tbody|thead|tr|ul'
const BLOCKS = `${CONTAINERS}|dd|dt|figcaption|h[1-6]|li|p|pre|td|th`
/** HTML often has no line breaks, so a block ends after a tag, too. */
const TAG = `</(?:${BLOCKS})>|<(?:${CONTAINERS})(?: [^<>]*)?>|<hr[^<>]*>`
const BLOCK = new RegExp(`[^]*?(?:(?:${TAG})\\s*|\\n|$)`, 'gi')
const ENDS_IN_TAG = new RegExp(`(?:${TAG})\\s*$`, 'i')

const blocksOf = (text: string) => text.match(BLOCK)!.filter(Boolean)

/** Ignores space between HTML blocks, and the break at the end of a line. */
const withoutEnd = (block: string) => (ENDS_IN_TAG.test(block) ? block.trimEnd() : block.replace(/\n$/, ''))

/** The text of each block, to be compared. */
export const blockTexts = (text: string) => blocksOf(text).map(withoutEnd)

export type TextMerge = {
  /** The merged text, with the overlaps as one of us has them. The same if nothing overlaps. */
  mine: string
  theirs: string
  /** The merged text, with both versions of each overlap. */
  both: string
}

/** A change of a range of the original. */
type Hunk = { isMine: boolean; from: number; to: number; start: number; end: number }

/**
 * @param original the fingerprint of each block
 * @returns null if the texts differ too much
 */
export function mergeTexts(
  original: string[],
  mine: string,
  theirs: string,
  fingerprint: (text: string) => string,
): TextMerge | null {
  const blocks = { mine: blocksOf(mine), theirs: blocksOf(theirs) }
  const keysOf = (texts: string[]) => texts.map((text) => fingerprint(withoutEnd(text)))
  const [ours, others] = [
    hunksOf(original, keysOf(blocks.mine), true),
    hunksOf(original, keysOf(blocks.theirs), false),
  ]
  if (!ours || !others) return null
  const merged: Record<keyof TextMerge, string[]> = { mine: [], theirs: [], both: [] }
  const add = (toMine: string[], toTheirs: string[], toBoth: string[]) => {
    merged.mine.push(...toMine)
    merged.theirs.push(...toTheirs)
    merged.both.push(...toBoth)
  }
  let [at, mineAt, theirsAt] = [0, 0, 0]
  for (const { from, to, hunks } of groupOverlaps([...ours, ...others])) {
    const same = blocks.mine.slice(mineAt, mineAt + from - at)
    add(same, same, same)
    mineAt += from - at
    theirsAt += from - at
    at = to
    const mineTo = mineAt + to - from + growth(hunks, true)
    const theirsTo = theirsAt + to - from + growth(hunks, false)
    const my = blocks.mine.slice(mineAt, mineTo)
    const their = blocks.theirs.slice(theirsAt, theirsTo)
    mineAt = mineTo
    theirsAt = theirsTo
    const isMine = hunks.some((hunk) => hunk.isMine)
    const isTheirs = hunks.some((hunk) => !hunk.isMine)
    const isSame = keysOf(my).join() === keysOf(their).join()
    if (isMine && isTheirs && !isSame) add(my, their, [...their, ...my])
    else if (isMine) add(my, my, my)
    else add(their, their, their)
  }
  const rest = blocks.mine.slice(mineAt)
  add(rest, rest, rest)
  return { mine: join(merged.mine), theirs: join(merged.theirs), both: join(merged.both) }
}

function hunksOf(original: string[], changed: string[], isMine: boolean): Hunk[] | null {
  const changes = diffArrays(original, changed, LIMIT)
  if (!changes) return null
  const hunks: Hunk[] = []
  let [at, to] = [0, 0]
  let open: Hunk | null = null
  for (const { added, removed, count } of changes) {
    if (!added && !removed) open = null
    else if (!open) {
      open = { isMine, from: at, to: at, start: to, end: to }
      hunks.push(open)
    }
    if (!added) at += count
    if (!removed) to += count
    if (open) Object.assign(open, { to: at, end: to })
  }
  return hunks.flatMap(splitByBlock)
}

/** As many new blocks as old ones were probably edited one by one. */
function splitByBlock(hunk: Hunk): Hunk[] {
  const { from, to, start, end } = hunk
  if (to - from !== end - start) return [hunk]
  return Array.from({ length: to - from }, (_, n) => ({
    ...hunk,
    from: from + n,
    to: from + n + 1,
    start: start + n,
    end: start + n + 1,
  }))
}

type Group = { from: number; to: number; hunks: Hunk[] }

/** Two insertions at the same place overlap, too: nobody knows their order. */
function groupOverlaps(hunks: Hunk[]): Group[] {
  const groups: Group[] = []
  for (const hunk of hunks.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const last = groups.at(-1)
    const isAtSame = last && last.from === hunk.from && last.to === hunk.to
    if (last && (isAtSame || hunk.from < last.to)) {
      last.hunks.push(hunk)
      last.to = Math.max(last.to, hunk.to)
    } else groups.push({ from: hunk.from, to: hunk.to, hunks: [hunk] })
  }
  return groups
}

/** How many more blocks one of us has. */
const growth = (hunks: Hunk[], isMine: boolean) =>
  hunks
    .filter((hunk) => hunk.isMine === isMine)
    .reduce((sum, { from, to, start, end }) => sum + end - start - (to - from), 0)

function join(blocks: string[]): string {
  return blocks
    .map((block, at) =>
      at === blocks.length - 1 || block.endsWith('\n') || ENDS_IN_TAG.test(block) ? block : `${block}\n`,
    )
    .join('')
}
