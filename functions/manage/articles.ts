/** The routes that posts and guides share: put one or many, publish, unpublish, delete. */
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import * as z from 'zod/mini'
import { Publication } from '../../src/articles/publication.ts'
import { PutResult } from '../../src/articles/put-result.ts'
import type { Context } from '../../src/context.ts'
import type { SiteScope } from '../../src/db/site-scope.ts'
import type { Operation } from '../http/document.ts'
import type { Env } from '../http/env.ts'
import { refuseInvalid } from '../http/validation.ts'
import { bodyErrors, deletedResponse, siteErrors, writtenResponse } from './responses.ts'
import { siteOf, slugOf } from './route.ts'

/** Rows in one bulk put. */
export const MAX_BULK = 100

type Status = 'draft' | 'published'

export type Articles<Input extends { slug: string }> = {
  noun: 'post' | 'guide'
  /** The body that puts one, whose slug is in the path. */
  One: z.ZodMiniType<Omit<Input, 'slug'> & { slug?: string | undefined }>
  /** The body that puts many, read as their list. */
  Many: z.ZodMiniType<Input[]>
  put: (
    ctx: Context,
    site: SiteScope,
    inputs: Input[],
    where?: (index: number) => string,
  ) => Promise<PutResult[]>
  setStatus: (
    ctx: Context,
    site: SiteScope,
    slug: string,
    status: Status,
  ) => Promise<z.infer<typeof Publication>>
  remove: (ctx: Context, site: SiteScope, slug: string) => Promise<void>
}

const ALL = { post: '/sites/:siteId/posts', guide: '/sites/:siteId/guides' } as const

export function articleRoutes<Input extends { slug: string }>(articles: Articles<Input>): Hono<Env> {
  const { noun, One, Many, put, setStatus, remove } = articles
  const all = ALL[noun]
  const app = new Hono<Env>()

  app.put(all, zValidator('json', Many, refuseInvalid), async (c) => {
    const items = await put(c.get('ctx'), await siteOf(c), c.req.valid('json'))
    return c.json({ items })
  })

  app.put(`${all}/:slug`, zValidator('json', One, refuseInvalid), async (c) => {
    const body = c.req.valid('json')
    const input = { ...body, slug: slugOf(c, body.slug) } as Input
    const [result] = await put(c.get('ctx'), await siteOf(c), [input], () => '')
    return c.json(result!, result!.outcome === 'created' ? 201 : 200)
  })

  app.put(`${all}/:slug/publication`, async (c) =>
    c.json(await setStatus(c.get('ctx'), await siteOf(c), c.req.param('slug'), 'published')),
  )

  app.delete(`${all}/:slug/publication`, async (c) =>
    c.json(await setStatus(c.get('ctx'), await siteOf(c), c.req.param('slug'), 'draft')),
  )

  app.delete(`${all}/:slug`, async (c) => {
    await remove(c.get('ctx'), await siteOf(c), c.req.param('slug'))
    return c.body(null, 204)
  })

  return app
}

export function articleOperations<Input extends { slug: string }>({
  noun,
  One,
  Many,
}: Articles<Input>): Operation[] {
  const all = ALL[noun]
  const Noun = noun === 'post' ? 'Post' : 'Guide'
  const put = {
    200: writtenResponse(PutResult, 'Updated, or unchanged'),
    201: writtenResponse(PutResult, 'Created'),
  }
  const asItIsNow = { 200: writtenResponse(Publication, `The ${noun} as it is now`) }
  return [
    {
      route: `PUT ${all}`,
      operationId: `put${Noun}s`,
      summary: `Insert or update up to ${MAX_BULK} ${noun}s by slug, all or none`,
      description:
        'By position: `items` of the answer are in the order of the request. If one breaks a rule, none is written.',
      body: Many,
      responses: {
        200: writtenResponse(z.object({ items: z.array(PutResult) }), 'The result for each'),
        ...siteErrors,
        ...bodyErrors,
      },
    },
    {
      route: `PUT ${all}/:slug`,
      operationId: `put${Noun}`,
      summary: `Insert or update a ${noun}`,
      description: `Without \`status\` and \`publishedAt\` a ${noun} keeps those it has; every other field that is left out is cleared. A put without a change keeps \`updatedAt\`.`,
      body: One.register(z.globalRegistry, { id: `${Noun}Input` }),
      responses: { ...put, ...siteErrors, ...bodyErrors },
    },
    {
      route: `PUT ${all}/:slug/publication`,
      operationId: `publish${Noun}`,
      summary: `Publish a ${noun}`,
      description:
        'Changes nothing if it is published already. Without a `publishedAt` it gets the time of now.',
      responses: { ...asItIsNow, ...siteErrors, ...bodyErrors },
    },
    {
      route: `DELETE ${all}/:slug/publication`,
      operationId: `unpublish${Noun}`,
      summary: `Make a ${noun} a draft again`,
      description: 'Changes nothing if it is a draft already.',
      responses: { ...asItIsNow, ...siteErrors },
    },
    {
      route: `DELETE ${all}/:slug`,
      operationId: `delete${Noun}`,
      summary: `Delete a ${noun}`,
      description:
        noun === 'post'
          ? 'Its translations are then independent posts. The change feed tells that it was deleted.'
          : 'The change feed tells that it was deleted.',
      responses: { 204: deletedResponse, ...siteErrors },
    },
  ]
}
