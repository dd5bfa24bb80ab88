/** A site's webhook endpoints. The first one has the site's id. */
import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { optionalEvents } from '../core/enums.ts'
import { AppError } from '../core/errors.ts'
import { wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { encrypt } from '../crypto/encryption.ts'
import { webhookEndpoints, webhookStreaks } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { Name } from '../people/name.ts'
import { visibleWebhookUrl } from '../people/webhook-url.ts'
import { validateWebhookUrl } from './address.ts'
import { generateSecret } from './secret.ts'

/** Including the first one. */
export const MAX_WEBHOOKS = 5
/** How long the previous secret still signs after a rotation. */
const ROTATION_OVERLAP = '24 hours'

type Site = { id: string }

export type EndpointRow = typeof webhookEndpoints.$inferSelect

const EventsInput = z
  .array(z.enum(optionalEvents))
  .check(
    z.maxLength(optionalEvents.length),
    z.describe('Events that are sent in addition to `article.ready`'),
  )

const MAX_NAME_LENGTH = 60

const NameInput = z
  .nullable(Name.check(z.maxLength(MAX_NAME_LENGTH)))
  .check(z.describe('Shown in the console and in alerts. Null for the host of the URL'))

export const EndpointInput = z.strictObject({
  name: z.optional(NameInput),
  url: z.string(),
  events: z.optional(EventsInput),
})

export const EndpointChange = z.partial(EndpointInput)

export const Endpoint = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      name: z.string().check(z.describe('The host of the URL if no name was given')),
      url: z.string().check(z.describe('Viewers see only the host, because the URL is a credential')),
      events: z
        .array(z.enum(optionalEvents))
        .check(z.describe('Events that are sent in addition to `article.ready`')),
      createdAt: z.iso.datetime(),
      updatedAt: z.iso.datetime(),
      secretRotatedAt: z.iso.datetime(),
      previousSecretExpiresAt: z.nullable(z.iso.datetime()),
    })
    .register(z.globalRegistry, { id: 'WebhookEndpoint' }),
)

export const ListedEndpoint = /* @__PURE__ */ responseSchema(() =>
  z
    .extend(Endpoint, { id: z.uuid().check(z.describe("The site's id for the first webhook")) })
    .register(z.globalRegistry, { id: 'ListedWebhookEndpoint' }),
)

export type ListedEndpoint = z.infer<typeof ListedEndpoint>

/**
 * Creates or updates the first endpoint. `secret` is null unless it is new.
 *
 * @throws AppError invalid_body with the rule that the URL breaks; with `onlyNew` changed_meanwhile if it exists
 */
export async function setWebhook(
  ctx: Context,
  site: Site,
  input: z.infer<typeof EndpointInput>,
  { onlyNew = false } = {},
) {
  requireRole(ctx, 'admin')
  const { name, url, events } = changesOf(ctx, input)
  const secret = generateSecret()
  const insertion = ctx.db
    .insert(webhookEndpoints)
    .values({
      id: site.id,
      siteId: site.id,
      name,
      url: url!,
      events,
      secret: await encrypt(ctx.config, site.id, secret),
    })
    .onConflictDoUpdate({
      target: webhookEndpoints.id,
      set: { name, url, events, updatedAt: touchedIfChanged({ name, url, events }) },
      setWhere: onlyNew ? sql`false` : undefined,
    })
    .returning({ ...getTableColumns(webhookEndpoints), created: sql<boolean>`xmax = 0` })
  const [[row]] = await writeAs(ctx, [insertion])
  if (!row) throw new AppError('changed_meanwhile')
  return { ...toListed(row), secret: row.created ? secret : null }
}

