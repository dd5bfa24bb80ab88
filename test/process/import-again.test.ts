/** A site that is imported repeatedly, while both sides are edited. */
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { admin } from '../cli/support/admin.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let folder: string

beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(join(tmpdir(), 'import-again-'))
})

afterAll(async () => {
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

type Report = Record<string, unknown> & { skipped: unknown[]; notTakenOver: unknown[] }

async function cli(...args: string[]): Promise<Report> {
  const connection = ['--url', service.origin, '--token', service.operatorToken]
  const { stdout } = await admin([...connection, ...args, '--json'])
  return JSON.parse(stdout)
}

type Files = Record<string, string | null>

/** A folder of Markdown, and its import into a site of its own. */
async function blogOf(files: Files) {
  const { id, path } = await service.makeSite()
  const dir = join(folder, id)
  await mkdir(dir)
  const write = async (changed: Files) => {
    for (const [name, text] of Object.entries(changed))
      await (text === null ? rm(join(dir, name)) : writeFile(join(dir, name), text))
  }
  await write(files)
  return {
    ...{ id, dir, path },
    write,
    move: (from: string, to: string) => rename(join(dir, from), join(dir, to)),
    run: (...flags: string[]) => cli('import', 'markdown', id, dir, '--status', 'published', ...flags),
    async slugs() {
      const { items } = await service.manage<{ items: { slug: string; originId: string }[] }>(
        'GET',
        `${path}/posts`,
      )
      return Object.fromEntries(items.map(({ slug, originId }) => [slug, originId]))
    },
    async body(slug: string) {
      const { post } = await service.manage<{ post: { contentHtml: string } }>('GET', `${path}/posts/${slug}`)
      return post.contentHtml
    },
  }
}

const post = (title: string, fields = '', body = title) => `---\ntitle: ${title}\n${fields}\n---\n${body}\n`

describe('a second import', () => {
  it('renames articles that were renamed at the source, and redirects the old slug', async () => {
    const blog = await blogOf({ 'a.md': post('A', 'slug: old'), 'b.md': post('B', '', '[A](a.md)') })
    await blog.run()
    await blog.write({ 'a.md': post('A', 'slug: new') })
    expect(await blog.run()).toMatchObject({ imported: 0, renamed: 1, updated: 1, skipped: [] })
    expect(await blog.slugs()).toEqual({ new: 'markdown:a.md', b: 'markdown:b.md' })
    expect(await blog.body('b')).toContain('/blog/new')
    const site = await service.manage<{ key: string }>('POST', `${blog.path}/keys`, { name: 'reader' })
    const redirects = await fetch(`${service.origin}/api/v1${blog.path}/redirects`, {
      headers: { Authorization: `Bearer ${site.key}` },
    })
    expect(await redirects.text()).toContain('/blog/old')
    expect(await blog.run()).toMatchObject({ imported: 0, updated: 0, unchanged: 2 })
  })

  it('keeps the name of an article renamed here, and links lead to it', async () => {
    const blog = await blogOf({ 'a.md': post('A'), 'b.md': post('B', '', '[A](a.md)') })
    await blog.run()
    await service.manage('PUT', `${blog.path}/posts/a/slug`, { slug: 'better' })
    await blog.write({ 'a.md': post('A', '', 'Edited'), 'c.md': post('C', '', '[A](a.md)') })
    expect(await blog.run()).toMatchObject({ imported: 1, updated: 2, skipped: [] })
    expect(Object.keys(await blog.slugs()).sort()).toEqual(['b', 'better', 'c'])
    expect(await blog.body('better')).toContain('Edited')
    for (const slug of ['b', 'c']) expect(await blog.body(slug)).toContain('/blog/better')
    expect(await blog.run()).toMatchObject({ updated: 0, unchanged: 3 })
    // An article of the same name at the source is added separately.
    await blog.write({ 'better.md': post('Best', '', '[A](a.md)') })
    expect(await blog.run()).toMatchObject({ imported: 1, unchanged: 3, skipped: [] })
    expect(await blog.slugs()).toMatchObject({ 'better-2': 'markdown:better.md', better: 'markdown:a.md' })
    expect(await blog.body('better-2')).toContain('/blog/better"')
  })

  it('keeps the slug of a note when another of the same name is added', async () => {
    const blog = await blogOf({ 'b.md': post('B', 'slug: x'), 'c.md': post('C', 'slug: x') })
    await blog.run()
    const given = { x: 'markdown:b.md', 'x-2': 'markdown:c.md' }
    expect(await blog.slugs()).toEqual(given)
    await blog.write({ 'a.md': post('A', 'slug: x'), 'd.md': post('D', '', '[A](a.md) [C](c.md)') })
    expect(await blog.run()).toMatchObject({ imported: 2, unchanged: 2, skipped: [] })
    expect(await blog.slugs()).toEqual({ ...given, 'x-3': 'markdown:a.md', d: 'markdown:d.md' })
    expect(await blog.body('d')).toMatch(/\/blog\/x-3".*\/blog\/x-2"/)
  })

  it('handles slugs that were swapped, passed on, or given to a new article', async () => {
    const slugOf = (slug: string) => post('P', `slug: ${slug}`, 'Body')
    const blog = await blogOf({
      '1.md': slugOf('a'),
      '2.md': slugOf('b'),
      '3.md': slugOf('c'),
      '4.md': slugOf('d'),
    })
    await blog.run()
    await blog.write({
      ...{ '1.md': slugOf('b'), '2.md': slugOf('a'), '3.md': slugOf('d'), '4.md': slugOf('e') },
      '5.md': slugOf('c'),
    })
    expect(await blog.run()).toMatchObject({ imported: 1, skipped: [], notTakenOver: [] })
    const wanted = { b: 1, a: 2, d: 3, e: 4, c: 5 }
    expect(await blog.slugs()).toEqual(
      Object.fromEntries(Object.entries(wanted).map(([slug, n]) => [slug, `markdown:${n}.md`])),
    )
  })

  it('finds an article by its id, wherever its file is, and adopts one without an origin by its slug', async () => {
    const blog = await blogOf({ 'a.md': post('A', 'id: 7f3a'), 'b.md': post('B') })
    await service.manage('PUT', `${blog.path}/posts/b`, { title: 'B', contentHtml: '<p>Older</p>' })
    expect(await blog.run()).toMatchObject({ imported: 1, updated: 1 })
    expect(await blog.slugs()).toEqual({ a: 'markdown:#7f3a', b: 'markdown:b.md' })
    await blog.move('a.md', 'z.md')
    await blog.move('b.md', 'y.md')
    await blog.write({ 'y.md': post('B', 'slug: b') })
    expect(await blog.run()).toMatchObject({ imported: 0, renamed: 1 })
    expect(await blog.slugs()).toEqual({ z: 'markdown:#7f3a', b: 'markdown:y.md' })
  })

  it('names articles that are gone at the source, and with --delete-missing unpublishes or deletes them, unless a file was skipped', async () => {
    // Skipped too, although nobody would expect an article from these.
    const others = { 'README.md': '# Read me', '_index.md': post('Home'), 'empty.md': '' }
    const blog = await blogOf({ 'a.md': post('A'), 'b.md': post('B'), ...others })
    await service.manage('PUT', `${blog.path}/posts/own`, { title: 'Own', contentHtml: '<p>Ours</p>' })
    await blog.run()
    await blog.write({ 'b.md': null, 'c.md': '---\ntitle: [\n---\n' })
    const gone = { goneAtSource: ['posts/b (markdown:b.md)'] }
    expect(await blog.run('--delete-missing')).toMatchObject({
      ...gone,
      goneArticles: 'stay, since some items were skipped',
    })
    await blog.write({ 'c.md': null })
    expect(await blog.run()).toMatchObject({ ...gone, goneArticles: 'stay' })
    expect(await blog.run('--delete-missing', 'delete', '--dry-run')).toMatchObject(gone)
    expect(Object.keys(await blog.slugs()).sort()).toEqual(['a', 'b', 'own'])
    expect(await blog.run('--delete-missing', 'unpublish')).toMatchObject({ goneArticles: 'unpublished' })
    expect(await service.manage('GET', `${blog.path}/posts/b`)).toMatchObject({ post: { status: 'draft' } })
    expect(await blog.run('--delete-missing')).toMatchObject({ goneArticles: 'deleted' })
    expect(Object.keys(await blog.slugs()).sort()).toEqual(['a', 'own'])
    expect((await blog.run()).goneAtSource).toBeUndefined()
  })

  it('distinguishes two Ghosts, and finds articles that an earlier version stored by the id only', async () => {
    const blog = await blogOf({})
    const ghost = (hash: string | null, posts: object[]) =>
      JSON.stringify({
        db: [{ data: { posts, settings: hash === null ? [] : [{ key: 'db_hash', value: hash }] } }],
      })
    const row = (n: number, slug: string) => ({
      ...{ id: `${n}`.padStart(24, '0'), title: slug, slug, html: '<p>x</p>', status: 'published' },
    })
    const run = async (file: string, text: string, ...flags: string[]) => {
      await blog.write({ [file]: text })
      return cli('import', 'ghost', blog.id, join(blog.dir, file), ...flags)
    }
    await run('a.json', ghost(null, [row(1, 'one'), row(2, 'two'), row(3, 'three')]))
    expect(await run('a.json', ghost('A', [row(1, 'uno'), row(2, 'two')]))).toMatchObject({
      ...{ imported: 0, renamed: 1 },
      perhapsGoneAtSource: [`posts/three (ghost:${row(3, '').id})`],
    })
    expect(
      await run('b.json', ghost('B', [row(1, 'first'), row(4, 'two')]), '--delete-missing'),
    ).toMatchObject({
      ...{ imported: 1, perhapsGoneAtSource: [expect.stringContaining('posts/three')] },
      skipped: [
        { file: 'post 2 (two)', reason: expect.stringMatching(/^the slug two belongs to another article/) },
      ],
    })
    const origins = await blog.slugs()
    expect(Object.keys(origins).sort()).toEqual(['first', 'three', 'two', 'uno'])
    expect(origins.first!.split(':')[0]).not.toBe(origins.uno!.split(':')[0])
    const last = await run('a.json', ghost('A', [row(1, 'uno')]), '--delete-missing')
    expect(last).toMatchObject({ goneAtSource: [`posts/two (${origins.two})`], goneArticles: 'deleted' })
    expect(Object.keys(await blog.slugs()).sort()).toEqual(['first', 'three', 'uno'])
  })

  it('distinguishes two named folders, and finds articles imported without a name', async () => {
    const [docs, blog] = [
      await blogOf({ 'a.md': post('Docs', 'slug: docs') }),
      await blogOf({ 'a.md': post('A') }),
    ]
    await blog.run()
    expect(await blog.run('--origin', 'blog')).toMatchObject({ imported: 0 })
    expect(await blog.slugs()).toEqual({ a: 'markdown@blog:a.md' })
    const named = ['--origin', 'docs', '--delete-missing', '--status', 'published']
    const { imported, goneAtSource } = await cli('import', 'markdown', blog.id, docs.dir, ...named)
    expect({ imported, goneAtSource }).toEqual({ imported: 1, goneAtSource: undefined })
    expect(await blog.slugs()).toEqual({ a: 'markdown@blog:a.md', docs: 'markdown@docs:a.md' })
    expect(await blog.run('--origin', 'no:colon')).toMatchObject({
      error: expect.stringContaining('--origin takes'),
    })
  })

  it('does not take the slug of an article from another source', async () => {
    const blog = await blogOf({ 'a.md': post('A') })
    const theirs = { title: 'Theirs', contentHtml: '<p>Theirs</p>', originId: 'ghost:1' }
    await service.manage('PUT', `${blog.path}/posts/a`, theirs)
    expect(await blog.run()).toMatchObject({
      imported: 0,
      skipped: [{ file: 'a.md', reason: 'the slug a belongs to another article here, ghost:1' }],
    })
    expect(await blog.body('a')).toContain('Theirs')
  })

  it('names a rename to a slug that an article from here has', async () => {
    const blog = await blogOf({ 'a.md': post('A') })
    await blog.run()
    await service.manage('PUT', `${blog.path}/posts/ours`, { title: 'Ours', contentHtml: '<p>Ours</p>' })
    await blog.write({ 'a.md': post('A', 'slug: ours') })
    const { notTakenOver } = await blog.run()
    expect(notTakenOver).toEqual([
      {
        file: 'a.md',
        field: 'slug',
        reason:
          'renamed at the source to the slug of another post or guide here: it keeps its old slug: ours',
      },
    ])
    expect(await blog.body('ours')).toContain('Ours')
  })
})
