/** Parts of an export: times, reusable blocks, footnotes, and data of other versions and plugins. */
import { describe, expect, it } from 'vitest'
import { deriveText } from '../../../src/content/articles/text.ts'
import { item, lossText, type Read, readItems } from './support/wxr.ts'

const only = ({ found }: Read) => found[0]!.article
const reasons = ({ losses }: Read, field: string) =>
  losses.filter((loss) => loss.field === field).map(lossText)
const allOf = ({ losses }: Read) => losses.map((loss) => `${loss.field}: ${lossText(loss)}`)

describe('footnotes', () => {
  const mark = (id: string, number: number) =>
    `<sup data-fn="${id}" class="fn"><a href="#${id}" id="${id}-link">${number}</a></sup>`
  const content = `<!-- wp:paragraph -->\n<p>Some text${mark('a1b2', 1)} and more${mark('c3d4', 2)}.</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:footnotes /-->\n\n<!-- wp:paragraph -->\n<p>After.</p>\n<!-- /wp:paragraph -->`
  const notes = [
    { content: 'The <em>first</em> note', id: 'a1b2' },
    { content: 'The second, see <a href="https://example.org/">there</a>', id: 'c3d4' },
  ]
  const post = (footnotes: string, body = content) =>
    item({ fields: { 'content:encoded': body }, meta: { footnotes } })

  it('replace their block, with links both ways, and are not in the excerpt', async () => {
    const read = await readItems([post(JSON.stringify(notes))])
    const { contentHtml } = read.found[0]!.article
    expect(contentHtml).toMatch(
      /Some text<sup><a href="#a1b2" id="a1b2-link">1<\/a><\/sup>.*<ol><li id="a1b2">The <em>first<\/em> note <a href="#a1b2-link".*<li id="c3d4">The second.*<a href="#c3d4-link".*<p>After/s,
    )
    expect(allOf(read)).toEqual([])
    expect(deriveText({ contentHtml }).excerpt).toBe('Some text and more. After.')
  })

  it('without a block are last', async () => {
    const read = await readItems([post(JSON.stringify(notes), content.replace('<!-- wp:footnotes /-->', ''))])
    expect(read.found[0]!.article.contentHtml).toMatch(/<p>After\.<\/p>.*<li id="a1b2">/s)
    expect(allOf(read)).toEqual([])
  })

  it('that cannot be read are named, and empty ones are ignored', async () => {
    for (const json of ['[', '{}', '[{"id":"<b>"}]', '[null]', '"a"'])
      expect(allOf(await readItems([post(json)])), json).toEqual([
        'contentHtml: its footnotes cannot be read',
      ])
    for (const json of ['', '[]']) expect(allOf(await readItems([post(json)])), json).toEqual([])
  })

  it('have markup that is not allowed in a body removed', async () => {
    const read = await readItems([
      post(JSON.stringify([{ id: 'a1b2', content: 'a<script>x()</script></li></ol>b' }])),
    ])
    expect(read.found[0]!.article.contentHtml).not.toMatch(/script|x\(\)/)
    expect(allOf(read)).toEqual(['contentHtml: left out: <script>'])
  })
})

describe('tags of WXR 1.0', () => {
  it('are imported as tags', async () => {
    const more = `<category><![CDATA[Boats]]></category><category domain="category" nicename="boats"><![CDATA[Boats]]></category>
      <category domain="tag"><![CDATA[Harbour]]></category><category domain="tag" nicename="harbour"><![CDATA[Harbour]]></category>
      <category domain="tag"><![CDATA[R&D]]></category>`
    const read = await readItems([item({ more })])
    expect(read.found[0]!.article).toMatchObject({
      ...{ categories: ['Boats'], tags: ['Harbour', 'R&D'] },
    })
    expect(allOf(read)).toEqual([])
  })
})

describe('authors of Co-Authors Plus', () => {
  const guest = item({
    fields: { 'wp:post_type': 'guest-author', 'wp:post_name': 'cap-bob', title: 'bob' },
    meta: { 'cap-display_name': 'Bob &amp; Sons', 'cap-user_login': 'bob' },
  })
  it('are all authors of the post, users and guests, in order', async () => {
    const terms: [string, string, string][] = [
      ['author', 'cap-bob', 'bob'],
      ['author', 'cap-ann', 'ann'],
      ['author', 'cap-cid', 'cid'],
    ]
    const read = await readItems([item({ terms, fields: { 'dc:creator': 'admin' } }), guest])
    expect(read.found[0]!.article.authors).toEqual([
      { name: 'Bob & Sons' },
      { name: 'Ann Otter' },
      { name: 'cid' },
    ])
    expect(allOf(read)).toEqual(['guest-author: an author: only the name is kept, with the posts'])
  })

  it('default to the author in WordPress', async () => {
    const read = await readItems([item({ 'dc:creator': 'ann' })])
    expect(read.found[0]!.article.authors).toEqual([{ name: 'Ann Otter' }])
  })
})