/** @throws AppError invalid_body; too_many_webhooks */
export async function addWebhook(ctx: Context, site: Site, input: z.infer<typeof EndpointInput>) {
  requireRole(ctx, 'admin')
  const { name, url, events } = changesOf(ctx, input)
  const [id, secret] = [crypto.randomUUID(), generateSecret()]
  const insertion = ctx.db.execute(sql`
    insert into ${webhookEndpoints} (id, site_id, name, url, events, secret)
    select ${id}::uuid, ${site.id}::uuid, ${name ?? null}, ${url}, ${eventsParam(events)}, ${await encrypt(ctx.config, id, secret)}
    where (select count(*) from ${webhookEndpoints} where site_id = ${site.id} and id <> site_id) < ${MAX_WEBHOOKS - 1}`)
  const statements = [insertion, selectEndpoint(ctx, site, id)] as const
  const [, [row]] = await writeAs(ctx, statements, { lock: site.id })
  if (!row) throw new AppError('too_many_webhooks')
  return { ...toListed(row), secret }
}

/** @throws AppError invalid_body; webhook_not_found; changed_meanwhile if its name, URL and events differ from `current` */
export async function changeWebhook(
  ctx: Context,
  site: Site,
  id: string,
  input: z.infer<typeof EndpointChange>,
  current?: Pick<ListedEndpoint, 'name' | 'url' | 'events'>,
): Promise<ListedEndpoint> {
  requireRole(ctx, 'admin')
  const changes = changesOf(ctx, input)
  const change = ctx.db
    .update(webhookEndpoints)
    .set({ ...changes, updatedAt: touchedIfChanged(changes) })
    .where(and(isEndpoint(site, id), current && isAsListed(current)))
    .returning()
  const [[row]] = await writeAs(ctx, [change])
  if (!row) throw new AppError(current ? 'changed_meanwhile' : 'webhook_not_found')
  return toListed(row)
}

/** @throws AppError webhook_not_found */
export async function getWebhook(ctx: Context, site: Site, id = site.id): Promise<ListedEndpoint> {
  const endpoint = await findWebhook(ctx, site, id)
  if (!endpoint) throw new AppError('webhook_not_found')
  return endpoint
}

export async function findWebhook(ctx: Context, site: Site, id = site.id): Promise<ListedEndpoint | null> {
  const [row] = await selectEndpoint(ctx, site, id)
  return row ? visible(ctx, toListed(row)) : null
}

/** The first one first, the others by age. */
export async function listWebhooks(ctx: Context, site: Site): Promise<ListedEndpoint[]> {
  return toEndpoints(ctx, site, await selectEndpoints(ctx, sql`${site.id}`))
}

/** Query for a batch. `toEndpoints` reads its rows. `siteId` is an SQL expression. */
export function selectEndpoints({ db }: Context, siteId: SQL) {
  return db.select().from(webhookEndpoints).where(sql`${webhookEndpoints.siteId} = ${siteId}`)
}

const selectEndpoint = ({ db }: Context, site: Site, id: string) =>
  db.select().from(webhookEndpoints).where(isEndpoint(site, id))

/**
 * With `rotatedAt`, refuses if there was a rotation since: a second one would discard the secret that receivers have.
 *
 * @throws AppError webhook_not_found; secret_rotated
 */
export async function rotateWebhookSecret(
  ctx: Context,
  site: Site,
  { id = site.id, rotatedAt }: { id?: string; rotatedAt?: Date } = {},
) {
  requireRole(ctx, 'admin')
  const secret = generateSecret()
  const rotation = ctx.db
    .update(webhookEndpoints)
    .set({
      secret: await encrypt(ctx.config, id, secret),
      previousSecret: sql`${webhookEndpoints.secret}`,
      previousSecretExpiresAt: sql`now() + ${ROTATION_OVERLAP}::interval`,
      secretRotatedAt: sql`now()`,
    })
    .where(and(isEndpoint(site, id), rotatedAt && eq(webhookEndpoints.secretRotatedAt, rotatedAt)))
    .returning()
  const [[row]] = await writeAs(ctx, [rotation])
  if (!row && rotatedAt && (await findWebhook(ctx, site, id))) throw new AppError('secret_rotated')
  if (!row) throw new AppError('webhook_not_found')
  return { ...toListed(row), secret }
}

