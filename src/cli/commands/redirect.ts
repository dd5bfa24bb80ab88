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
  description: 'redirects from old addresses of a site',
  verbs: [
    listed({
      usage: 'list <site>',
      description: 'list redirects, newest first, including those from renames',
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
        'redirect a path to another path, a URL, a post or a guide; repeat it to change the target',
      flags: [
        new Option('--post <slug>', 'to this post, even after renames').conflicts('guide'),
        new Option('--guide <slug>', 'to this guide, even after renames'),
      ],
      async work(_io, api, [site = '', from = '', to], { post, guide }: Flags) {
        const article = post ?? guide
        const target = article && { resource: post === undefined ? 'guide' : 'post', slug: article }
        const redirect = { from, ...(to !== undefined && { to }), ...target }
        const json = await api('PUT /sites/{siteId}/redirects', [site], { body: { redirects: [redirect] } })
        const done = json.created > 0 ? 'redirects' : json.updated > 0 ? 'now redirects' : 'already redirects'
        return { json, text: `${from} ${done} to ${article ?? to}` }
      },
    },
    {
      usage: 'import <site> <file>',
      description:
        'add redirects from a file: lines as in _redirects, from and to in .csv, or any format of /redirects',
      flags: [new Option('--only-new', 'leave existing redirects unchanged')],
      async work(io, api, [site = '', file = ''], { onlyNew = false }: { onlyNew?: boolean }) {
        return importRedirects(io, api, site, file, onlyNew)
      },
    },
    {
      usage: 'remove <site> <from>',
      description: 'remove the redirect of a path, including one from a rename',
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
      `${message} (the first ${done} of ${redirects.length} were saved; run the same command again for the rest)`,
    )
  }
  const lines = [
    ...skipped.map(({ place, reason }) => `Not saved: ${place}: ${reason}`),
    ...changed.map(({ place, reason }) => `Changed: ${place}: ${reason}`),
    `${progress.created} added, ${progress.updated} updated, ${progress.unchanged} unchanged, ${skipped.length} not saved`,
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
