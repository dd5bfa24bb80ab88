import { describe, expect } from 'vitest'
import * as z from 'zod/mini'
import { filterParams, pageParams } from '../../functions/http/list.ts'
import { fieldsParam, sortParam } from '../../functions/http/query.ts'
import { errorOf, it } from '../support/site.ts'

const QUERY = z.object({
  ...pageParams,
  ...filterParams('api', 'posts'),
  sort: sortParam,
  fields: fieldsParam,
})

const RULES: Record<string, { rule: string; broken: string[] }> = {
  page: {
    rule: 'must be an integer of at least 1',
    broken: [...'0 -1 1.5 1e3 one 0x1 +1 9007199254740993 ١'.split(' '), '', ' 1', '1'.repeat(400)],
  },
  pageSize: {
    rule: 'must be an integer from 1 to 50',
    broken: ['', ...'0 51 -1 12.0 many 999999999999 NaN Infinity'.split(' ')],
  },
  status: {
    rule: 'must be draft, published or all',
    broken: ['', 'Draft', 'ready', 'draft,published', 'toString'],
  },
  sort: {
    rule: 'must be updatedAt or publishedAt',
    broken: ['', ...'title publishedat -publishedAt updatedAt,publishedAt constructor'.split(' ')],
  },
  ready: { rule: 'must be true', broken: ['', 'false', 'True', '1', 'true,true'] },
  language: {
    rule: 'must consist of letters, digits and "-"',
    broken: ['en_US', 'e%', 'en ', 'é', '*', '\0', "en'--"],
  },
  updatedAfter: {
    rule: 'must be an RFC 3339 date-time with offset',
    // The rest are in test/src/core/time.test.ts.
    broken: ['', 'yesterday', '2026-11-21', '2026-11-21T10:00:00', '1795305600', '2026-11-21T10:00:00Z\0'],
  },
  search: { rule: 'must not contain NUL', broken: ['a\0b'] },
}

describe('a parameter of the list', () => {
  it.each(Object.entries(RULES))('%s is refused with its rule', (name, { rule, broken }) => {
    for (const value of broken) {
      const { error } = QUERY.safeParse({ [name]: value })
      expect(error?.issues, value).toMatchObject([{ path: [name], message: rule }])
    }
  })

  it.each([...Object.keys(RULES), 'fields'])('%s is refused when it is given twice', (name) => {
    const { error } = QUERY.safeParse({ [name]: ['1', '1'] })
    expect(error?.issues).toMatchObject([{ path: [name], message: 'must be given once' }])
  })
})

describe('400', () => {
  it('names every parameter that breaks its rule, and is not cached', async ({ site }) => {
    const response = await site.get(
      '/posts?page=0&pageSize=51&status=x&language=%25&updatedAfter=now&sort=a&sort=a',
    )
    expect([response.headers.get('Cache-Control'), response.headers.get('ETag')]).toEqual(['no-store', null])
    expect(await errorOf(response, 400)).toBe(
      'Invalid query parameter: page must be an integer of at least 1; pageSize must be an integer from 1 to 50; ' +
        'status must be draft, published or all; language must consist of letters, digits and "-"; ' +
        'sort must be given once; updatedAfter must be an RFC 3339 date-time with offset',
    )
  })
})

describe('never 500', () => {
  it('answers odd values and names of parameters with 200 or 400', async ({ site }) => {
    await site.put('a')
    const odd = [
      ...'%00 %FF % %zz %ED%A0%80 %F0%9F%99%82 \' " \\ %5C%25 [] {} $1 ;-- null -0 %E2%80%AE ..%2F %0A'.split(
        ' ',
      ),
      ...['9'.repeat(20), 'x'.repeat(5_000)],
    ]
    for (const value of odd) {
      for (const query of [`search=${value}`, `page=${value}&include=${value}&${value.slice(0, 9)}=1`]) {
        const { status } = await site.get(`/posts?${query}`)
        expect([200, 400], `${query}: ${status}`).toContain(status)
      }
    }
  })
})
