/** Listing and reading posts and guides. */
import { type Command, Option } from 'commander'
import { FILTERS, type FiltersOf, LISTS } from '../../foundation/article-filters.ts'
import { articlePath, type Kind } from '../article-path.ts'
import { listAll, path } from '../client.ts'
import { limitFlag, verb } from '../command.ts'
import type { Io } from '../io.ts'
import { fieldLines, list } from '../output.ts'

type Listed = {
  slug: string
  title: string
  status: string
  language?: string | null
  qualityBand?: string | null
  updatedAt: string
}

type Flags = { [Name in FiltersOf<'management', Kind>]?: string } & { limit?: number }

/** `post` or `guide` is the body that puts it again. */
type Read = { id: string; createdAt: string; updatedAt: string; readyAt?: string | null } & {
  post?: Record<string, unknown>
  guide?: Record<string, unknown>
}

const COLUMNS = {
  slug: (one: Listed) => one.slug,
  title: (one: Listed) => one.title,
  status: (one: Listed) => one.status,
  updated: (one: Listed) => one.updatedAt,
}

const POST_COLUMNS = {
  ...COLUMNS,
  language: (one: Listed) => one.language,
  band: (one: Listed) => one.qualityBand,
}

/** Adds `list` and `get` to the noun `post` or `guide`. */
export function addReadVerbs(noun: Command, io: Io, kind: Kind): void {
  const one = kind.slice(0, -1)

  verb<Flags>(
    io,
    noun,
    'list <site>',
    `list ${kind}, drafts too, the last changed first`,
    async (api, [site = ''], { limit, ...filters }) => {
      const names: readonly FiltersOf<'management', Kind>[] = LISTS.management[kind]
      const query = Object.fromEntries(
        names.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])),
      )
      const items = await listAll<Listed>(api, path`/sites/${site}/${kind}`, limit, query)
      const none = Object.keys(query).length > 0 ? `No such ${kind}` : `No ${kind} yet`
      return list(items, kind === 'posts' ? POST_COLUMNS : COLUMNS, none)
    },
    [limitFlag(), ...LISTS.management[kind].map(filterFlag)],
  )

  verb(io, noun, 'get <site> <slug>', `show a ${one} with all its fields`, async (api, args) => {
    const [site = '', slug = ''] = args
    const read = await api<Read>('GET', articlePath(kind, site, slug))
    const { post, guide, ...rest } = read
    const { contentHtml, ...fields } = post ?? guide ?? {}
    return { json: read, text: `${fieldLines({ ...rest, ...shown(fields) })}\n\n${contentHtml}` }
  })
}

function filterFlag(name: FiltersOf<'management', Kind>): Option {
  const filter = FILTERS[name]
  const option = new Option(filter.flag, filter.help)
  return 'values' in filter ? option.choices(filter.values) : option
}

function shown(fields: Record<string, unknown>) {
  const text = (value: unknown) => (typeof value === 'object' && value ? JSON.stringify(value) : value)
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, text(value)]))
}
