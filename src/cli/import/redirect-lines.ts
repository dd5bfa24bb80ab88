/**
 * Parses files of redirects: lines of Cloudflare and Netlify (https://docs.netlify.com/routing/redirects/), CSV, and the
 * other formats of `/redirects`. Reports redirects that the service cannot represent.
 */

import { suffixOf } from '../../transfer/site-redirects.ts'
import type { Redirect } from '../../transfer/source.ts'
import { isObject, jsonProblem } from '../json-file.ts'

/** For example `line 7`. */
export type Placed = { place: string; redirect: Redirect }
type Named = { place: string; reason: string }
/** `changed` ones are also in `redirects`. */
export type RedirectFile = { redirects: Placed[]; skipped: Named[]; changed: Named[] }

type Row = { place: string; from: string; to: string; status: string; isConditional?: boolean }

const PERMANENT = /^(?:301|308)?$/
const TEMPORARY = /^30[237]$/
const IS_ADDRESS = /^(?:\/|https?:\/\/)/i

/** The format depends on the extension of `name`, otherwise on the text. @throws Error with a one-line reason */
export function parseRedirectFile(name: string, text: string): RedirectFile {
  const plain = text.replace(/^\ufeff/, '')
  if (/\.json$/i.test(name)) return distinct(itemsOf(plain))
  if (/^\s*location /.test(plain)) return distinct({ ...nothing(), ...locationsOf(plain) })
  return distinct(checked(/\.(?:csv|tsv)$/i.test(name) ? tableRows(plain) : lineRows(plain)))
}

const nothing = (): RedirectFile => ({ redirects: [], skipped: [], changed: [] })

