import { Option } from 'commander'
import type { Api } from '../../transfer/api.ts'
import { Failure } from '../../transfer/failure.ts'
import { putRedirects } from '../../transfer/put-redirects.ts'
import { limitFlag, type Noun, type Result } from '../command.ts'
import { type Placed, parseRedirectFile, type RedirectFile } from '../import/redirect-lines.ts'
import type { Io } from '../io.ts'
import { readText } from '../json-file.ts'
import { listed } from './calls.ts'

type Flags = { post?: string; guide?: string }

export const REDIRECT: Noun = {
  name: 'redirect',
  description: 'old addresses of a site, and where they lead',
  verbs: [
    listed({
      usage: 'list <site>',
      description: 'list redirects, newest first, those of renames included',
      flags: [limitFlag()],
      route: 'GET /sites/{siteId}/redirects',
      columns: {
        created: (redirect) => redirect.createdAt,
        from: (redirect) => redirect.from,
        to: (redirect) => redirect.to,
        served: (redirect) => (redirect.served ? 'yes' : 'no'),
      },
      none: 'No redirects yet',
    }),
    {
      usage: 'add <site> <from> [to]',
      description:
        'send visitors of a path to another path, a URL, or a post or guide; again it changes where',
      flags: [
        new Option('--post <slug>', 'to this post, whatever it is renamed to').conflicts('guide'),
        new Option('--guide <slug>', 'to this guide'),
      ],
      async work(_io, api, [site = '', from = '', to], { post, guide }: Flags) {
        const article = post ?? guide
        const target = article && { resource: post === undefined ? 'guide' : 'post', slug: article }
        const redirect = { from, ...(to !== undefined && { to }), ...target }
        const json = await api('PUT /sites/{siteId}/redirects', [site], { body: { redirects: [redirect] } })
        const done = json.created > 0 ? 'leads' : json.updated > 0 ? 'now leads' : 'led already'
        return { json, text: `${from} ${done} to ${article ?? to}` }
      },
    },
    {
      usage: 'import <site> <file>',
      description:
        'add all of a file: lines as in _redirects, from and to in .csv, or what /redirects has served in any of its forms',
      flags: [new Option('--only-new', 'leave those that are there already as they are')],
      async work(io, api, [site = '', file = ''], { onlyNew = false }: { onlyNew?: boolean }) {
        return importRedirects(io, api, site, file, onlyNew)
      },
    },
    {
      usage: 'remove <site> <from>',
      description: 'remove the redirect of a path, one that a rename has left too',
      async work(_io, api, [site = '', from = '']) {
        await api('DELETE /sites/{siteId}/redirects', [site], { query: { from } })
        return { json: { removed: from }, text: `Removed ${from}` }
      },
    },
  ],
}

async function importRedirects(
  io: Io,
  api: Api,
  site: string,
  file: string,
  onlyNew: boolean,
): Promise<Result> {
  const { redirects, skipped, changed } = parsed(file, await readText(io, file))
  const refuse = ({ place, redirect }: Placed, reason: string) => {
    skipped.push({ place, reason: `${reason}: ${redirect.from}` })
  }
  const progress = { created: 0, updated: 0, unchanged: 0 }
  async function* items() {
    yield* redirects
  }
  try {
    await putRedirects(api, site, items(), { onlyNew, refuse, progress })
  } catch (error) {
    const { created, updated, unchanged } = progress
    const done = created + updated + unchanged
    const { message } = error as Error
    throw new Failure(
      `${message} (the first ${done} of ${redirects.length} were put; the same command does the rest)`,
    )
  }
  const lines = [
    ...skipped.map(({ place, reason }) => `Not put: ${place}: ${reason}`),
    ...changed.map(({ place, reason }) => `Changed: ${place}: ${reason}`),
    `${progress.created} added, ${progress.updated} lead elsewhere now, ${progress.unchanged} as before, ${skipped.length} not put`,
  ]
  return {
    json: { ...progress, skipped, changed },
    text: lines.join('\n'),
    complete: skipped.length === 0,
  }
}

function parsed(file: string, text: string): RedirectFile {
  try {
    return parseRedirectFile(file, text)
  } catch (error) {
    throw new Failure(`Cannot read ${file}: ${(error as Error).message}`)
  }
}
