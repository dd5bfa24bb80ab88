import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { adminJson, folderOf, importMarkdown } from '../support/admin.ts'
import { refusal, startManageServer, storingScript } from '../support/manage-server.ts'

const post = (title: string, fields = '') => `---\ntitle: ${title}\n${fields}\n---\nbody`

describe('the old URLs of a folder', () => {
  const OLD = 'https://blog.old.example'
  const files = {
    'a.md': post('A', 'permalink: /2019/05/a.html\naliases: ["/old/a/", /old/a, https://n.example/x%20y]'),
    'b.md': post('B', 'url: https://blog.old.example/b/?page=1\nredirect_from: /old/a'),
    'c.md': post('C', 'slug: c\nalias: [/blog/c/, ../c, https://other.example/c]'),
    'd.md': post('D', 'lang: de\naliases: [/de/blog/d, /blog/d]\ndate: 2019-01-01'),
    'refused.md': post('x'.repeat(501), 'aliases: [/refused]'),
  }
  const lost = (file: string, reason: string, detail: string) => ({
    file,
    field: 'redirect',
    reason: `${reason}: ${detail}`,
  })
  const NO_PATH =
    'an old address that is neither a path from the root nor on a host of --old-url or of the site'
  const LOST = [
    lost('b.md', 'an old address must have neither a query nor a fragment', '/b/?page=1'),
    lost('b.md', 'also an old address of a.md, which keeps it', '/old/a'),
    lost('c.md', NO_PATH, '../c'),
    lost('c.md', NO_PATH, 'https://other.example/c'),
  ]
  const redirectsOf = (json: { notTakenOver: { field: string }[] }) =>
    json.notTakenOver.filter(({ field }) => field === 'redirect')

  it('lead to the imported articles once, except for the current URL; --dry-run only counts them', async () => {
    const { script, redirects } = storingScript(({ slug }) =>
      slug === 'refused' ? { path: 'title', message: 'is too long' } : undefined,
    )
    await using server = await startManageServer(script)
    await using folder = await folderOf(files)
    const run = (...flags: string[]) =>
      adminJson(server.url, 'import', 'markdown', 's1', folder.path, '--old-url', OLD, ...flags)
    const dry = await run('--dry-run')
    expect(dry.json).toMatchObject({ found: 4, redirects: 4 })
    expect(redirectsOf(dry.json)).toEqual(LOST)
    expect(new Set(server.asked.map(({ method }) => method))).toEqual(new Set(['GET']))

    const { json } = await run()
    expect(Object.fromEntries(redirects)).toEqual({
      '/2019/05/a.html': 'post a',
      '/old/a/': 'post a',
      '/x%20y': 'post a',
      '/blog/d': 'post d',
    })
    expect(json).toMatchObject({ imported: 4, redirects: 4 })
    expect(redirectsOf(json)).toEqual(LOST)
    expect(server.asked.at(-1)!.body).toMatchObject({ onlyNew: true })
    expect((await run()).json).toMatchObject({ unchanged: 4, redirects: 0 })
  })

  it('are put 500 at a time, without those that the service refuses', async () => {
    const { script, redirects } = storingScript()
    await using server = await startManageServer((asked) => {
      const at = asked.body?.redirects?.findIndex(({ from }: { from: string }) => from === '/bad') ?? -1
      return at < 0 ? script(asked) : refusal({ path: `redirects[${at}].from`, message: 'must not be bad' })
    })
    const aliases = ['/bad', ...Array.from({ length: 989 }, (_, at) => `/${at}`)]
    await using folder = await folderOf({ 'p0.md': post('P', `aliases: ${JSON.stringify(aliases)}`) })
    const { json } = await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
    expect(json).toMatchObject({ imported: 1, redirects: 989 })
    expect(redirects.size).toBe(989)
    expect(redirectsOf(json)).toEqual([lost('p0.md', 'Invalid body: from must not be bad', '/bad')])
  })
})

describe('the redirects of a folder', () => {
  it('lead to its pages or to their targets, and invalid ones are named by line', async () => {
    const files = {
      'a.md': post('A', 'permalink: /2019/a.html\naliases: /old'),
      'static/_redirects': `# Moved
/gone /2019/a.html 301
/gone/ /2019/a.html
/old /elsewhere
/shop https://shop.example/ 302
/part /2019/a.html#part 301
/other /new/?a=1#part
/feed/* /rss.xml
/spa /index.html 200`,
      'redirects.json': '{ "items": [{ "from": "/c", "to": "/d", "resource": null }, {}] }',
      'public/_redirects': '/gone /another',
    }
    const { json, redirects } = await importMarkdown(files, '--json')
    expect(redirects).toEqual({
      '/2019/a.html': 'post a',
      '/old': 'post a',
      '/gone': 'post a',
      '/shop': 'https://shop.example/',
      '/part': 'post a#part',
      '/other': '/new/?a=1#part',
      '/c': '/d',
    })
    expect(json.notTakenOver.map(({ file, reason }: Record<string, string>) => `${file}: ${reason}`)).toEqual(
      [
        'redirects.json, item 2: needs from, and to or slug',
        'static/_redirects, line 8: is a pattern',
        'static/_redirects, line 9: has status 200, which is not a redirect',
        'static/_redirects, line 5: had status 302, and becomes 301',
        'static/_redirects, line 4: also an old address of a.md, which keeps it: /old',
        'public/_redirects, line 1: also an old address of static/_redirects, line 2, which keeps it: /gone',
      ],
    )
  })
})