function lineRows(text: string): Row[] {
  return text.split(/\r?\n/).flatMap((line, i) => {
    const [from, ...rest] = line
      .replace(/(?:^|\s)#.*$/, '')
      .split(/\s+/)
      .filter(Boolean)
    if (from === undefined) return []
    // Query parameters may precede the target.
    const at = rest.findIndex((each) => IS_ADDRESS.test(each))
    const [status = '', ...conditions] = rest.slice(at + 1)
    const isConditional = at > 0 || conditions.length > 0
    return [
      { place: `line ${i + 1}`, from, to: rest[at] ?? '', status: status.replace('!', ''), isConditional },
    ]
  })
}

function tableRows(text: string): Row[] {
  const rows = cellsOf(text)
  const head = rows[0]?.cells.map((cell) => cell.trim().toLowerCase()) ?? []
  const hasHead = !IS_ADDRESS.test(head[0] ?? '') && !head.includes('')
  const column = (names: RegExp, otherwise: number) => {
    const at = hasHead ? head.findIndex((name) => names.test(name)) : -1
    return at < 0 ? otherwise : at
  }
  const from = column(/^(?:from|old|source)/, 0)
  const to = column(/^(?:to|new|target|destination)/, 1)
  const status = column(/^(?:status|code|type)/, 2)
  return rows.slice(hasHead ? 1 : 0).flatMap(({ line, cells }) => {
    const cell = (at: number) => cells[at]?.trim() ?? ''
    if (cells.every((each) => each.trim() === '')) return []
    return [{ place: `line ${line}`, from: cell(from), to: cell(to), status: cell(status) }]
  })
}

/** RFC 4180, also with semicolons or tabs. */
function cellsOf(text: string): { line: number; cells: string[] }[] {
  const [first = ''] = text.split('\n')
  const separator = [',', ';', '\t'].find((each) => first.includes(each)) ?? ','
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|((?!")[^${separator}\\n\\r]*))(${separator}|\\r?\\n|$)`, 'y')
  const rows: { line: number; cells: string[] }[] = []
  let row = { line: 1, cells: [] as string[] }
  for (let line = 1; cell.lastIndex < text.length; ) {
    const [whole, quoted, plain = '', end] = cell.exec(text) ?? ['']
    // An unclosed quote swallows the rest.
    if (end === undefined) return [...rows, { line, cells: ['"'] }]
    row.cells.push(quoted?.replaceAll('""', '"') ?? plain)
    line += whole.split('\n').length - 1
    if (end === separator) continue
    rows.push(row)
    row = { line, cells: [] }
  }
  return row.cells.length > 0 ? [...rows, row] : rows
}

function checked(rows: Row[]): RedirectFile {
  const file = nothing()
  for (const { place, from, to, status, isConditional } of rows) {
    const skip = (reason: string) => file.skipped.push({ place, reason })
    if (to === '') skip('has no target')
    else if (isConditional) skip('has a condition')
    else if (/[*]|\/:\w/.test(from.replace(/^https?:\/\//i, ''))) skip('is a pattern')
    else if (!PERMANENT.test(status) && !TEMPORARY.test(status))
      skip(`has status ${status}, which is not a redirect`)
    else {
      file.redirects.push({ place, redirect: { from, to } })
      if (TEMPORARY.test(status))
        file.changed.push({ place, reason: `had status ${status}, and becomes 301` })
    }
  }
  return file
}

function locationsOf(text: string): Pick<RedirectFile, 'redirects' | 'skipped'> {
  const redirects: Placed[] = []
  const skipped: Named[] = []
  for (const [i, line] of text.split('\n').entries()) {
    const [, kind, path = '', target = ''] =
      /^location (=|~) "([^"]+)" \{ absolute_redirect off; return 301 "([^"]+?)(?:\$is_args\$args)?"; \}$/.exec(
        line,
      ) ?? []
    const place = `line ${i + 1}`
    if (kind) {
      const decoded = kind === '=' ? path : path.slice(1, -1).replace(/\\(.)/g, '$1')
      const from = encodeURI(decoded).replace(/[?#]/g, encodeURIComponent)
      redirects.push({ place, redirect: { from, to: target } })
    } else if (line.trim() !== '') skipped.push({ place, reason: 'is not in the format of this service' })
  }
  return { redirects, skipped }
}

function itemsOf(text: string): RedirectFile {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`it is not JSON: ${jsonProblem(error, text)}`)
  }
  const items = isObject(value) ? value.items : value
  if (!Array.isArray(items)) throw new Error('it has no list of redirects')
  const file = nothing()
  for (const [i, item] of items.entries()) {
    const place = `item ${i + 1}`
    const redirect = redirectOf(item)
    if (redirect) file.redirects.push({ place, redirect })
    else file.skipped.push({ place, reason: 'needs from, and to or slug' })
  }
  return file
}

function redirectOf(item: unknown): Redirect | null {
  if (!isObject(item)) return null
  const { from, to, resource, slug, suffix } = item
  if (typeof from !== 'string') return null
  if ((resource === 'post' || resource === 'guide') && typeof slug === 'string')
    return { from, resource, slug, ...(typeof suffix === 'string' ? { suffix } : suffixOf(String(to ?? ''))) }
  return typeof to === 'string' ? { from, to } : null
}

/** Ignores trailing slashes of paths. The first target of a path counts. */
function distinct({ redirects, skipped, changed }: RedirectFile): RedirectFile {
  const first = new Map<string, { place: string; target: string }>()
  const others: Named[] = []
  const kept = redirects.filter(({ place, redirect: { from, ...to } }) => {
    const key = from.replace(/(?<=.)\/+$/, '')
    const target = JSON.stringify(to)
    const known = first.get(key)
    if (known === undefined) first.set(key, { place, target })
    else if (known.target !== target)
      others.push({ place, reason: `has another target than ${known.place}, which takes precedence` })
    return known === undefined
  })
  const places = new Set(kept.map(({ place }) => place))
  return {
    redirects: kept,
    skipped: [...skipped, ...others],
    changed: changed.filter(({ place }) => places.has(place)),
  }
}
