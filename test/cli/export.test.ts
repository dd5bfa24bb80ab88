import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { mounting } from '../support/mounts.ts'
import { adminJson, folderOf, MAIN } from './support/admin.ts'
import { startManageServer, storingScript, TOKEN } from './support/manage-server.ts'

const POST = { title: 'Hello', contentHtml: '<p>Hello</p>', status: 'published' }

type Redirect = { from: string; to: string; resource?: string; slug?: string }

/** A site with these posts, whose feed has ten on a page. */
const siteOf = (slugs: string[], redirects: () => Redirect[] = () => [], more: object = {}) =>
  startManageServer(({ path }) => {
    if (/training-rows|redirects/.test(path)) {
      const items = redirects().map((each) => ({ resource: null, slug: null, ...each }))
      return { status: 200, body: { items, next: null } }
    }
    if (!path.includes('/changes')) return { status: 200, body: { id: 's1', name: 'S' } }
    const start = Number(new URL(path, 'http://x').searchParams.get('cursor') ?? 0)
    const items = slugs.map((slug, i) => ({
      ...{ type: 'upsert', resource: 'post', slug, updatedAt: 'now', post: { slug, ...POST, ...more } },
      id: `aaaaaaaa-0000-4000-8000-${String(i).padStart(12, '0')}`,
    }))
    const end = start + 10
    return {
      ...{ status: 200 },
      body: { items: items.slice(start, end), cursor: String(end), hasMore: end < items.length },
    }
  })

describe('export to a folder', () => {
  it('writes a file for each post, also in a folder that is named after a domain', async () => {
    await using server = await siteOf(['hello'])
    await using folder = await folderOf({})
    const dir = join(folder.path, 'blog.example.com')
    const { code } = await adminJson(server.url, 'export', 's1', dir)
    expect(code).toBe(0)
    expect(await readFile(join(dir, 'posts/hello.md'), 'utf8')).toBe(
      '---\ntitle: Hello\nslug: hello\nstatus: published\nbodyFormat: markdown\n---\nHello\n',
    )
  })

  it('has a file of its own for each slug, however similar they are', async () => {
    const alike = ['straße', 'STRASSE', 'οδος', 'οδοσ', 'caf\u00e9', 'cafe\u0301', 'ﬁne', 'FINE']
    const slugs = ['foo', 'foo-aaaaaaaa', 'Foo', 'FOO', '.hidden', 'readme', '_index', ...alike]
    await using server = await siteOf(slugs)
    await using folder = await folderOf({})
    const dir = join(folder.path, 'out')
    const { json } = await adminJson(server.url, 'export', 's1', dir)
    expect(json).toMatchObject({ files: slugs.length, written: slugs.length })
    const { files } = JSON.parse(await readFile(join(dir, '.export.json'), 'utf8'))
    const names = Object.values<string>(files).map((name) => name.normalize().toUpperCase())
    expect(new Set(names).size).toBe(slugs.length)
    expect(names.filter((name) => /\/(?:[._]|readme\.)/i.test(name))).toEqual([])
  })

  it('has the current redirects, ordered by address, in a format that can be imported', async () => {
    let redirects: Redirect[] = [
      { from: '/b', to: '/blog/hello', resource: 'post', slug: 'hello' },
      { from: '/a', to: 'https://other.example/' },
    ]
    await using server = await siteOf(['hello'], () => redirects)
    await using folder = await folderOf({})
    const dir = join(folder.path, 'out')
    const { json } = await adminJson(server.url, 'export', 's1', dir)
    expect(json).toMatchObject({ files: 1, redirects: 2 })
    expect(await readFile(join(dir, 'redirects.json'), 'utf8')).toBe(
      '{"items":[\n{"from":"/a","to":"https://other.example/"},\n{"from":"/b","resource":"post","slug":"hello"}\n]}\n',
    )
    const { script, redirects: put } = storingScript()
    await using other = await startManageServer(script)
    const imported = await adminJson(other.url, 'import', 'markdown', 's1', dir)
    expect(imported.json).toMatchObject({ imported: 1, redirects: 2, notTakenOver: [] })
    expect(Object.fromEntries(put)).toEqual({ '/a': 'https://other.example/', '/b': 'post hello' })

    redirects = []
    await adminJson(server.url, 'export', 's1', dir)
    await expect(readFile(join(dir, 'redirects.json'))).rejects.toThrow('ENOENT')
  })

  it('refuses a state file that names files outside of the folder or is of another kind', async () => {
    await using server = await siteOf([])
    const state = { site: 's1', cursor: null, files: {}, pending: ['../precious.txt'] }
    await using folder = await folderOf({
      'precious.txt': 'kept',
      'out/.export.json': JSON.stringify(state),
    })
    const refused = await adminJson(server.url, 'export', 's1', join(folder.path, 'out'))
    expect(refused.json.error).toContain('.export.json was not written by an export')
    expect(await readFile(join(folder.path, 'precious.txt'), 'utf8')).toBe('kept')
    const other = await adminJson(server.url, 'export', 's1', join(folder.path, 'site.json'))
    expect(other.json.error).toContain('must be a folder or end in .ndjson')
  })
})

