/** Exports of other versions of WordPress, and of plugins. */
import { describe, expect, it } from 'vitest'
import { deriveText } from '../../../src/content/articles/text.ts'
import { item, readItems, told } from './support/wxr.ts'

const losses = (read: Awaited<ReturnType<typeof readItems>>) =>
  read.losses.map((loss) => `${loss.field}: ${told(loss)}`)

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
    expect(losses(read)).toEqual([])
    expect(deriveText({ contentHtml }).excerpt).toBe('Some text and more. After.')
  })

  it('without a block are last', async () => {
    const read = await readItems([post(JSON.stringify(notes), content.replace('<!-- wp:footnotes /-->', ''))])
    expect(read.found[0]!.article.contentHtml).toMatch(/<p>After\.<\/p>.*<li id="a1b2">/s)
    expect(losses(read)).toEqual([])
  })

  it.each(['[', '{}', '[{"id":"<b>"}]', '[null]', '"a"'])('that are %s are named', async (json) => {
    const read = await readItems([post(json)])
    expect(losses(read)).toEqual(['contentHtml: its footnotes cannot be read'])
  })

  it.each(['', '[]'])('that are %j are ignored', async (json) => {
    const read = await readItems([post(json)])
    expect(losses(read)).toEqual([])
  })

  it('have markup that is not allowed in a body removed', async () => {
    const read = await readItems([
      post(JSON.stringify([{ id: 'a1b2', content: 'a<script>x()</script></li></ol>b' }])),
    ])
    expect(read.found[0]!.article.contentHtml).not.toMatch(/script|x\(\)/)
    expect(losses(read)).toEqual(['contentHtml: left out: <script>'])
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
    expect(losses(read)).toEqual([])
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
    expect(losses(read)).toEqual(['guest-author: an author: only the name is kept, with the posts'])
  })

  it('default to the author in WordPress', async () => {
    const read = await readItems([item({ 'dc:creator': 'ann' })])
    expect(read.found[0]!.article.authors).toEqual([{ name: 'Ann Otter' }])
  })
})
