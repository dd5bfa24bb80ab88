/** The old addresses of an import. They wait in a temporary file until the articles that they lead to are put. */
import { MAX_REDIRECTS } from '../../foundation/limits.ts'
import { readSitePath, readTarget } from '../../foundation/site-path.ts'
import { guidePath, postPath } from '../../foundation/urls.ts'
import { streamInBatches } from '../batches.ts'
import type { Api } from '../client.ts'
import type { LoadedSite } from './load.ts'
import { isRefusal } from './put.ts'
import type { Report } from './report.ts'
import type { Found, Redirect } from './source.ts'
import { openSpool } from './spool.ts'

type Waiting = { file: string; redirect: Redirect }

export async function openRedirects(site: LoadedSite, report: Report) {
  const spool = await openSpool()
  const fileOf = new Map<string, string>()
  const refused = new Set<string>()

  async function add({ file, redirect }: Waiting, ownPath?: string): Promise<void> {
    const lose = (reason: string) => report.lose({ file, field: 'redirect', reason, detail: redirect.from })
    const { path, problem } = readSitePath(redirect.from, site.domain)
    if (path === undefined) return lose(`an old address ${problem}`)
    const to = redirect.to === undefined ? undefined : readTarget(redirect.to, site.domain)
    if (to?.problem !== undefined) return lose(`where an old address leads ${to.problem}`)
    const known = fileOf.get(path)
    if (path === ownPath || known === file) return
    if (known !== undefined) return lose(`an old address of ${known} too, where it leads`)
    fileOf.set(path, file)
    await spool.append(JSON.stringify({ file, redirect }))
  }

  async function* waiting(): AsyncGenerator<Waiting> {
    for await (const line of spool.lines()) {
      const one: Waiting = JSON.parse(line)
      if (!refused.has(one.file)) yield one
    }
  }

  return {
    add,
    /** Those of an article, but not the address that it has now. */
    async addAddressesOf({ file, kind, article, oldAddresses = [] }: Found): Promise<void> {
      const { slug, language = null } = article
      const own = kind === 'posts' ? postPath(site, { slug, language }) : guidePath(site, { slug })
      const ownPath = readSitePath(own, site.domain).path
      const resource = kind === 'posts' ? 'post' : 'guide'
      for (const from of oldAddresses) await add({ file, redirect: { from, resource, slug } }, ownPath)
    },
    /** The article of `file` was not put. */
    drop: (file: string) => void refused.add(file),
    async count(): Promise<number> {
      let count = 0
      for await (const _ of waiting()) count += 1
      return count
    },
    /** Those that are there already stay as they are. @returns how many were new */
    async put(api: Api): Promise<number> {
      const send = async (batch: Waiting[]) => {
        const body = { redirects: batch.map(({ redirect }) => redirect), onlyNew: true }
        return (await api('PUT /sites/{siteId}/redirects', [site.id], { body })).created
      }
      let created = 0
      for await (const batch of streamInBatches(waiting(), MAX_REDIRECTS, ({ redirect }) => redirect)) {
        try {
          created += await send(batch)
        } catch (error) {
          if (!isRefusal(error)) throw error
          for (const one of batch) created += await sendOne(one)
        }
      }
      return created

      async function sendOne(one: Waiting): Promise<number> {
        try {
          return await send([one])
        } catch (error) {
          if (!isRefusal(error)) throw error
          await report.lose({
            file: one.file,
            field: 'redirect',
            reason: error.message,
            detail: one.redirect.from,
          })
          return 0
        }
      }
    },
    found: () => fileOf.size > 0,
    close: () => spool.close(),
  }
}
