/** The border between metadata and prose: fields, drafts and content. */
import { describe, expect, it } from 'vitest'
import { toDocument } from '../../../src/cli/markdown/document.ts'

const read = (text: string, file = 'my-file.md') => toDocument('blog', file, new TextEncoder().encode(text))

const YAML = 'title: T\ndate: 2020-01-02\ntags: [a, b]'
const BODY = '\nBody.\n'

describe('metadata', () => {
  it.each([
    ['without an opening fence', `${YAML}\n---${BODY}`],
    ['without an opening fence, with a list', `title: T\ndate: 2020-01-02\ntags:\n- a\n- b\n---${BODY}`],
    [
      'without an opening fence, with an empty line',
      `title: T\ndate: 2020-01-02\n\ntags: [a, b]\n---${BODY}`,
    ],
    ['without an opening fence, closed by dots', `${YAML}\n...${BODY}`],
    ['of TOML without an opening fence', `title = "T"\ndate = 2020-01-02\ntags = ["a", "b"]\n+++${BODY}`],
    ["of Hexo's JSON", `;;;\n"title": "T",\n"date": "2020-01-02",\n"tags": ["a", "b"]\n;;;${BODY}`],
    [
      "of Hexo's JSON without an opening fence",
      `"title": "T",\n"date": "2020-01-02",\n"tags": ["a", "b"]\n;;;${BODY}`,
    ],
    [
      'of JSON between semicolons',
      `;;;\n{"title": "T", "date": "2020-01-02", "tags": ["a", "b"]}\n;;;${BODY}`,
    ],
    ['of JSON between dashes', `---\n{"title": "T", "date": "2020-01-02", "tags": ["a", "b"]}\n---${BODY}`],
    ['of TOML between dashes', `---\ntitle = "T"\ndate = 2020-01-02\ntags = ["a", "b"]\n---${BODY}`],
    ['between four dashes', `----\n${YAML}\n----${BODY}`],
    ['between dashes of different length', `------\n${YAML}\n---${BODY}`],
    ['between four plus signs', `++++\ntitle = "T"\ndate = 2020-01-02\ntags = ["a", "b"]\n++++${BODY}`],
    ['closed by dots', `---\n${YAML}\n...\n${BODY}`],
    ['after blank lines', `\n \t\n---\n${YAML}\n---${BODY}`],
    ['after two byte order marks', `\ufeff\ufeff---\n${YAML}\n---${BODY}`],
    ['after a byte order mark and a blank line', `\ufeff\n---\n${YAML}\n---${BODY}`],
    ['after a comment', `<!-- markdownlint-disable -->\n---\n${YAML}\n---${BODY}`],
    ['after comments of several lines', `<!--\nA licence\n-->\n\n<!-- b -->\n---\n${YAML}\n---${BODY}`],
    ['after an MDX comment', `{/* a */}\n\n---\n${YAML}\n---${BODY}`],
    ['with CR alone', `---\n${YAML}\n---${BODY}`.replaceAll('\n', '\r')],
    ['with CR LF', `---\n${YAML}\n---${BODY}`.replaceAll('\n', '\r\n')],
    ['with CR LF and no opening fence', `${YAML}\n---${BODY}`.replaceAll('\n', '\r\n')],
    ['in an indented fence', `  ---\n  title: T\n  date: 2020-01-02\n  tags: [a, b]\n  ---${BODY}`],
    ['with tabs for indentation', `---\ntitle: T\ndate: 2020-01-02\ntags:\n\t- a\n\t- b\n---${BODY}`],
    ['with spaces after the fences', `--- \t\n${YAML}\n---\u00a0${BODY}`],
    ['with comments', `---\n# A post\n\n${YAML}\n---${BODY}`],
    ['of MultiMarkdown', `Title: T\nDate: 2020-01-02\nTags: a, b\n${BODY}`],
    ['of MultiMarkdown with hard breaks', `Title: T  \nDate: 2020-01-02  \nTags: a, b  \n${BODY}`],
    [
      'of MultiMarkdown, each line with CR LF',
      `Title: T\r\nDate: 2020-01-02\r\nTags: a,\r\n    b\r\n${BODY}`,
    ],
    ['of Pelican', `Title: T\nSlug: my-file\nDate: 2020-01-02 00:00\nTags: a, b\n\n${BODY}`],
    ['of lines without fences, with a list', `title: T\ndate: 2020-01-02\ntags:\n- a\n- b\n${BODY}`],
    ['of lines after blank ones', `\n\nTitle: T\nDate: January 2, 2020\nTags: [a, b]\n${BODY}`],
    ['of Nikola', `.. title: T\n.. date: 2020-01-02 00:00:00 UTC\n.. tags: a, b\n${BODY}`],
    [
      'of Nikola, in a comment',
      `<!--\n.. title: T\n.. date: 2020-01-02 00:00:00 UTC\n.. tags: a, b\n-->\n${BODY}`,
    ],
    [
      'of Nikola, with an offset',
      `.. title: T\n.. date: 2020-01-02 02:00:00 UTC+02:00\n.. tags: a, b\n${BODY}`,
    ],
    [
      'of Nikola, in comments',
      `<!-- .. title: T -->\n<!-- .. date: 2020-01-02 -->\n<!-- .. tags: a, b -->\n${BODY}`,
    ],
    ['of lines in a comment', `<!--\ntitle: T\ndate: 2020-01-02\ntags: a, b\n-->\n${BODY}`],
    ['of Logseq', `title:: T\ndate:: [[2020-01-02]]\ntags:: [[a]], #b\n${BODY}`],
    ["of Logseq's first block", `- title:: T\n  date:: 2020-01-02\n  tags:: a, b\n${BODY}`],
    ['of Notion', `# T\n\nCreated: January 2, 2020\nTags: a, b\nOwner: Ada\n${BODY}`],
    [
      'of Notion, with properties of any name',
      `# T\n\nFiles & media: a.png\nWords (about): 5\n✅ Done?: Yes\nDate: January 2, 2020\nTags: a, b\n${BODY}`,
    ],
    ['of Notion, with the time', `# T\n\nCreated time: January 2, 2020 12:00 AM\nTags: a, b\n${BODY}`],
    ['below a heading, without a blank line', `# T\nDate: 2020-01-02\nTags: a, b\n${BODY}`],
    ['of Org', `#+title: T\n#+date: <2020-01-02 Thu>\n#+filetags: :a:b:\n${BODY}`],
    ['of Pico', `/*\nTitle: T\nDate: 2020-01-02\nTags: a, b\n*/\n${BODY}`],
    ['of Pico, with stars', `/**\n * Title: T\n * Date: 2020-01-02\n * Tags: a, b\n */\n${BODY}`],
  ])('%s is read', (_, text) => {
    const { article, held, losses } = read(text)
    const reasons = losses.filter(({ field }) => field === 'contentHtml')
    expect({ ...article, held, reasons }).toMatchObject({
      title: 'T',
      publishedAt: '2020-01-02T00:00:00.000Z',
      tags: ['a', 'b'],
      contentHtml: '<p>Body.</p>',
      held: undefined,
      reasons: [],
    })
  })

  it('of pandoc is read', () => {
    expect(read('% A long\n  title\n% Ada; Bob\n% January 2, 2020\n\nBody.').article).toMatchObject({
      title: 'A long title',
      authors: [{ name: 'Ada' }, { name: 'Bob' }],
      publishedAt: '2020-01-02T00:00:00.000Z',
      contentHtml: '<p>Body.</p>',
    })
    expect(read('% T\n\nBody.').article).toMatchObject({ title: 'T', contentHtml: '<p>Body.</p>' })
  })

  it("of Logseq's blocks is left out, except in code", () => {
    const id = 'id:: 63c9a4a0-1b2c-4d5e-8f90-123456789abc'
    const block = `- a\n  ${id}\n  collapsed:: true\n\t- b\n\t  :LOGBOOK:\n\t  CLOCK: [2022-01-02 Sun 10:00:00]\n\t  :END:\n`
    const { contentHtml } = read(`title:: T\n\n${block}  \`\`\`\n  ${id}\n  \`\`\`\n`).article
    expect(contentHtml).toBe(
      `<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n<pre><code>${id}\n</code></pre>\n</li>\n</ul>`,
    )
  })

  it('of Day One is read', () => {
    const { article, losses } = read('\tDate:\tJanuary 2, 2020 at 10:00:00 AM UTC\n\tWeather:\t10°C\n\nBody.')
    expect(article).toMatchObject({ publishedAt: '2020-01-02T10:00:00.000Z', contentHtml: '<p>Body.</p>' })
    expect(losses).toContainEqual({ field: 'Weather', reason: 'posts have no such field' })
    expect(read('\tDate: x\n\tcode').article.contentHtml).toContain('<code>')
  })

  it('of lines keeps the whole value', () => {
    const text = `Title: C# and "x": a view\nSubtitle: 'S'\nAuthors: Ada, Bob\nSummary: One,\n  two.\nBase Header Level: 2\n\nBody.`
    const { article, losses } = read(text)
    expect(article).toMatchObject({
      title: 'C# and "x": a view',
      authors: [{ name: 'Ada' }, { name: 'Bob' }],
      excerpt: 'One, two.',
      contentHtml: '<p>Body.</p>',
    })
    expect(losses.map(({ field }) => field)).toEqual(['Subtitle', 'BaseHeaderLevel'])
  })

  it.each(['draft', 'hidden', 'private'])('of Pelican may set the status of a post to %s', (status) => {
    expect(read(`Title: T\nStatus: ${status}\n\nBody.`).article.status).toBe('draft')
  })
})

