/** Which posts a list shows, and how many there are: found in indexes and counts, without a look at a post. */
import { type asc, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { postCounts, posts, postTitles } from '../db/schema.ts'
import { fold, likeSubstring } from '../fold.ts'

export type ListInput = {
  page: number
  pageSize: number
  search: string | null
  status: 'draft' | 'published' | 'all'
  language: string | null
  updatedAfter: Date | null
}

/** Drizzle's `asc` or `desc`, of `updatedAt`. */
export type SortOrder = typeof asc

/**
 * Two parts of a statement: `total`, one row, and `page`, the `updatedAt` of each post of the page, which is a key
 * within the site.
 */
export function findPosts(ctx: Context, site: { id: string }, input: ListInput, order: SortOrder) {
  const parts = input.search
    ? searched(site, input, order)
    : input.language
      ? ofLanguages(site, input, order)
      : ofAll(site, input, order)
  return {
    total: ctx.db.$with('found', { total: sql<number>`total`.as('total') }).as(parts.total),
    page: ctx.db.$with('page', { updatedAt: posts.updatedAt }).as(parts.page),
  }
}

type Parts = { total: SQL; page: SQL }

function ofAll(site: { id: string }, input: ListInput, order: SortOrder): Parts {
  const where = sql`site_id = ${site.id}${ofStatus(input)}${after(input)}`
  return {
    total: input.updatedAfter ? counting(sql`${posts} where ${where}`) : sumOfCounts(site, input),
    page: sql`select updated_at from ${posts} where ${where} order by ${order(sql`updated_at`)} ${window(input)}`,
  }
}

/**
 * The counts say which languages a prefix stands for. Each is read in the order of its own index: a language of twelve
 * posts among a million costs twelve.
 */
function ofLanguages(site: { id: string }, input: ListInput, order: SortOrder): Parts {
  const groups = sql`(select distinct status, language_key from ${countsOf(site, input)}) c`
  const group = sql`${posts} p
    where p.site_id = ${site.id} and p.status = c.status and p.language_key = c.language_key${after(input)}`
  const furthest = sql`limit ${skipped(input) + input.pageSize}`
  return {
    total: input.updatedAfter
      ? sql`select coalesce(sum(n), 0)::integer as total from ${groups}, lateral (select count(*) as n from ${group}) l`
      : sumOfCounts(site, input),
    page: sql`select l.updated_at from ${groups},
      lateral (select p.updated_at from ${group} order by ${order(sql`p.updated_at`)} ${furthest}) l
      order by ${order(sql`l.updated_at`)} ${window(input)}`,
  }
}

function searched(site: { id: string }, input: ListInput, order: SortOrder): Parts {
  const pattern = likeSubstring(fold(input.search!))
  const where = sql`site_id = ${site.id} and title_folded like ${pattern}${ofStatus(input)}${ofPrefix(input)}${after(input)}`
  return {
    total: counting(sql`${postTitles} where ${where}`),
    page: sql`select updated_at from ${postTitles} where ${where} order by ${order(sql`updated_at`)} ${window(input)}`,
  }
}

function sumOfCounts(site: { id: string }, input: ListInput): SQL {
  return sql`select coalesce(sum(posts), 0)::integer as total from ${countsOf(site, input)}`
}

function countsOf(site: { id: string }, input: ListInput): SQL {
  return sql`${postCounts} where site_id = ${site.id}${ofStatus(input)}${ofPrefix(input)}`
}

function counting(rows: SQL): SQL {
  return sql`select count(*)::integer as total from ${rows}`
}

function ofStatus({ status }: ListInput): SQL {
  return status === 'all' ? sql`` : sql` and status = ${status}`
}

function ofPrefix({ language }: ListInput): SQL {
  return language ? sql` and language_key like ${`${language.toLowerCase()}%`}` : sql``
}

function after({ updatedAfter }: ListInput): SQL {
  return updatedAfter ? sql` and updated_at > ${updatedAfter.toISOString()}::timestamptz` : sql``
}

function window(input: ListInput): SQL {
  return sql`limit ${input.pageSize} offset ${skipped(input)}`
}

function skipped({ page, pageSize }: ListInput): number {
  return Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER - pageSize)
}
