import { getTableColumns } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { apiFormat, apiNames, type FieldTable } from '../../../src/content/articles/field-table.ts'
import { POST_FIELDS } from '../../../src/content/posts/fields.ts'
import { posts } from '../../../src/db/schema.ts'

describe('the fingerprint of an answer’s format', () => {
  const { column } = POST_FIELDS.language
  const table = (shape: z.core.$ZodType, api?: 'shown'): FieldTable => ({
    title: POST_FIELDS.title,
    subtitle: { column, shape, ...(api && { api }) },
  })
  const text = z.nullable(z.string())
  const before = apiFormat(table(text))

  it('changes with a new field, or a field of another type', () => {
    const forms = [before, apiFormat(table(text, 'shown')), apiFormat(table(z.string(), 'shown'))]
    expect(new Set(forms).size).toBe(3)
  })

  it('does not change with a field that the API does not show', () => {
    expect(apiFormat({ title: POST_FIELDS.title })).toBe(before)
  })
})

describe('the API shows', () => {
  it('no column except those that the table marks as shown', () => {
    const hidden = Object.keys(getTableColumns(posts)).filter(
      (name) => !apiNames(POST_FIELDS).all.includes(name),
    )
    expect(hidden).toEqual(
      expect.arrayContaining(
        'siteId trustScore readyAt readyBy publishAt changeRequest schemaArticle urlTemplate createdAt'.split(
          ' ',
        ),
      ),
    )
  })
})