describe('possible metadata', () => {
  it.each([
    ['Author: Ada', 'Author: Ada\n\nBody.'],
    ['Tags: a, b', 'Tags: a, b\n\nBody.'],
    ['Date: some day', 'Date: some day\n\nBody.'],
    ['Title: A post', 'Title: A post\nand the text below.\n\nBody.'],
    ['Date: 2020-01-02', '# A post\n\nDate: 2020-01-02\nand the text.\n\nBody.'],
    ['Author: Ada', 'Author: Ada\nPhotos: Bob\n\nBody.'],
    ['title: T', '```yaml\ntitle: T\ndate: 2020-01-02\n```\n\nBody.'],
    ['title: T', '```yaml\n---\ntitle: T\ndate: 2020-01-02\n---\n```\n\nBody.'],
    ['title: T', '```markdown\n---\ntitle: T\ndate: 2020-01-02\n---\nBody.\n```'],
    ['"title": "T",', '```json\n{\n  "title": "T",\n  "date": "2020-01-02"\n}\n```\n\nBody.'],
    ['title: T', '``` yaml\ntitle: T\ndate: 2020-01-02\n\nBody.'],
    ['title = "T"', 'title = "T"\ndate = 2020-01-02\n\nBody.'],
    [':title: T', ':title: T\n:date: 2020-01-02\n\nBody.'],
    ['@title: T', '@title: T\n@slug: t\n\nBody.'],
    ['title: T', '--- # A post\ntitle: T\ndate: 2020-01-02\n---\n\nBody.'],
    ['Title: T', 'Title: T\n\n----\n\nDate: 2020-01-02\n\n----\n\nText: Body.'],
    ['state:: wip', 'state:: wip\n\nBody.'],
    ['% T', '% T\nBody.'],
    ['title: T', 'A line.\n\ntitle: T\ndate: 2020-01-02\n---\n\nBody.'],
  ])('makes the file a draft, and is named: %s in %j', (line, text) => {
    const { article, held, losses } = read(text)
    expect({ held, status: article.status, losses }).toEqual({
      held: 'it may begin with unknown metadata: imported as a draft',
      status: 'draft',
      losses: expect.arrayContaining([
        { field: 'contentHtml', reason: 'looks like metadata, and is kept as text', detail: line },
      ]),
    })
    expect(article.contentHtml).toContain('Body.')
  })

  it('makes the file a draft in MDX, too', () => {
    const text = "export const meta = { title: 'T', date: '2020-01-02' }\n\nBody."
    expect(read(text, 'a.mdx')).toMatchObject({ article: { status: 'draft' } })
  })
})