describe('reusable blocks', () => {
  const block = (id: number, fields: Record<string, string>) =>
    item({ 'wp:post_type': 'wp_block', 'wp:post_id': id, ...fields })

  it('of the file are inlined, except for private ones; unused ones are named', async () => {
    const refs = [1, 2, 3, 4, 9].map((ref) => `<!-- wp:block {"ref":${ref}} /-->`)
    const read = await readItems([
      item({
        title: 'P',
        'content:encoded': `<!-- wp:paragraph --><p>a</p><!-- /wp:paragraph -->${refs.join('')}`,
      }),
      block(1, { 'content:encoded': '<p>Hours</p>' }),
      block(2, { 'content:encoded': '<p>4711</p>', 'wp:post_password': 'x' }),
      block(3, { 'content:encoded': '<p>soon</p>', 'wp:status': 'draft' }),
      block(4, { 'content:encoded': '<p>gone</p>', 'wp:status': 'trash' }),
      block(5, { title: 'Spare', 'content:encoded': '<p>spare</p>' }),
    ])
    expect(only(read).contentHtml).toBe('<p>a</p><p>Hours</p>')
    expect(read.losses.map((loss) => `${loss.file}: ${lossText(loss)}`)).toEqual([
      ...[2, 3, 4].map(
        (ref) =>
          `item 1 (P): a reusable block that is a draft, private or has a password is left out: ${ref}`,
      ),
      'item 1 (P): a reusable block that is not in this import is left out: 9',
      'item 6 (Spare): a reusable block that no post or guide uses',
    ])
    expect(read.source.total).toBe(1)
  })
})

const zero = '0000-00-00 00:00:00'

describe('a date', () => {
  it.each([
    [{ 'wp:post_date_gmt': '2024-05-06 07:08:09' }, '2024-05-06T07:08:09.000Z'],
    [{ 'wp:post_date_gmt': zero, pubDate: 'Mon, 06 May 2024 07:08:09 +0200' }, '2024-05-06T05:08:09.000Z'],
    [
      {
        'wp:post_date_gmt': zero,
        pubDate: 'Wed, 30 Nov -0001 00:00:00 +0000',
        'wp:post_date': '2024-05-06 09:00:00',
      },
      '2024-05-06T09:00:00.000Z',
    ],
    [{ 'wp:post_date_gmt': zero, 'wp:post_date': zero }, undefined],
    [{ 'wp:post_date_gmt': zero, 'wp:post_date': '2024-05-06 09:00:00', 'wp:status': 'draft' }, undefined],
  ])('%j is %s', async (fields, expected) => {
    const read = await readItems([item(fields)])
    expect(only(read).publishedAt).toBe(expected)
    const isLocal = expected === '2024-05-06T09:00:00.000Z'
    expect(reasons(read, 'publishedAt')).toEqual(
      isLocal ? ['its time zone is not in the file: UTC is assumed'] : [],
    )
  })
})

describe('a time without a zone', () => {
  const local = (time: string) => ({
    'wp:post_date_gmt': zero,
    'wp:post_date': time,
    'wp:post_modified_gmt': zero,
    'wp:post_modified': time,
    'wp:status': 'draft',
  })
  const known = (date: string, gmt: string) => item({ 'wp:post_date': date, 'wp:post_date_gmt': gmt })

  it('gets the offset of the nearest day for which the file has one, and is named', async () => {
    const read = await readItems([
      item(local('2024-07-20 09:30:00')),
      item(local('2023-12-30 09:30:00')),
      item({ ...local('2024-07-20 09:30:00'), 'wp:status': 'publish' }),
      known('2024-01-06 09:30:00', '2024-01-06 08:30:00'),
      known('2024-08-01 09:30:00', '2024-08-01 07:30:00'),
      known('2024-07-21 09:30:00', '2024-07-29 07:31:00'),
    ])
    expect(read.found.slice(0, 3).map(({ article }) => [article.publishedAt, article.modifiedAt])).toEqual([
      [undefined, '2024-07-20T07:30:00.000Z'],
      [undefined, '2023-12-30T08:30:00.000Z'],
      ['2024-07-20T07:30:00.000Z', '2024-07-20T07:30:00.000Z'],
    ])
    const field = 'modifiedAt'
    const reason = 'its time zone is not in the file: the one of other times is used'
    expect(reasons(read, field)).toEqual(Array(3).fill(reason))
    expect(reasons(read, 'publishedAt')).toEqual([reason])
  })

  it('in a file without other offsets is UTC, and is named', async () => {
    const read = await readItems([item(local('2024-07-20 09:30:00'))])
    expect(only(read).modifiedAt).toBe('2024-07-20T09:30:00.000Z')
    expect(reasons(read, 'modifiedAt')).toEqual(['its time zone is not in the file: UTC is assumed'])
  })
})
