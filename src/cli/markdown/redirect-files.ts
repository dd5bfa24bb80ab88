/** Files of redirects in a folder: from an export, or from a host. */
import { join } from 'node:path'
import { suffixOf } from '../../transfer/site-redirects.ts'
import type { Entry, Redirect, Source } from '../../transfer/source.ts'
import { readText } from '../files.ts'
import { parseRedirectFile } from '../import/redirect-lines.ts'

/** The file of an export has the JSON of `/redirects`. Generators keep the host's file in one of the other places. */
const FILES = ['redirects.json', '_redirects', 'static/_redirects', 'public/_redirects', 'src/_redirects']

type FindTarget = Source['target']

/** Targets within the folder are resolved to articles with `target`. */
export async function* redirectsIn(root: string, target: FindTarget): AsyncIterable<Entry> {
  for (const file of FILES) {
    const text = await readText(join(root, file)).catch(() => null)
    if (text === null) continue
    const lose = (reason: string, place: string): Entry => ({
      loss: { file: `${file}, ${place}`, field: 'redirect', reason },
    })
    let found: ReturnType<typeof parseRedirectFile>
    try {
      found = parseRedirectFile(file, text)
    } catch (error) {
      yield { loss: { file, field: 'redirect', reason: (error as Error).message } }
      continue
    }
    for (const { place, reason } of [...found.skipped, ...found.changed]) yield lose(reason, place)
    for (const { place, redirect } of found.redirects) {
      const { from, to } = redirect
      const whole = to === undefined ? redirect : redirectTo(from, to, target)
      yield { redirect: { file: `${file}, ${place}`, redirect: whole } }
    }
  }
}

export function redirectTo(from: string, to: string, target: FindTarget): Redirect {
  const article = target(to, '')
  if (!article) return { from, to }
  const resource = article.kind === 'posts' ? 'post' : 'guide'
  return { from, resource, slug: article.slug, ...suffixOf(to) }
}
