import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { adminJson, folderOf } from './support/admin.ts'
import { startManageServer } from './support/manage-server.ts'

const POST = { title: 'Hello', contentHtml: '<p>Hello</p>', status: 'published' }

/** A site with these posts, whose feed has one page. */
const siteOf = (slugs: string[]) =>
  startManageServer(({ path }) => {
    if (!path.includes('/changes')) return { status: 200, body: { id: 's1', name: 'S' } }
    const items = slugs.map((slug, i) => ({
      ...{ type: 'upsert', resource: 'post', id: `aaaaaaaa-${i}`, slug },
      ...{ updatedAt: 'now', post: { slug, ...POST } },
    }))
    return { status: 200, body: { items, cursor: 'c', hasMore: false } }
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

  it('has a file of its own for each slug, however alike they are', async () => {
    const slugs = ['foo', 'foo-aaaaaaaa', 'Foo', 'FOO', '.hidden', 'readme', '_index']
    await using server = await siteOf(slugs)
    await using folder = await folderOf({})
    const dir = join(folder.path, 'out')
    const { json } = await adminJson(server.url, 'export', 's1', dir)
    expect(json).toMatchObject({ files: slugs.length, written: slugs.length })
    const { files } = JSON.parse(await readFile(join(dir, '.export.json'), 'utf8'))
    const names = Object.values<string>(files).map((name) => name.toLowerCase())
    expect(new Set(names).size).toBe(slugs.length)
    expect(names.filter((name) => /\/(?:[._]|readme\.)/.test(name))).toEqual([])
  })

  it('refuses a state that names files outside of it, and what is another kind of file', async () => {
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
    expect(other.json.error).toContain('is neither a folder nor ends in .ndjson')
  })
})
