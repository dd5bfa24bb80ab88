/** Ghost's redirects, which its export lacks: https://ghost.org/docs/themes/routing/#redirects */
import { readFile } from 'node:fs/promises'
import { parse as parseYaml } from 'yaml'
import type { ArticleKind } from '../../content/model/article-filters.ts'
import { Failure } from '../../transfer/failure.ts'
import { suffixOf } from '../../transfer/site-redirects.ts'
import type { Entry, Source } from '../../transfer/source.ts'
import type { Reason } from '../import/losses.ts'
import { cannotRead } from '../json-file.ts'
import { recordOf } from './cards.ts'
import { textOf } from './markup.ts'

/** Ghost reads `from` as a regular expression. */
type Rule = { from: string; to: string; permanent: boolean }

export type OldRedirects = {
  pathsTo(kind: ArticleKind, slug: string): string[]
  entries: Entry[]
}

/** @param root the old site's path without a trailing slash @throws Failure when the file has no redirects */
export async function readRedirects(
  { path, name }: { path: string; name: string },
  root: string,
  target: Source['target'],
): Promise<OldRedirects> {
  const { rules: written, wrong } = await readRules(path, name)
  const rules = written.map((rule) => {
    const literal = literalPath(rule.from)
    // Ghost resolves both below the root.
    const to = rule.to.startsWith('/') ? root + rule.to : rule.to
    return { ...rule, to, path: literal === null ? null : root + literal }
  })
  const known = new Set(rules.map(({ path }) => path))
  const paths = new Map<string, string[]>()
  const entries = wrong.map(
    (entry): Entry => ({
      loss: { file: `${name}, entry ${entry}`, field: 'redirect', reason: 'has no from and to' },
    }),
  )
  for (const { from, to, permanent, path } of rules) {
    const lose = (reason: Reason) =>
      entries.push({ loss: { file: name, field: 'redirect', reason, detail: `${from} to ${to}` } })
    if (path === null) {
      lose('a redirect with a regular expression is left out')
      continue
    }
    if (!permanent) lose('a temporary redirect becomes permanent')
    const article = target(to, name)
    const suffix = suffixOf(to)
    if (article && suffix.suffix !== undefined) {
      const resource = article.kind === 'posts' ? 'post' : 'guide'
      entries.push({
        redirect: { file: name, redirect: { from: path, resource, slug: article.slug, ...suffix } },
      })
    } else if (article) {
      const key = `${article.kind} ${article.slug}`
      paths.set(key, [...(paths.get(key) ?? []), path])
    }
    if (article) continue
    const isForeign = article === undefined
    const place = isForeign ? to : to.replace(/^https?:\/\/[^/]*/i, '')
    if (!isForeign && !known.has(withoutSlash(place)))
      lose('a redirect leads to no post or guide of this import')
    entries.push({ redirect: { file: name, redirect: { from: path, to: place } } })
  }
  return { entries, pathsTo: (kind, slug) => paths.get(`${kind} ${slug}`) ?? [] }
}

async function readRules(path: string, name: string): Promise<{ rules: Rule[]; wrong: number[] }> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw cannotRead(name, error)
  }
  let value: unknown
  try {
    value = /\.json$/i.test(name) ? JSON.parse(text.replace(/^\u{feff}/u, '')) : parseYaml(text)
  } catch (error) {
    throw new Failure(`${name} cannot be read: ${(error as Error).message.split('\n')[0]}`)
  }
  const all = Array.isArray(value) ? value.map(fromObject) : fromStatuses(value)
  const isRule = ({ from, to }: Rule) => from !== '' && to !== ''
  const rules = all.filter(isRule)
  if (rules.length === 0)
    throw new Failure(`${name} is not a redirects file of Ghost: no entry has from and to`)
  return { rules, wrong: all.flatMap((rule, at) => (isRule(rule) ? [] : [at + 1])) }
}

function fromObject(value: unknown): Rule {
  const { from, to, permanent } = recordOf(value)
  return { from: textOf(from), to: textOf(to), permanent: permanent === true }
}

/** YAML has `301:` and `302:`, each with targets by address. */
function fromStatuses(value: unknown): Rule[] {
  return Object.entries(recordOf(value)).flatMap(([status, addresses]) =>
    Object.entries(recordOf(addresses)).map(([from, to]) => ({
      from,
      to: textOf(to),
      permanent: status === '301',
    })),
  )
}

/** The only path that a rule matches; null if there may be more. A dot counts as literal, as in `/feed.xml`. */
function literalPath(from: string): string | null {
  // Ghost's flag for ignoring case.
  if (from.startsWith('/') && from.endsWith('/i')) return null
  const inner = from
    .replace(/^\^/, '')
    .replace(/\$$/, '')
    .replace(/\\?\/\?$/, '')
  const unescaped = inner.replace(/\\[^\p{L}\p{N}]/gu, '')
  if (/[\\^$*+?()[\]{}|]/.test(unescaped)) return null
  const path = inner.replace(/\\(.)/g, '$1')
  return path.startsWith('/') ? withoutSlash(path) : null
}

const withoutSlash = (path: string) => path.replace(/(?<=.)\/$/, '')
