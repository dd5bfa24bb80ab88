/** Listing and reading posts and guides. */
import { type Command, Option } from 'commander'
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

type Filters = { status?: string; search?: string; language?: string; limit?: number }

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
  const ofPosts = kind === 'posts' ? [new Option('--language <language>', 'only this, such as en')] : []

  verb<Filters>(
    io,
    noun,
    'list <site>',
    `list ${kind}, drafts too, the last changed first`,
    async (api, [site = ''], { limit, status, search, language }) => {
      const query = { ...(status && { status }), ...(search && { search }), ...(language && { language }) }
      const items = await listAll<Listed>(api, path`/sites/${site}/${kind}`, limit, query)
      const none = Object.keys(query).length > 0 ? `No such ${kind}` : `No ${kind} yet`
      return list(items, kind === 'posts' ? POST_COLUMNS : COLUMNS, none)
    },
    [
      limitFlag(),
      new Option('--status <status>', 'only these').choices(['draft', 'published', 'all']),
      new Option('--search <text>', 'only with this in the title'),
      ...ofPosts,
    ],
  )

  verb(io, noun, 'get <site> <slug>', `show a ${one} with all its fields`, async (api, args) => {
    const [site = '', slug = ''] = args
    const read = await api<Read>('GET', articlePath(kind, site, slug))
    const { post, guide, ...rest } = read
    const { contentHtml, ...fields } = post ?? guide ?? {}
    return { json: read, text: `${fieldLines({ ...rest, ...shown(fields) })}\n\n${contentHtml}` }
  })
}

function shown(fields: Record<string, unknown>) {
  const text = (value: unknown) => (typeof value === 'object' && value ? JSON.stringify(value) : value)
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, text(value)]))
}
