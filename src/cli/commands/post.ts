import type { Command } from 'commander'
import { articlePath } from '../article-path.ts'
import { verb } from '../command.ts'
import type { Io } from '../io.ts'
import { addArticleVerbs } from './article.ts'

/** Adds `post list|get|put|publish|unpublish|rename|delete|ready`. */
export function addPost(program: Command, io: Io): void {
  const noun = program.command('post').description('posts of a site')
  addArticleVerbs(noun, io, 'posts')

  verb(
    io,
    noun,
    'ready <site> <slug>',
    'mark a draft ready, which sends article.ready',
    async (api, args) => {
      const [site = '', slug = ''] = args
      const readiness = await api<{ slug: string; alreadyReady: boolean; eventId: string | null }>(
        'PUT',
        `${articlePath('posts', site, slug)}/readiness`,
      )
      return { json: readiness, text: `${readiness.slug} ${describe(readiness)}` }
    },
  )
}

function describe({ alreadyReady, eventId }: { alreadyReady: boolean; eventId: string | null }): string {
  if (alreadyReady) return 'was ready already: nothing has changed, and no event is sent'
  return eventId
    ? `is ready: event ${eventId} is on its way`
    : 'is ready: no webhook is set, so no event is sent'
}
