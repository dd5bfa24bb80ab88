/** Routes that posts and guides share. */

import { zValidator } from '@hono/zod-validator'
import type { Hono } from 'hono'
import * as z from 'zod/mini'
import type { ArticleInput, Kind } from '../../src/content/articles/kind.ts'
import { type Put, PutResult } from '../../src/content/articles/put.ts'
import { NewSlug } from '../../src/content/articles/shared-fields.ts'
import { getStored, listStored } from '../../src/content/articles/stored.ts'
import {
  deleteArticle,
  EventsNotSent,
  Publication,
  renameArticle,
  type StateOptions,
  setArticleStatus,
} from '../../src/content/articles/transitions.ts'
import { MAX_ARTICLES } from '../../src/core/limits.ts'
import type { Operation } from '../http/document.ts'
import { createApp, type Env, type Http } from '../http/env.ts'
import { filterParams, filtersIn } from '../http/list.ts'
import { oneOfParam } from '../http/query.ts'
import { errorResponse, invalidQueryResponse, jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import {
  bodyErrors,
  deletedResponse,
  JSON_HEADERS,
  pageResponse,
  siteErrors,
  writtenResponse,
} from './responses.ts'
import { NoQuery, PageQuery, paging, siteOf, slugParam } from './route.ts'

export type Articles<Input extends ArticleInput> = {
  kind: Kind
  Input: z.ZodMiniType<Input>
  put: Put<Input>
}

/** A single put has the slug in its path. */
const oneOf = <Input extends ArticleInput>({ Input }: Articles<Input>) =>
  z.partial(Input as never, { slug: true }) as z.ZodMiniType<Omit<Input, 'slug'> & { slug?: string }>

function manyOf<Input extends ArticleInput>({ kind: { noun }, Input }: Articles<Input>) {
  const inputs = z.array(Input).check(z.minLength(1), z.maxLength(MAX_ARTICLES))
  const ids = z.optional(z.array(z.uuid()))
  return z.strictObject({ [`${noun}s`]: inputs, ids }).check(({ value, issues }) => {
    if (!value.ids || value.ids.length === value[`${noun}s`]!.length) return
    const message = `must have as many items as \`${noun}s\``
    issues.push({ code: 'custom', input: value.ids, path: ['ids'], message })
  })
}

const listQuery = ({ noun }: Kind) => z.extend(PageQuery, filterParams('management', `${noun}s`))

/** For imports and other bulk work. Guides have no events. */
const EventsQuery = z.strictObject({
  events: oneOfParam(['none'], {
    description: 'Skips the optional events and returns how many were skipped as `eventsNotSent`',
  }),
})

const withEventsNotSent = <Shape extends z.core.$ZodLooseShape>(schema: z.ZodMiniObject<Shape>) =>
  z.extend(schema, z.partial(EventsNotSent).shape)

const Renaming = z.strictObject({ slug: NewSlug })

const pathOf = ({ noun }: Kind) => `/sites/:siteId/${noun}s` as const

export function articleRoutes<Input extends ArticleInput>(articles: Articles<Input>): Hono<Env> {
  const { kind, put } = articles
  const all = pathOf(kind)
  const app = createApp()

  app.get(all, zValidator('query', listQuery(kind), refuseInvalid), async (c) => {
    const query = c.req.valid('query')
    const input = { ...paging(query), ...filtersIn('management', `${kind.noun}s`, query) }
    const { items, next } = await listStored(c.get('ctx'), await siteOf(c), kind, input)
    return c.body(`{"items":[${items.join()}],"next":${JSON.stringify(next)}}`, 200, JSON_HEADERS)
  })

  app.get(`${all}/:slug`, async (c) =>
    c.body(await getStored(c.get('ctx'), await siteOf(c), kind, c.req.param('slug')), 200, JSON_HEADERS),
  )

  const query = zValidator('query', EventsQuery, refuseInvalid)

  app.put(all, query, zValidator('json', manyOf(articles), refuseInvalid), async (c) => {
    const { ids, [`${kind.noun}s`]: inputs } = c.req.valid('json')
    const { events } = c.req.valid('query')
    const options = { ids: ids as string[] | undefined, events }
    const { items, eventsNotSent } = await put(c.get('ctx'), await siteOf(c), inputs as Input[], options)
    return c.json({ items, ...(events && { eventsNotSent }) })
  })

  app.put(`${all}/:slug`, query, zValidator('json', oneOf(articles), refuseInvalid), async (c) => {
    const body = c.req.valid('json')
    const { events } = c.req.valid('query')
    const input = { ...body, slug: slugParam(c, body.slug) } as Input
    const options = { where: () => '', events }
    const { items, eventsNotSent } = await put(c.get('ctx'), await siteOf(c), [input], options)
    const [result] = items
    return c.json({ ...result!, ...(events && { eventsNotSent }) }, result!.outcome === 'created' ? 201 : 200)
  })

  const setStatus = async (c: Http, status: 'draft' | 'published', options: StateOptions) =>
    c.json(await setArticleStatus(c.get('ctx'), kind, await siteOf(c), c.req.param('slug')!, status, options))

  app.put(`${all}/:slug/publication`, query, (c) => setStatus(c, 'published', c.req.valid('query')))

  app.delete(`${all}/:slug/publication`, query, (c) => setStatus(c, 'draft', c.req.valid('query')))

  const renaming = zValidator('json', Renaming, refuseInvalid)
  app.put(`${all}/:slug/slug`, zValidator('query', NoQuery, refuseInvalid), renaming, async (c) => {
    const { slug } = c.req.valid('json')
    return c.json(await renameArticle(c.get('ctx'), kind, await siteOf(c), c.req.param('slug'), slug))
  })

  app.delete(`${all}/:slug`, query, async (c) => {
    const options = c.req.valid('query')
    const notSent = await deleteArticle(c.get('ctx'), kind, await siteOf(c), c.req.param('slug'), options)
    return options.events ? c.json(notSent, 200) : c.body(null, 204)
  })

  return app
}

/** `shapes` are the schemas of a list item and of one article. */
export function articleOperations<Input extends ArticleInput>(
  articles: Articles<Input>,
  shapes: { Listed: z.core.$ZodType; Stored: z.core.$ZodType },
): Operation[] {
  const { kind } = articles
  const { noun } = kind
  const all = pathOf(kind)
  const Noun = noun === 'post' ? 'Post' : 'Guide'
  const put = {
    200: writtenResponse(withEventsNotSent(PutResult), 'Updated or unchanged'),
    201: writtenResponse(withEventsNotSent(PutResult), 'Created'),
  }
  const written = { 200: writtenResponse(Publication, `The updated ${noun}`) }
  const published = { 200: writtenResponse(withEventsNotSent(Publication), `The updated ${noun}`) }
  return [
    {
      route: `GET ${all}`,
      operationId: `list${Noun}s`,
      summary: `List ${noun}s without bodies, newest update first`,
      description: `Includes drafts. A ${noun} that is edited while you page through the list moves to the front, so you can miss it. To miss none, use \`listChanges\`.`,
      query: listQuery(kind),
      responses: {
        200: pageResponse(shapes.Listed, `A page of ${noun}s`),
        ...siteErrors,
      },
    },
    {
      route: `GET ${all}/:slug`,
      operationId: `get${Noun}`,
      summary: `Get a ${noun}, draft or published`,
      description: `You can send \`${noun}\` as the body of \`put${Noun}\` to write the same ${noun} again.`,
      responses: { 200: jsonResponse(shapes.Stored, `The ${noun}`), ...siteErrors },
    },
    {
      route: `PUT ${all}`,
      operationId: `put${Noun}s`,
      summary: `Create or update up to ${MAX_ARTICLES} ${noun}s`,
      description: `Matches ${noun}s by slug. If one ${noun} breaks a rule, none is written. \`items\` of the response are in the order of the request. \`ids\` sets the ids of new ${noun}s, one for each ${noun} in the same order. Existing ${noun}s keep their ids. Only operators with access to all sites may send \`ids\`.`,
      query: EventsQuery,
      body: manyOf(articles),
      responses: {
        200: writtenResponse(
          withEventsNotSent(z.object({ items: z.array(PutResult) })),
          'One result per input, in the same order',
        ),
        ...siteErrors,
        ...bodyErrors,
      },
    },
    {
      route: `PUT ${all}/:slug`,
      operationId: `put${Noun}`,
      summary: `Create or update a ${noun}`,
      description: `Fields that you leave out are cleared, except \`status\`, \`publishedAt\`, \`originId\` and \`originSlug\`, which keep their values.${noun === 'post' ? ' `trustScore` is also kept if `qualityBand` stays the same.' : ''} If nothing changes, \`updatedAt\` stays the same.`,
      query: EventsQuery,
      body: oneOf(articles).register(z.globalRegistry, { id: `${Noun}Input` }),
      responses: { ...put, ...siteErrors, ...bodyErrors },
    },
    {
      route: `PUT ${all}/:slug/publication`,
      operationId: `publish${Noun}`,
      summary: `Publish a ${noun}`,
      description: `Changes nothing if the ${noun} is already published. Sets \`publishedAt\` to the current time if it is null.`,
      query: EventsQuery,
      responses: { ...published, ...siteErrors, ...bodyErrors },
    },
    {
      route: `DELETE ${all}/:slug/publication`,
      operationId: `unpublish${Noun}`,
      summary: `Unpublish a ${noun}`,
      description: `The ${noun} becomes a draft again. If it is already a draft, ${noun === 'post' ? 'only its schedule is cancelled' : 'nothing changes'}.`,
      query: EventsQuery,
      responses: { ...published, ...siteErrors, ...invalidQueryResponse },
    },
    {
      route: `PUT ${all}/:slug/slug`,
      operationId: `rename${Noun}`,
      summary: `Change the slug of a ${noun}`,
      description: `The change feed lists the old slug as deleted, and a redirect leads from it to the new one. Changes nothing if the ${noun} already has this slug.`,
      body: Renaming,
      responses: {
        ...written,
        ...siteErrors,
        ...bodyErrors,
        409: errorResponse(`Another ${noun} has this slug`),
      },
    },
    {
      route: `DELETE ${all}/:slug`,
      operationId: `delete${Noun}`,
      summary: `Delete a ${noun}`,
      description:
        noun === 'post'
          ? 'Its translations become independent posts. The change feed lists it as deleted.'
          : 'The change feed lists it as deleted.',
      query: EventsQuery,
      responses: {
        200: writtenResponse(EventsNotSent, 'Done, with `events=none`'),
        204: deletedResponse,
        ...siteErrors,
        ...invalidQueryResponse,
      },
    },
  ]
}
