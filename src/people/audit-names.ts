/** Names for the sentence of an audit log entry, read in the statement of its page. Never the name of a site or person out of reach. */
import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { ofReachableSites } from '../db/reachable-sites.ts'

/** Bounds the search for the name of a deleted resource. Its last entry usually has it. */
const MAX_READ = 20

export type AuditNames = {
  /** The kind of `target`, such as `post` for a post's preview link. */
  noun: string
  /** The slug of a post or guide, otherwise an id, to link to. Null once it is deleted. */
  target: string | null
  /** Null once it is deleted. */
  actorTarget: 'operator' | 'key' | null
  /** The name of the API key that wrote the entry. */
  key: string | null
  /** The title of the post or guide: of the subject, or of a redirect's target. */
  article: string | null
  /** The person that a token or sign-in link is for. */
  person: string | null
  /** The site's name, also once it is deleted. */
  site: string | null
  /** The name or URL of the webhook that a test or resent event was for. Null for a resend to all webhooks. */
  url: string | null
  /** By action: the slug or name of one of the changeset's entries. */
  subjects: Record<string, string>
  /** By id: sites that a person is limited to, and the site of a refused path. */
  sites: Record<string, string>
}

/** A column of a query whose row is `page`. */
export function selectNames(ctx: Context): SQL {
  const isVisiblePerson = (id: SQL) => (ctx.actor?.sites ? sql`${id} = ${ctx.actor.id}` : sql`true`)
  const siteName = (id: SQL) => sql`(
    select coalesce((select name from sites where id = ${id}), ${lastName('site', id, id)})
    where ${ofReachableSites(ctx, id) ?? sql`true`})`
  return sql`(
    select jsonb_build_object(
      'noun', coalesce(article.kind, noun),
      'target', case
        when article.slug is not null then article.slug
        when noun = 'key' then (select id::text from api_keys where id = page.resource_id and site_id = page.site_id)
        when noun = 'webhook' then (
          select id::text from webhook_endpoints where id = page.resource_id and site_id = page.site_id)
        when noun in ('operator', 'token', 'link') then (
          select id::text from operators where id = page.resource_id and ${isVisiblePerson(sql`id`)})
      end,
      'actorTarget', case
        when exists (select from operators where id = page.actor_id and ${isVisiblePerson(sql`id`)}) then 'operator'
        when key.name is not null then 'key'
      end,
      'key', key.name,
      'article', coalesce(article.title, ${lastName('post', sql`article_id`)}, ${lastName('guide', sql`article_id`)}),
      'person', case when noun in ('token', 'link') and ${isVisiblePerson(sql`page.resource_id`)} then coalesce(
        (select name from operators where id = page.resource_id), ${lastName('operator', sql`page.resource_id`, sql`null`)}) end,
      'site', case when page.site_id is not null then ${siteName(sql`page.site_id`)} end,
      'subjects', subjects,
      'url', (
        select coalesce(w.name, split_part(w.url, '?', 1)) from webhook_endpoints w where w.site_id = page.site_id and w.id = case
          when page.action in ('webhook.tested', 'event.resent') then (
            select endpoint_id from webhook_events where id = page.resource_id and site_id = page.site_id)
          when starts_with(page.action, 'event.resend_') then (
            select endpoint_id from webhook_resends where id = page.resource_id and site_id = page.site_id)
        end),
      'sites', (
        select coalesce(jsonb_object_agg(named.id, named.name) filter (where named.name is not null), '{}')
        from (select m.id, ${siteName(sql`m.id`)} as name from (${mentionedSites}) m) named)
    )
    from (select split_part(page.action, '.', 1) as noun, ${articleId} as article_id) about
    left join lateral (
      select 'post' as kind, slug, title from posts where id = article_id and site_id = page.site_id
      union all select 'guide', slug, title from guides where id = article_id and site_id = page.site_id limit 1
    ) article on true
    left join api_keys key on key.id = page.actor_id and key.site_id = page.site_id
  )`
}

/** The newest name in the log, such as the title of a deleted post. Ids are unique over all sites, so it names the site, too. */
const lastName = (noun: string, id: SQL, siteId = sql`page.site_id`) => sql`(
  select title from (
    select title, action from audit_log where resource_id = ${id} and site_id is not distinct from ${siteId}
    order by at desc, id desc limit ${MAX_READ}
  ) last where title is not null and starts_with(action, ${`${noun}.`}) limit 1)`

const field = (name: string) => sql`(coalesce(page.after, page.before) ->> ${name})::uuid`

const articleId = sql`case split_part(page.action, '.', 1)
  when 'post' then page.resource_id
  when 'guide' then page.resource_id
  when 'redirect' then ${field('resource_id')}
  when 'event' then (select resource_id from webhook_events where id = page.resource_id and site_id = page.site_id)
  when 'preview_link' then coalesce(
    ${field('post_id')},
    (select post_id from preview_links where id = page.resource_id and site_id = page.site_id),
    (select (after ->> 'post_id')::uuid from audit_log
      where resource_id = page.resource_id and action = 'preview_link.created' and site_id = page.site_id limit 1))
end`

const UUID_IN_PATH = '/sites/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})'

const mentionedSites = sql`
  select value::uuid as id from (values (page.before), (page.after)) fields (columns)
    cross join jsonb_array_elements_text(case when starts_with(page.action, 'operator.') then columns -> 'sites' end)
  union select substring(page.subject from ${UUID_IN_PATH})::uuid where page.action = 'operator.refused'`
