import { expect, it } from 'vitest'
import { metadataFields } from '../../../src/cli/import/metadata.ts'

const GOOD = {
  authors: [{ name: 'Ada' }],
  image: { url: '/a.png', alt: 'A', width: 10, height: 10 },
  categories: ['Bikes'],
  tags: ['chain'],
  canonicalUrl: 'https://a.example/b',
  modifiedAt: '2026-01-02T03:04:05Z',
}

function fieldsOf(changes: Partial<Parameters<typeof metadataFields>[0]>) {
  const lost: [field: string, reason: string, detail: string][] = []
  const fields = metadataFields({ ...GOOD, ...changes }, {}, (...loss) => lost.push(loss))
  return { fields, lost }
}

it('accepts everything that a put accepts, and loses nothing', () => {
  expect(fieldsOf({})).toEqual({ fields: GOOD, lost: [] })
})

it.each([
  ['authors', [{ name: ' ' }], '[0].name must not be blank: [{"name":" "}]'],
  [
    'authors',
    [{ name: 'A', url: 'javascript:a()' }],
    '[0].url must be an http or https URL, or one relative',
  ],
  [
    'image',
    { url: 'data:image/png,x' },
    'url must be an http or https URL, or one relative to the site: {"url"',
  ],
  ['image', { url: '/a.png', width: 0 }, 'width must be at least 1: {"url":"/a.png","width":0}'],
  ['categories', Array(501).fill('a'), 'must be at most 500 items: ["a"'],
  ['tags', ['', 'b'], '[0] must not be blank: ["","b"]'],
  ['canonicalUrl', '/relative', 'must be an http or https URL: "/relative"'],
  ['modifiedAt', 'yesterday', 'must be an RFC 3339 date-time with offset: "yesterday"'],
])('names %s and its rule where a put would refuse the value', (name, value, detail) => {
  const { fields, lost } = fieldsOf({ [name]: value })
  expect(lost).toEqual([
    [name, expect.stringMatching(/^invalid for its field/), expect.stringContaining(detail)],
  ])
  expect(fields).not.toHaveProperty(name)
})