describe('prose', () => {
  it.each([
    'Note: this is about metadata.',
    'Note: one\ntwo',
    'Update: we fixed it.',
    'Summary: we moved to another host.',
    'Pros: cheap\nCons: slow',
    'Q: Why?\nA: Because.',
    'In this post: all about tags.',
    'https://example.com: a site',
    'std::vector is a class',
    'Note: x\n---\n\nMore.',
    'One\n---\n\ntitle: x\n---\n\nMore.',
    '---\n\nHello world.\n\n---\n\nMore.',
    '---\n\nNote: this goes on\nover two lines.\n\n---\n\nMore.',
    '---\nNote: this goes on\nover two lines.\n---\n\nMore.',
    '---\n\n- a\n- b\n\n---\n\nMore.',
    '---\n\n# A heading\n\n---\n\nMore.',
    '---\n# A heading\n---\n\nMore.',
    '---\n\nHello: there\n\nMore.',
    '---\nNote: one line.\n\nMore.',
    '---',
    '----\n\nHello.\n',
    '***\ntitle: T\n***\n',
    '# Title: a word\n\nText.',
    '# A\n\nNote: this.\n\nText.',
    '# A\n\nText.\n\nTitle: T\nDate: 2020-01-02\n',
    '- Status: accepted\n- Date: 2020-01-02\n\nText.',
    '**Date:** 2020-01-02\n\n**Author:** Ada\n\nText.',
    '| title | date |\n|---|---|\n| a | b |',
    '```js\ntitle = "x"\ndate = 1\n```\n\nText.',
    '```yaml\nname: ci\non: push\n```\n\nText.',
    '    title: x\n    name: y\n\nText.',
    '> Title: T\n> Date: 2020-01-02\n\nText.',
    '50% of us\n\nText.',
    '%% note %%\n\nText.',
    '{ a: 1 } is an object',
    'A first line.\nTitle: x',
    'One.\n\nTwo.\n\ntitle: T\ndate: 2020-01-02\n---\n\nMore.',
    '<!-- note: a thought -->\nText.',
  ])('stays content: %j', (text) => {
    const { article, held, losses } = read(text)
    expect({ held, losses: losses.filter(({ field }) => field !== 'title' && field !== 'slug') }).toEqual({
      held: undefined,
      losses: [],
    })
    const shown = `${article.title} ${article.contentHtml}`
    for (const word of text.replace(/<!--.*?-->/g, '').match(/[\p{L}\p{N}]{2,}/gu) ?? [])
      expect(shown).toContain(word)
  })
})

describe('unreadable metadata', () => {
  it.each([
    ['---\ntitle: T\n\nBody.', 'front matter is not closed'],
    ['---\nfoo: a\nbar: b\n\nBody.', 'front matter is not closed'],
    ['+++\ntitle = "T"\n\nBody.', 'front matter is not closed'],
    [';;;\n"title": "T"\n\nBody.', 'front matter is not closed'],
    ["{ title: 'T' }\n\nBody.", 'front matter is not valid JSON'],
    [
      '---\ntitle: T\ntitle: U\n---\n\nBody.',
      'line 3: the front matter is not valid YAML: a field is there twice',
    ],
    ['---\nfoo: [a\ntitle: T\n---\n\nBody.', 'front matter is not valid YAML'],
    [';;;\n"title": T\n;;;\n\nBody.', 'front matter is not valid JSON'],
  ])('is refused with its reason: %j', (text, reason) => {
    expect(() => read(text)).toThrow(reason)
  })
})
