/** Publication and deletion, which posts and guides have alike. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { Publication } from '../../src/articles/publication.ts'
import type { Context } from '../../src/context.ts'
import type { SiteScope } from '../../src/sites.ts'
import type { Env } from '../http/env.ts'
import { named } from '../http/openapi.ts'
import { createRoute, deleted, refusals, siteOf, slugPath, tooLarge, written, type z } from './route.ts'

type Status = 'draft' | 'published'

type Resource = {
  /** Below the site, such as `/posts`. */
  path: string
  noun: 'Post' | 'Guide'
  remove: (ctx: Context, site: SiteScope, slug: string) => Promise<void>
  setStatus: (
    ctx: Context,
    site: SiteScope,
    slug: string,
    status: Status,
  ) => Promise<z.infer<typeof Publication>>
}

/** Adds `PUT` and `DELETE …/{slug}/publication` and `DELETE …/{slug}`. */
export function addStates(app: OpenAPIHono<Env>, { path, noun, remove, setStatus }: Resource): void {
  const article = `/sites/{siteId}${path}/{slug}`
  const PublicationAnswer = named('Publication', Publication)

  const publish = createRoute({
    method: 'put',
    path: `${article}/publication`,
    operationId: `publish${noun}`,
    summary: `Publish a ${noun.toLowerCase()}`,
    request: { params: slugPath },
    responses: {
      200: written(PublicationAnswer, `The ${noun.toLowerCase()} as it is now`),
      ...refusals,
      ...tooLarge,
    },
  })

  app.openapi(publish, async (c) =>
    c.json(await setStatus(c.get('ctx'), await siteOf(c), c.req.valid('param').slug, 'published'), 200),
  )

  const unpublish = createRoute({
    method: 'delete',
    path: `${article}/publication`,
    operationId: `unpublish${noun}`,
    summary: `Make a ${noun.toLowerCase()} a draft again`,
    request: { params: slugPath },
    responses: { 200: written(PublicationAnswer, `The ${noun.toLowerCase()} as it is now`), ...refusals },
  })

  app.openapi(unpublish, async (c) =>
    c.json(await setStatus(c.get('ctx'), await siteOf(c), c.req.valid('param').slug, 'draft'), 200),
  )

  const deleteArticle = createRoute({
    method: 'delete',
    path: article,
    operationId: `delete${noun}`,
    summary: noun === 'Post' ? 'Delete a post; its translations then stand on their own' : 'Delete a guide',
    request: { params: slugPath },
    responses: { 204: deleted, ...refusals },
  })

  app.openapi(deleteArticle, async (c) => {
    await remove(c.get('ctx'), await siteOf(c), c.req.valid('param').slug)
    return c.body(null, 204)
  })
}
