import type { Command } from 'commander'
import { addArticleVerbs, articlePath } from './article.ts'
import { verb } from './command.ts'

/** Adds `post put|publish|unpublish|delete|ready`. */
export function addPost(program: Command): void {
  const noun = program.command('post').description('posts of a site')
  addArticleVerbs(noun, 'posts')

  verb(noun, 'ready <site> <slug>', 'mark a draft ready, which sends article.ready', async (api, args) => {
    const [site = '', slug = ''] = args
    const readiness = await api<{ slug: string; eventId: string | null }>(
      'PUT',
      `${articlePath('posts', site, slug)}/readiness`,
    )
    const sent = readiness.eventId ? `event ${readiness.eventId} is on its way` : 'no event was sent'
    return { json: readiness, text: `${readiness.slug} is ready: ${sent}` }
  })
}