const ITEM = (
  slug: string,
  link: string,
  status: string,
  meta = '',
) => `<item><title>${slug}</title><link>${link}</link>
<content:encoded><![CDATA[x]]></content:encoded><wp:post_id>${slug.length}</wp:post_id><wp:post_name>${slug}</wp:post_name>
<wp:status>${status}</wp:status><wp:post_type>post</wp:post_type>${meta}</item>`
const OLD_SLUG = (slug: string) =>
  `<wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value><![CDATA[${slug}]]></wp:meta_value></wp:postmeta>`

describe('the old URLs of WordPress', () => {
  it('are the permalinks and former slugs that differ from the new path', async () => {
    const { script, redirects } = storingScript()
    await using server = await startManageServer(script)
    await using folder = await folderOf({
      'export.xml': `<?xml version="1.0"?><rss xmlns:wp="w" xmlns:content="c"><channel><wp:wxr_version>1.2</wp:wxr_version>
        <wp:base_blog_url>https://www.old.example/site</wp:base_blog_url>
        ${ITEM('one', 'https://old.example/site/2020/05/one/', 'publish', OLD_SLUG('uno') + OLD_SLUG('%c3%a9in'))}
        ${ITEM('three', 'https://old.example/site/?p=5', 'draft', OLD_SLUG('never'))}
        ${ITEM('eleven', 'https://elsewhere.example/eleven/', 'publish')}
      </channel></rss>`,
    })
    const file = join(folder.path, 'export.xml')
    const { json } = await adminJson(server.url, 'import', 'wordpress', 's1', file)
    expect(Object.fromEntries(redirects)).toEqual({
      '/site/2020/05/one/': 'post one',
      '/site/2020/05/uno/': 'post one',
      '/site/2020/05/%c3%a9in/': 'post one',
    })
    expect(json).toMatchObject({ imported: 3, redirects: 3, notTakenOver: [] })
  })
})

/** Imports the posts `hello` and `about` of a Ghost, with this file of redirects. */
async function importGhost(flags: string[], file = 'redirects.json', content?: string) {
  const { script, redirects } = storingScript()
  await using server = await startManageServer(script)
  const posts = ['hello', 'about'].map((slug) => ({
    ...{ id: slug, title: slug, slug, html: '<p>x</p>', status: 'published' },
  }))
  await using folder = await folderOf({
    'ghost.json': JSON.stringify({ db: [{ data: { posts } }] }),
    [file]: content ?? '',
  })
  const [from, own] = [join(folder.path, 'ghost.json'), join(folder.path, file)]
  const more = content === undefined ? flags : [...flags, '--redirects', own]
  const { json } = await adminJson(server.url, 'import', 'ghost', 's1', from, ...more)
  const lost = json.notTakenOver?.flatMap(({ field, reason }: { field: string; reason: string }) =>
    field === 'redirect' ? [reason] : [],
  )
  return { redirects: Object.fromEntries(redirects), lost, json, own }
}

describe('the old URL of a Ghost post', () => {
  it.each([
    [[], {}],
    [
      ['--old-url', 'https://old.example/journal/'],
      { '/journal/hello/': 'post hello', '/journal/about/': 'post about' },
    ],
  ])('with %j is %j', async (flags, expected) => {
    expect((await importGhost(flags)).redirects).toEqual(expected)
  })
})

describe("Ghost's own redirects", () => {
  it('are put when they are paths, and named when they are patterns', async () => {
    const recorded = await readFile(join(import.meta.dirname, '../ghost/recordings/redirects.json'), 'utf8')
    const text = recorded.replace('hello-from-the-pier', 'hello')
    const flags = ['--old-url', 'https://old.example/journal']
    const { redirects, lost } = await importGhost(flags, 'redirects.json', text)
    expect(redirects).toEqual({
      '/journal/2019/05/hello': 'post hello',
      '/journal/about/': 'post about',
      '/journal/gone.html': '/journal/about-the-pier/',
      '/journal/hello/': 'post hello',
      '/journal/shop': 'https://shop.pier.example/boats',
    })
    const pattern = 'a redirect with a regular expression is left out'
    expect(lost.toSorted()).toEqual([
      'a redirect leads to no post or guide of this import: /gone\\.html to /journal/about-the-pier/',
      `${pattern}: /^\\/loud$/i to /journal/hello-from-the-pier/`,
      `${pattern}: ^/archive/(\\d{4})/(.*)$ to /journal/$2/`,
      'a temporary redirect becomes permanent: /gone\\.html to /journal/about-the-pier/',
    ])
  })

  it('may be YAML, and chain to each other', async () => {
    const yaml =
      '301:\n  /a/: /b\n  /none: \n  ^\\/b\\/?$: https://old.example/about/?x=1\n  /c: /tag/x/?y=1\n302:\n  /d: /hello\n'
    const { redirects, lost } = await importGhost(
      ['--old-url', 'https://old.example'],
      'redirects.yaml',
      yaml,
    )
    expect(redirects).toEqual({
      '/a': '/b',
      '/about/': 'post about',
      '/b': 'post about?x=1',
      '/c': '/tag/x/?y=1',
      '/d': 'post hello',
      '/hello/': 'post hello',
    })
    expect(lost.toSorted()).toEqual([
      'a redirect leads to no post or guide of this import: /c to /tag/x/?y=1',
      'a temporary redirect becomes permanent: /d to /hello',
      'has no from and to',
    ])
  })

  it.each([
    ['redirects.json', '{', 'cannot be read: '],
    ['redirects.yaml', 'a: [', 'cannot be read: '],
    ['redirects.json', '[{"from":"/a"}]', 'is not a redirects file of Ghost: no entry has from and to'],
    ['redirects.yaml', 'nothing', 'is not a redirects file of Ghost: no entry has from and to'],
  ])('in %s with %s are refused in one line', async (file, content, problem) => {
    const { json, own } = await importGhost([], file, content)
    expect(json.error).toContain(`${own} ${problem}`)
    expect(json.error).not.toContain('\n')
  })
})
