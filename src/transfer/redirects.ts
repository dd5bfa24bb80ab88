/** Redirects from old addresses. They wait until the articles that they lead to are saved. */
import { readSitePath, readTarget } from '../content/model/site-path.ts'
import { guidePath, postPath } from '../content/model/urls.ts'
import type { Api } from './api.ts'
import { putRedirects } from './put-redirects.ts'
import type { Report } from './report.ts'
import type { LoadedSite, PlacedRedirect, SourceArticle } from './source.ts'
import type { OpenSpool } from './spool.ts'

export async function openRedirects(site: LoadedSite, report: Report, openSpool: OpenSpool) {
  const spool = await openSpool()
  const fileOf = new Map<string, string>()
  const refused = new Set<string>()

  async function add({ file, redirect }: PlacedRedirect, ownPath?: string): Promise<void> {
    const lose = (reason: string) => report.lose({ file, field: 'redirect', reason, detail: redirect.from })
    const { path, problem } = readSitePath(redirect.from, site.domain)
    if (path === undefined) return lose(`an old address ${problem}`)
    const to = redirect.to === undefined ? undefined : readTarget(redirect.to, site.domain)
    if (to?.problem !== undefined) return lose(`the target of an old address ${to.problem}`)
    const known = fileOf.get(path)
    if (path === ownPath || known === file) return
    if (known !== undefined) return lose(`also an old address of ${known}, which keeps it`)
    fileOf.set(path, file)
    await spool.append(JSON.stringify({ file, redirect }))
  }

  async function* waiting(): AsyncGenerator<PlacedRedirect> {
    for await (const line of spool.lines()) {
      const one: PlacedRedirect = JSON.parse(line)
      if (!refused.has(one.file)) yield one
    }
  }

  return {
    add,
    async addAddressesOf({ file, kind, article, oldAddresses = [] }: SourceArticle): Promise<void> {
      const { slug, language = null } = article
      const address = kind === 'posts' ? postPath(site, { slug, language }) : guidePath(site, { slug })
      const ownPath = readSitePath(address, site.domain).path
      const resource = kind === 'posts' ? 'post' : 'guide'
      for (const from of oldAddresses) await add({ file, redirect: { from, resource, slug } }, ownPath)
    },
    /** Leaves out the redirects of a file whose article was refused. */
    drop: (file: string) => void refused.add(file),
    async count(): Promise<number> {
      let count = 0
      for await (const _ of waiting()) count += 1
      return count
    },
    /** Existing redirects stay unchanged. @returns the number of new ones */
    async put(api: Api): Promise<number> {
      const refuse = ({ file, redirect }: PlacedRedirect, reason: string) =>
        report.lose({ file, field: 'redirect', reason, detail: redirect.from })
      return (await putRedirects(api, site.id, waiting(), { onlyNew: true, refuse })).created
    },
    found: () => fileOf.size > 0,
    close: () => spool.close(),
  }
}
