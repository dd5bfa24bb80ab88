/** Errors in typed HTML that a browser would repair silently. */
import { CLOSED_BY, ENDS_PARAGRAPH, OPTIONAL, SCOPES, VOID, wordSet } from './nesting.ts'
import { eachToken } from './tokens.ts'

export type HtmlProblem = { line: number; message: string }

const PARAGRAPH = wordSet('p')
const MAX_PROBLEMS = 20
/** Bounds memory before the first ones are picked. */
const MAX_FOUND = 1_000
/** Browsers nest 512 elements at most, so deeper ones are not checked. */
const MAX_OPEN = 10_000
/** Bounds each search upward, so that time is linear in length. */
const MAX_STEPS = 200

type Found = { at: number; message: string }

export function htmlProblems(html: string): HtmlProblem[] {
  const found: Found[] = []
  const open: { name: string; at: number }[] = []
  const counts = new Map<string, number>()
  const count = (name: string, step: number) => counts.set(name, (counts.get(name) ?? 0) + step)
  let tag: { name: string; at: number } | null = null
  /** After a missing quote, tags and text look alike, so checking stops. */
  let isSure = true

  const report = (at: number, message: string) => {
    if (!isSure) return
    found.push({ at, message })
    if (found.length > MAX_FOUND) keepFirst(found)
  }
  const popTo = (depth: number, isEnding = false) => {
    for (let last = open.length - 1; last >= depth; last--) {
      const { name, at } = open.pop()!
      count(name, -1)
      if (!OPTIONAL.has(name) && !(isEnding && last === depth)) report(at, `<${name}> is not closed`)
    }
  }
  /** The innermost open one of `names`, up to one of `until`; -1 for none. */
  const findOpen = (names: Set<string>, until: Set<string>) => {
    for (let at = open.length - 1, steps = 0; at >= 0 && steps < MAX_STEPS; at--, steps++) {
      if (names.has(open[at]!.name)) return at
      if (until.has(open[at]!.name)) return -1
    }
    return -1
  }
  const endImplied = (name: string) => {
    if (ENDS_PARAGRAPH.has(name) && counts.get('p')) {
      const at = findOpen(PARAGRAPH, SCOPES)
      if (at >= 0) popTo(at)
    }
    const { ended, within } = CLOSED_BY[name] ?? {}
    for (let at = ended ? findOpen(ended, within!) : -1; at >= 0; at = findOpen(ended!, within!)) popTo(at)
  }
  const start = (isSelfClosing: boolean) => {
    if (!tag) return
    const { name, at } = tag
    tag = null
    const isForeign = Boolean(counts.get('svg') || counts.get('math')) || name === 'svg' || name === 'math'
    endImplied(name)
    if (VOID.has(name) || (isForeign && isSelfClosing)) return
    if (open.length === MAX_OPEN) {
      report(at, `<${name}> is inside ${MAX_OPEN.toLocaleString('en')} elements that are not closed`)
      isSure = false
      return
    }
    open.push({ name, at })
    count(name, 1)
  }
  eachToken(
    html,
    {
      onopentagname: (from, to) => {
        if (isSure) tag = { name: html.slice(from, to).toLowerCase(), at: from - 1 }
      },
      onattribname: (from, to) => {
        if (tag && /["'<]/.test(html.slice(from, to))) {
          report(tag.at, `a quote or a “>” is missing in <${tag.name}>`)
          isSure = false
        }
      },
      onopentagend: () => start(false),
      onselfclosingtag: () => start(true),
      onclosetag: (from, to) => {
        if (!isSure) return
        const name = html.slice(from, to).toLowerCase()
        if (VOID.has(name)) return void report(from - 2, `</${name}> is invalid: <${name}> has no end tag`)
        if (!counts.get(name)) return void report(from - 2, `</${name}> closes nothing`)
        let at = open.length - 1
        while (open[at]!.name !== name) at--
        popTo(at, true)
      },
    },
    { decodeEntities: false },
  )
  const cut = tag as { name: string; at: number } | null
  if (cut) report(cut.at, `<${cut.name} has no “>”`)
  popTo(0)
  return withLines(html, found)
}

function keepFirst(found: Found[]): Found[] {
  found.sort((a, b) => a.at - b.at).splice(MAX_PROBLEMS)
  return found
}

function withLines(html: string, found: Found[]): HtmlProblem[] {
  let [line, read] = [1, 0]
  return keepFirst(found).map(({ at, message }) => {
    for (let next = html.indexOf('\n', read); next >= 0 && next < at; next = html.indexOf('\n', read)) {
      line++
      read = next + 1
    }
    return { line, message }
  })
}
