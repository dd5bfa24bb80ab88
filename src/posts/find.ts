/** The SQL that finds a list's page and total from indexes and counts, without reading the posts themselves. */
import { type asc, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { postCounts, posts, postTitles } from '../db/schema.ts'
import { foldCase, likeSubstring } from '../fold.ts'

export type ListInput = {
  page: number
  pageSize: number
  search: string | null
  status: 'draft' | 'published' | 'all'
  language: string | null
  updatedAfter: Date | null
}

/** Drizzle's `asc` or `desc`, applied to `updatedAt`. */
export type SortOrder = typeof asc

/**
 * Two CTEs: `total`, a single row, and `page`, the `updatedAt` of each post of the page. `updatedAt` is unique within a
 * site.
 */
export function findPosts(ctx: Context, site: { id: string }, input: ListInput, order: SortOrder) {
  const parts = input.search
    ? findByTitle(site, input, order)
    : input.language
      ? findByLanguage(site, input, order)
      : findAll(site, input, order)
  return {
    total: ctx.db.$with('found', { total: sql<number>`total`.as('total') }).as(parts.total),
    page: ctx.db.$with('page', { updatedAt: posts.updatedAt }).as(parts.page),
  }
}

type Parts = { total: SQL; page: SQL }

function findAll(site: { id: string }, input: ListInput, order: SortOrder): Parts {
  const where = sql`site_id = ${site.id}${statusFilter(input)}${updatedFilter(input)}`
  return {
    total: input.updatedAfter ? countRows(sql`${posts} where ${where}`) : sumCounts(site, input),
    page: sql`select updated_at from ${posts} where ${where} order by ${order(sql`updated_at`)} ${limitAndOffset(input)}`,
  }
}

/**
 * `post_counts` gives the languages that match the prefix, and each is read in index order: a language with twelve posts
 * among a million costs twelve index entries.
 */
function findByLanguage(site: { id: string }, input: ListInput, order: SortOrder): Parts {
  const groups = sql`(select distinct status, language_key from ${matchingCounts(site, input)}) c`
  const group = sql`${posts} p
    where p.site_id = ${site.id} and p.status = c.status and p.language_key = c.language_key${updatedFilter(input)}`
  const upToPage = sql`limit ${offsetOf(input) + input.pageSize}`
  return {
    total: input.updatedAfter
      ? sql`select coalesce(sum(n), 0)::integer as total from ${groups}, lateral (select count(*) as n from ${group}) l`
      : sumCounts(site, input),
    page: sql`select l.updated_at from ${groups},
      lateral (select p.updated_at from ${group} order by ${order(sql`p.updated_at`)} ${upToPage}) l
      order by ${order(sql`l.updated_at`)} ${limitAndOffset(input)}`,
  }
}

function findByTitle(site: { id: string }, input: ListInput, order: SortOrder): Parts {
  const pattern = likeSubstring(foldCase(input.search!))
  const filters = sql`${statusFilter(input)}${languageFilter(input)}${updatedFilter(input)}`
  const where = sql`site_id = ${site.id} and title_folded like ${pattern}${filters}`
  return {
    total: countRows(sql`${postTitles} where ${where}`),
    page: sql`select updated_at from ${postTitles} where ${where} order by ${order(sql`updated_at`)} ${limitAndOffset(input)}`,
  }
}

function sumCounts(site: { id: string }, input: ListInput): SQL {
  return sql`select coalesce(sum(posts), 0)::integer as total from ${matchingCounts(site, input)}`
}

function matchingCounts(site: { id: string }, input: ListInput): SQL {
  return sql`${postCounts} where site_id = ${site.id}${statusFilter(input)}${languageFilter(input)}`
}

function countRows(rows: SQL): SQL {
  return sql`select count(*)::integer as total from ${rows}`
}

function statusFilter({ status }: ListInput): SQL {
  return status === 'all' ? sql`` : sql` and status = ${status}`
}

function languageFilter({ language }: ListInput): SQL {
  return language ? sql` and language_key like ${`${language.toLowerCase()}%`}` : sql``
}

function updatedFilter({ updatedAfter }: ListInput): SQL {
  return updatedAfter ? sql` and updated_at > ${updatedAfter.toISOString()}::timestamptz` : sql``
}

function limitAndOffset(input: ListInput): SQL {
  return sql`limit ${input.pageSize} offset ${offsetOf(input)}`
}

function offsetOf({ page, pageSize }: ListInput): number {
  return Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER - pageSize)
}
