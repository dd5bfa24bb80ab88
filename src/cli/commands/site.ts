import { Option } from 'commander'
import { feedContents, plans } from '../../core/enums.ts'
import type { Api } from '../../transfer/api.ts'
import { Failure } from '../../transfer/failure.ts'
import type { Schemas } from '../../transfer/routes.ts'
import { listAll } from '../client.ts'
import { type Noun, wholeNumber } from '../command.ts'
import type { Io } from '../io.ts'
import { fieldLines, list, progress } from '../output.ts'
import { call } from './calls.ts'

type Site = Schemas['Site']

type SiteFlags = { dailyQuota?: number | 'none'; previewUrl?: string; [setting: string]: unknown }

const settings = () => [
  new Option('--plan <plan>', 'daily quota').choices(plans),
  new Option('--language, --default-language <language>', 'default language, for example en or pt-BR'),
  new Option('--daily-quota <number>', "requests per day; `none` for the plan's quota").argParser(
    (text: string) => (text === 'none' ? text : wholeNumber(text)),
  ),
  new Option('--post-path <template>', 'path of posts, for example /blog/{slug}'),
  new Option('--guide-path <template>', 'path of guides, for example /guides/{slug}'),
  new Option('--training-opt-in', 'enable the training export'),
  new Option('--feed-content <content>', 'content of each post in feeds').choices(feedContents),
  new Option(
    '--preview-url <url>',
    "page that preview links open, with their token; `none` for the service's own preview",
  ),
]

const COLUMNS = {
  site: (site: Site) => site.id,
  name: (site: Site) => site.name,
  domain: (site: Site) => site.domain,
  language: (site: Site) => site.defaultLanguage,
  plan: (site: Site) => site.plan,
}

export const SITE: Noun = {
  name: 'site',
  description: 'sites',
  verbs: [
    {
      usage: 'create',
      description: 'create a site',
      flags: [
        new Option('--name <name>', 'name').makeOptionMandatory(),
        new Option('--domain <domain>', 'domain of its pages').makeOptionMandatory(),
        ...settings(),
      ],
      work: async (_io, api, _args, flags) => shown(await api('POST /sites', [], { body: siteBody(flags) })),
    },
    {
      usage: 'update <site>',
      description: 'change a site',
      flags: [
        new Option('--name <name>', 'name'),
        new Option('--domain <domain>', 'domain of its pages'),
        ...settings(),
        new Option('--no-training-opt-in', 'disable the training export'),
      ],
      async work(_io, api, args, flags) {
        const body = siteBody(flags)
        if (Object.values(body).every((value) => value === undefined)) {
          throw new Failure('Nothing to change: give at least one flag')
        }
        return shown(await api('PATCH /sites/{siteId}', args, { body }))
      },
    },
    call({
      usage: 'get <site>',
      description: 'show a site',
      route: 'GET /sites/{siteId}',
      json: withSiteId,
      text: fieldLines,
    }),
    {
      usage: 'rebuild <site>',
      description: 'update the URLs in the schemaBundle of posts, after a change of domain or paths',
      async work(io, api, [site = '']) {
        const rebuilt = await rebuildBundles(io, api, site)
        const text = rebuilt === 0 ? 'No post has an old URL' : `Rebuilt ${rebuilt} posts`
        return { json: { rebuilt }, text: rebuilt === 1 ? 'Rebuilt 1 post' : text }
      },
    },
    {
      usage: 'delete <site>',
      description: 'delete a site with its keys and all its content; this cannot be undone',
      flags: [new Option('--confirm <name>', "the site's name, as a confirmation").makeOptionMandatory()],
      async work(io, api, [site = ''], { confirm }) {
        await deleteSite(io, api, site, confirm)
        return { json: { deleted: site }, text: `Deleted ${confirm}` }
      },
    },
    {
      usage: 'list',
      description: 'list all sites',
      work: async (_io, api) =>
        list((await listAll(api, 'GET /sites')).map(withSiteId), COLUMNS, 'No sites yet'),
    },
  ],
}

/** Waits until the site is gone. Deletion continues in the service if the command is interrupted. */
async function deleteSite(io: Io, api: Api, site: string, confirm: string): Promise<void> {
  const shown = progress(io, 'Deleting (seconds)', null)
  const startedAt = Date.now()
  const ask = () => api('DELETE /sites/{siteId}', [site], { query: { confirm } })
  for (let answer = await ask(); answer !== null; ) {
    shown.at(Math.round((Date.now() - startedAt) / 1_000))
    answer = await ask().catch((error) => {
      if (error instanceof Failure && error.status === 404) return null
      throw error
    })
  }
  shown.end()
}

/** Each part is one write, so an interrupted run can be repeated. */
async function rebuildBundles(io: Io, api: Api, site: string): Promise<number> {
  const shown = progress(io, 'Rebuilding posts', null)
  let rebuilt = 0
  for (let isDone = false; !isDone; ) {
    const part = await api('POST /sites/{siteId}/schema-bundles/rebuilds', [site])
    rebuilt += part.rebuilt
    isDone = part.outdated === 0 || part.rebuilt === 0
    shown.at(rebuilt)
  }
  shown.end()
  return rebuilt
}

function siteBody({ dailyQuota, previewUrl, ...rest }: SiteFlags) {
  const orNull = <Value>(value: Value) => (value === 'none' ? null : value)
  return { ...rest, dailyQuota: orNull(dailyQuota), previewUrl: orNull(previewUrl) }
}

function shown(site: Site) {
  return { json: withSiteId(site), text: fieldLines(site) }
}

function withSiteId(site: Site) {
  return { siteId: site.id, ...site }
}
