import { type Command, Option } from 'commander'
import { type Api, listAll, path } from '../client.ts'
import { verb, wholeNumber } from '../command.ts'
import { Failure } from '../failure.ts'
import type { Io } from '../io.ts'
import { fieldLines, list, progress } from '../output.ts'

type Site = {
  id: string
  name: string
  domain: string
  plan: string
  defaultLanguage: string
  dailyQuota: number | null
  trainingOptIn: boolean
}

type SiteFlags = {
  name?: string
  domain?: string
  plan?: string
  language?: string
  dailyQuota?: number | 'none'
  trainingOptIn?: boolean
  postPath?: string
  guidePath?: string
}

const settings = () => [
  new Option('--plan <plan>', 'daily quota').choices(['free', 'starter', 'growth', 'scale']),
  new Option('--language <language>', 'default language, such as en or pt-BR'),
  new Option(
    '--daily-quota <number>',
    "requests a day instead of the plan's; `none` for the plan's",
  ).argParser((text: string) => (text === 'none' ? text : wholeNumber(text))),
  new Option('--post-path <template>', "a post's path, such as /blog/{slug}"),
  new Option('--guide-path <template>', "a guide's path, such as /guides/{slug}"),
  new Option('--training-opt-in', 'allow the training export'),
]

/** Adds `site create|update|get|rebuild|delete|list`. */
export function addSite(program: Command, io: Io): void {
  const noun = program.command('site').description('sites')

  verb<SiteFlags>(
    io,
    noun,
    'create',
    'create a site',
    async (api, _args, flags) => shown(await api<Site>('POST', '/sites', siteBody(flags))),
    [
      new Option('--name <name>', 'name').makeOptionMandatory(),
      new Option('--domain <domain>', 'domain its pages are on').makeOptionMandatory(),
      ...settings(),
    ],
  )

  verb<SiteFlags>(
    io,
    noun,
    'update <site>',
    'change a site',
    async (api, [site = ''], flags) => {
      const body = siteBody(flags)
      if (Object.values(body).every((value) => value === undefined)) {
        throw new Failure('Nothing to change: give at least one flag')
      }
      return shown(await api<Site>('PATCH', path`/sites/${site}`, body))
    },
    [
      new Option('--name <name>', 'name'),
      new Option('--domain <domain>', 'domain its pages are on'),
      ...settings(),
      new Option('--no-training-opt-in', 'refuse the training export'),
    ],
  )

  verb(io, noun, 'get <site>', 'show a site', async (api, [site = '']) =>
    shown(await api<Site>('GET', path`/sites/${site}`)),
  )

  verb(
    io,
    noun,
    'rebuild <site>',
    "give posts the site's present URLs in their schemaBundle, after a change of domain or paths",
    async (api, [site = '']) => {
      const rebuilt = await rebuildBundles(io, api, site)
      const text = rebuilt === 0 ? 'No post carries an old URL' : `Rebuilt ${rebuilt} posts`
      return { json: { rebuilt }, text: rebuilt === 1 ? 'Rebuilt 1 post' : text }
    },
  )

  verb<{ confirm: string }>(
    io,
    noun,
    'delete <site>',
    'delete a site with its keys and all its content; this cannot be undone',
    async (api, [site = ''], { confirm }) => {
      await deleteSite(io, api, site, confirm)
      return { json: { deleted: site }, text: `Deleted ${confirm}` }
    },
    [new Option('--confirm <name>', "the site's name, as a confirmation").makeOptionMandatory()],
  )

  verb(io, noun, 'list', 'list all sites', async (api) => {
    const sites = await listAll<Site>(api, '/sites')
    const columns = {
      site: (site: Site) => site.id,
      name: (site: Site) => site.name,
      domain: (site: Site) => site.domain,
      language: (site: Site) => site.defaultLanguage,
      plan: (site: Site) => site.plan,
    }
    return list(sites.map(withSiteId), columns, 'No sites yet')
  })
}

/** Asks until it is gone. The service goes on by itself, so a run that is broken off leaves nothing undone. */
async function deleteSite(io: Io, api: Api, site: string, confirm: string): Promise<void> {
  const shown = progress(io, 'Deleting, seconds', null)
  const startedAt = Date.now()
  const ask = () => api('DELETE', `${path`/sites/${site}`}?${new URLSearchParams({ confirm })}`)
  for (let answer = await ask(); answer !== null; ) {
    shown.at(Math.round((Date.now() - startedAt) / 1_000))
    answer = await ask().catch((error) => {
      if (error instanceof Failure && error.status === 404) return null
      throw error
    })
  }
  shown.end()
}

/** Part by part, each a write of its own: a run that was broken off is gone on with by the next. */
async function rebuildBundles(io: Io, api: Api, site: string): Promise<number> {
  const shown = progress(io, 'Rebuilding posts', null)
  let rebuilt = 0
  for (let isDone = false; !isDone; ) {
    const part = await api<{ rebuilt: number; outdated: number }>(
      'POST',
      path`/sites/${site}/schema-bundles/rebuilds`,
    )
    rebuilt += part.rebuilt
    isDone = part.outdated === 0 || part.rebuilt === 0
    shown.at(rebuilt)
  }
  shown.end()
  return rebuilt
}

function siteBody({ language, dailyQuota, ...rest }: SiteFlags) {
  const { name, domain, plan, trainingOptIn, postPath, guidePath } = rest
  const quota = dailyQuota === 'none' ? null : dailyQuota
  return {
    name,
    domain,
    plan,
    defaultLanguage: language,
    dailyQuota: quota,
    trainingOptIn,
    postPath,
    guidePath,
  }
}

function shown(site: Site) {
  return { json: withSiteId(site), text: fieldLines(site) }
}

function withSiteId(site: Site) {
  return { siteId: site.id, ...site }
}
