/** Names of files. The console reads them on workerd's disk, the command line on Node's. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { admin } from '../cli/support/admin.ts'
import { IN_TIME } from '../support/in-time.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let cookie: string
let above: string

beforeAll(async () => {
  service = await startService()
  above = await mkdtemp(join(tmpdir(), 'import-names-'))
  const token = new URLSearchParams({ token: service.operatorToken })
  const { headers } = await service.postForm('/console/sign-in', token)
  cookie = headers.getSetCookie()[0]!.split(';')[0]!
})

afterAll(async () => {
  await service?.stop()
  await rm(above, { recursive: true, force: true })
})

type Files = Record<string, string>
type Post = { slug: string; title: string; originId: string; contentHtml: string }

async function postsOf(path: string) {
  const { items } = await service.manage<{ items: Post[] }>('GET', `${path}/posts`)
  const posts = items.map(async ({ slug }) => {
    const { post } = await service.manage<{ post: Post }>('GET', `${path}/posts/${encodeURIComponent(slug)}`)
    const { title, originId, contentHtml } = post
    return { slug, title, originId, contentHtml }
  })
  return (await Promise.all(posts)).sort((a, b) => (a.originId < b.originId ? -1 : 1))
}

async function byCommandLine(files: Files, folder = 'blog') {
  const { id, path } = await service.makeSite()
  const dir = join(above, id, folder)
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), text)
  }
  const connection = ['--url', service.origin, '--token', service.operatorToken]
  await admin([...connection, 'import', 'markdown', id, dir, '--status', 'published'])
  return postsOf(path)
}

async function byConsole(name: string, bytes: Uint8Array<ArrayBuffer>) {
  const { id, path } = await service.makeSite()
  const body = new FormData()
  body.set('file', new File([bytes], name))
  body.set('status', 'published')
  const { headers } = await fetch(`${service.origin}/console/sites/${id}/settings/transfer`, {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { Cookie: cookie, Origin: service.origin },
  })
  const page = headers.get('Location')!
  const ended = () =>
    expect
      .poll(async () => (await service.getPage(page)).text(), { ...IN_TIME, interval: 100 })
      .not.toContain('<progress')
  await ended()
  await service.post(`${page}/start`, new URLSearchParams())
  await ended()
  return postsOf(path)
}

const packed = (files: Files, folder = 'blog') =>
  zipSync(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, strToU8(text)])),
  )

/** The Finder's zips have UTF-8 names without the flag that says so. */
function asFinder(zip: Uint8Array<ArrayBuffer>) {
  const view = new DataView(zip.buffer)
  for (let at = 0; at < zip.length - 4; at += 1) {
    const flagsAt = { 67324752: 6, 33639248: 8 }[view.getUint32(at, true)]
    if (flagsAt) view.setUint16(at + flagsAt, view.getUint16(at + flagsAt, true) & ~(1 << 11), true)
  }
  return zip
}

const linkTo = (...files: string[]) =>
  files.map((file) => `[x](<${file}>) [y](${file.split('/').map(encodeURIComponent).join('/')})`).join('\n')

const FOLDERS: [string, Files, string?][] = [
  ['a folder that ends in a space', { 'index.md': 'A', 'b.md': linkTo('index.md') }, 'My blog '],
  ['spaces', { 'my post.md': 'A', 'b.md': linkTo('my post.md') }],
  ['other letters', { 'Über uns.md': 'A', '日本語.md': linkTo('Über uns.md'), 'b.md': linkTo('日本語.md') }],
  ['decomposed letters', { 'U\u0308ber.md': 'A', 'b.md': linkTo('U\u0308ber.md', '\u00dcber.md') }],
  [
    'what looks encoded',
    {
      'a%20b.md': linkTo('a b.md', '100%.md'),
      'a b.md': linkTo('a%20b.md'),
      'a=20b.md': 'A',
      '%2e%2e.md': 'A',
      '100%.md': linkTo('100%25.md'),
      '100%25.md': 'A',
    },
  ],
  ['a space before the extension', { 'Release notes .md': 'A', 'b.md': linkTo('Release notes .md') }],
  ['spaces around', { ' a.md': 'A', ' c /d .md': linkTo('../ a.md') }],
  ['marks of addresses', { 'why?.md': 'A', 'c#.md': linkTo('why?.md'), 'a;b|c "d".md': linkTo('c#.md') }],
  [
    'nested folders',
    {
      'my trips/to the sea/day 1.md': linkTo('day 2.md', '../über/index.md', '../../b.md'),
      'my trips/to the sea/day 2.md': linkTo('day 1.md'),
      'my trips/über/index.md': 'A',
      'b.md': linkTo('my trips/to the sea/day 1.md'),
    },
  ],
  [
    "a generator's data",
    {
      'hugo.toml': '',
      'content/my posts/_index.md': '---\ncascade:\n  title: Cascaded\n---\n',
      'content/my posts/Über uns.md': 'A',
    },
  ],
]

it.each(FOLDERS)('the console imports %s like the command line', async (_, files, folder) => {
  const expected = await byCommandLine(files, folder)
  expect(expected).toHaveLength(Object.keys(files).filter((file) => /(?<!_index)\.md$/.test(file)).length)
  expect(await byConsole(`${folder ?? 'blog'}.zip`, packed(files, folder))).toEqual(expected)
})

it('the console reads the names of a zip of the Finder', async () => {
  const files = { 'U\u0308ber.md': 'A', '日本語.md': linkTo('U\u0308ber.md') }
  expect(await byConsole('blog.zip', asFinder(packed(files)))).toEqual(await byCommandLine(files))
})

it('the second of two names that differ only in their Unicode form is left out', async () => {
  const files = { 'U\u0308ber.md': 'A', '\u00dcber.md': 'B', 'c.md': 'C' }
  const expected = await byCommandLine(files)
  expect(expected.map(({ slug }) => slug)).toEqual(['\u00dcber', 'c'])
  expect(await byConsole('blog.zip', packed(files))).toEqual(expected)
})

it.each(['my post.md', 'Über uns.md', 'Release notes .md', '%2e%2e.md'])(
  'the console imports the single file %s like the command line',
  async (name) => {
    const expected = await byCommandLine({ [name]: 'A' })
    expect(expected).toHaveLength(1)
    expect(await byConsole(name, strToU8('A'))).toEqual(expected)
  },
)

const WXR = `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><wp:wxr_version>1.2</wp:wxr_version><item><title>A</title><wp:post_id>1</wp:post_id><wp:post_name>a</wp:post_name><wp:post_type>post</wp:post_type><wp:status>publish</wp:status><content:encoded>A</content:encoded></item></channel></rss>`
const GHOST = JSON.stringify({
  db: [
    { meta: { version: '5.0.0' }, data: { posts: [{ id: '1', slug: 'a', title: 'A', html: '<p>A</p>' }] } },
  ],
})

it.each([
  ['export .xml', WXR],
  ['ghost 100% .json', GHOST],
  ['%2e%2e.xml', WXR],
])('the console imports an export named %s, packed or not', async (name, text) => {
  const slugs = async (file: string, bytes: Uint8Array<ArrayBuffer>) =>
    (await byConsole(file, bytes)).map(({ slug }) => slug)
  expect(await slugs(name, strToU8(text))).toEqual(['a'])
  expect(await slugs('export .zip', zipSync({ [`My export /${name}/${name}`]: strToU8(text) }))).toEqual([
    'a',
  ])
  expect(await slugs('export .zip', zipSync({ [`${name}/${name}`]: strToU8(text) }))).toEqual(['a'])
})