/** Each post takes a few disk blocks. */
const largeSite = () =>
  siteOf(
    Array.from({ length: 30 }, (_, i) => `post-${i}`),
    undefined,
    { contentHtml: `<p>${'words '.repeat(2_000)}</p>` },
  )

/** Exports the site, and runs `after` with the writable folder, on a disk of its own. */
async function onSmallDisk(url: string, size: string, target: string, after: string) {
  await using folder = await folderOf({ 'disk/x': '' })
  const disk = join(folder.path, 'disk')
  const exported = `${process.execPath} ${MAIN} export s1 ${disk}/${target} 2>&1`
  const steps = [
    `mount -t tmpfs -o size=${size} none ${disk}`,
    `${exported}; echo "exit $?"`,
    `mount -o remount,size=10m ${disk}`,
    `${exported}; echo "exit $?"`,
    after.replaceAll('DISK', disk),
  ]
  const [command, options] = mounting!
  const child = spawn(command, [options, 'sh', '-c', steps.join('\n')], {
    env: { ...process.env, HCA_URL: url, HCA_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return (await text(child.stdout)).replaceAll(disk, 'DISK')
}

describe.skipIf(!mounting)('an export to a full disk (skipped where none can be mounted)', () => {
  const FOLDER_LIST = 'ls DISK/out/posts | wc -l; ls -A DISK/out'
  const FILE_CHECK = 'wc -l < DISK/out.ndjson; tail -n 1 DISK/out.ndjson; ls -A DISK'

  it.each([
    ['200k', 'out', FOLDER_LIST, 'which has 30 and 0 redirects\nexit 0\n30\n.export.json\nguides\nposts\n'],
    [
      '150k',
      'out.ndjson',
      FILE_CHECK,
      /30 posts, 0 guides, 0 redirects .*\nexit 0\n32\n.*"posts":30.*\nout.ndjson\n$/,
    ],
  ])('reports it and later continues, with room for %s in %s', async (size, target, check, end) => {
    await using server = await largeSite()
    const output = await onSmallDisk(server.url, size, target, check)
    // A slow export prints its progress.
    const [first, , ...rest] = output.replaceAll(/^\{"progress".*\n/gm, '').split(/(?<=\nexit 1\n)/)
    expect(first).toMatch(
      new RegExp(
        `^The disk is full \\(DISK/${target}\\): free some space and run the same command again.*\nexit 1\n$`,
      ),
    )
    expect(rest).toEqual([])
    expect(output).toEqual(
      typeof end === 'string' ? expect.stringContaining(end) : expect.stringMatching(end),
    )
  })
})

it('an export to a folder writes nothing outside of it, whatever the service returns as a slug', async () => {
  for (const slug of ['../../x', '..', 'a/b', 'a\\b', '__proto__/x']) {
    await using server = await siteOf([slug])
    await using folder = await folderOf({})
    const { json, code } = await adminJson(server.url, 'export', 's1', join(folder.path, 'in/out'))
    expect([code, json.error]).toEqual([1, expect.stringContaining('malformed id or slug')])
  }
})