/** @throws AppError webhook_not_found */
export async function deleteWebhook(ctx: Context, site: Site, id = site.id): Promise<void> {
  requireRole(ctx, 'admin')
  const removal = ctx.db
    .delete(webhookEndpoints)
    .where(isEndpoint(site, id))
    .returning({ id: webhookEndpoints.id })
  // A webhook that is created again starts a new streak.
  const forgetting = ctx.db
    .delete(webhookStreaks)
    .where(and(eq(webhookStreaks.siteId, site.id), eq(webhookStreaks.endpointId, id)))
  const [removed] = await writeAs(ctx, [removal, forgetting])
  if (removed.length === 0) throw new AppError('webhook_not_found')
}

const isEndpoint = (site: Site, id: string) =>
  and(eq(webhookEndpoints.siteId, site.id), eq(webhookEndpoints.id, id))

/** Undefined for a field that is left out. An empty list of events is stored as null. */
function changesOf(ctx: Context, { name, url, events }: z.infer<typeof EndpointChange>) {
  const problem =
    url === undefined ? null : validateWebhookUrl(url, { allowLoopback: ctx.config.ALLOW_LOOPBACK_WEBHOOKS })
  if (problem) throw new AppError('invalid_body', { path: 'url', message: problem })
  // Stored as `new URL` parses it, because other tools may parse the original spelling differently.
  return toStored({ name, url: url === undefined ? undefined : new URL(url).href, events })
}

function toStored({ events, ...change }: z.infer<typeof EndpointChange>) {
  const chosen = events && optionalEvents.filter((event) => events.includes(event))
  return { ...change, events: chosen?.length === 0 ? null : chosen }
}

type Changes = ReturnType<typeof changesOf>

const eventsParam = (events: Changes['events']) =>
  sql`${sql.param(events ?? null, webhookEndpoints.events)}::text[]`

const isSame = ({ name, url, events }: Changes) =>
  and(
    name === undefined ? sql`true` : sql`${webhookEndpoints.name} is not distinct from ${name}`,
    url === undefined ? sql`true` : eq(webhookEndpoints.url, url),
    events === undefined
      ? sql`true`
      : sql`${webhookEndpoints.events} is not distinct from ${eventsParam(events)}`,
  )

/** A listed name is never null. */
const isAsListed = ({ name, url, events }: Pick<ListedEndpoint, 'name' | 'url' | 'events'>) =>
  and(
    isSame(toStored({ url, events })),
    sql`coalesce(${webhookEndpoints.name}, ${webhookHost(url)}) = ${name}`,
  )

const touchedIfChanged = (changes: Changes) =>
  sql`case when ${isSame(changes)} then ${webhookEndpoints.updatedAt} else now() end`

export function toEndpoints(ctx: Pick<Context, 'actor'>, site: Site, rows: EndpointRow[]): ListedEndpoint[] {
  return inListOrder(site, rows).map((row) => visible(ctx, toListed(row)))
}

const visible = (ctx: Pick<Context, 'actor'>, endpoint: ListedEndpoint): ListedEndpoint => ({
  ...endpoint,
  url: visibleWebhookUrl(ctx, endpoint.url),
})

function inListOrder(site: Site, rows: EndpointRow[]): EndpointRow[] {
  const age = ({ id, createdAt }: EndpointRow) => (id === site.id ? 0 : createdAt.getTime())
  return rows.toSorted((a, b) => age(a) - age(b) || (a.id < b.id ? -1 : 1))
}

function toListed(row: EndpointRow): ListedEndpoint {
  return {
    id: row.id,
    name: row.name ?? webhookHost(row.url),
    url: row.url,
    events: optionalEvents.filter((event) => row.events?.includes(event)),
    createdAt: wireTime(row.createdAt),
    updatedAt: wireTime(row.updatedAt),
    secretRotatedAt: wireTime(row.secretRotatedAt),
    previousSecretExpiresAt: wireTime(row.previousSecretExpiresAt),
  }
}

/** Only the host: the path or query may hold a secret of the receiver. */
export function webhookHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url || 'nowhere'
}
