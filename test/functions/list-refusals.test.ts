import { describe, expect, it } from 'vitest'
import { errorOf, makeSite } from '../support/site.ts'

const RULES: Record<string, { rule: string; broken: string[] }> = {
  page: {
    rule: 'must be an integer of at least 1',
    broken: [
      '0',
      '-1',
      '1.5',
      '1e3',
      'one',
      '',
      '%201',
      '0x1',
      '%2B1',
      '9007199254740993',
      '1'.repeat(400),
      '١',
    ],
  },
  pageSize: {
    rule: 'must be an integer from 1 to 50',
    broken: ['0', '51', '-1', '12.0', 'many', '', '999999999999', 'NaN', 'Infinity'],
  },
  status: {
    rule: 'must be draft, published or all',
    broken: ['', 'Draft', 'ready', 'draft,published', 'toString'],
  },
  sort: {
    rule: 'must be updatedAt or publishedAt',
    broken: ['', 'title', 'publishedat', '-publishedAt', 'updatedAt,publishedAt', 'constructor'],
  },
  ready: { rule: 'must be true', broken: ['', 'false', 'True', '1', 'true,true'] },
  language: {
    rule: 'must consist of letters, digits and "-"',
    broken: ['en_US', 'e%25', 'en%20', 'é', '*', '%00', "en'--"],
  },
  updatedAfter: {
    rule: 'must be an RFC 3339 date-time with offset',
    broken: [
      ...[
        '',
        'yesterday',
        '2026-11-21',
        '2026-11-21T10:00:00',
        '2026-11-21T10:00Z',
        '2026-11-21%2010:00:00Z',
      ],
      ...['2026-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-11-21T24:00:00Z', '2026-11-21T10:60:00Z'],
      ...['2026-11-21T10:00:61Z', '2026-11-21T10:00:00%2B24:00', '2026-11-21T10:00:00.Z', '1795305600'],
      ...[
        '0000-01-01T00:00:00Z',
        '%2B12026-11-21T10:00:00Z',
        '2026-11-21T10:00:00Z%00',
        '0001-01-01T00:00:00%2B01:00',
      ],
    ],
  },
  search: { rule: 'must not contain NUL', broken: ['a%00b'] },
}

describe('400', () => {
  it.each(Object.entries(RULES))('names %s and its rule', async (name, { rule, broken }) => {
    const site = await makeSite()
    for (const value of broken) {
      const response = await site.get(`/posts?${name}=${value}`)
      expect(await errorOf(response, 400), value).toBe(`Invalid query parameter: ${name} ${rule}`)
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      expect(response.headers.get('ETag')).toBeNull()
    }
  })

  it('names every parameter that breaks its rule', async () => {
    const site = await makeSite()
    const response = await site.get('/posts?page=0&pageSize=51&status=x&language=%25&updatedAfter=now')
    expect(await errorOf(response, 400)).toBe(
      'Invalid query parameter: page must be an integer of at least 1; pageSize must be an integer from 1 to 50; ' +
        'status must be draft, published or all; language must consist of letters, digits and "-"; ' +
        'updatedAfter must be an RFC 3339 date-time with offset',
    )
  })

  it.each(['page', 'pageSize', 'search', 'status', 'language', 'updatedAfter', 'sort', 'fields'])(
    'refuses %s given twice, even with the same value',
    async (name) => {
      const site = await makeSite()
      const value =
        { page: '1', pageSize: '1', status: 'all', updatedAfter: '2026-11-21T00:00:00Z' }[name] ?? 'en'
      const response = await site.get(`/posts?${name}=${value}&${name}=${value}`)
      expect(await errorOf(response, 400)).toBe(`Invalid query parameter: ${name} must be given once`)
    },
  )
})

describe('never 500', () => {
  it('answers every odd value of every parameter with 200 or 400', async () => {
    const site = await makeSite()
    await site.put('a')
    const odd = [
      ...[
        '%00',
        '%FF',
        '%',
        '%zz',
        '%ED%A0%80',
        '%F0%9F%99%82',
        "'",
        '"',
        '\\',
        '%5C%25',
        '[]',
        '{}',
        '$1',
        ';--',
      ],
      ...['null', 'undefined', '-0', '99999999999999999999', 'x'.repeat(5_000), '%E2%80%AE', '..%2F', '%0A'],
    ]
    for (const name of [...Object.keys(RULES), 'fields', 'include', 'page%00', '%FF', 'page[]']) {
      for (const value of odd) {
        const { status } = await site.get(`/posts?${name}=${value}`)
        expect([200, 400], `${name}=${value}: ${status}`).toContain(status)
      }
    }
  })
})
