import { mkdir, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openCache } from '../../../src/cli/markdown/cache.ts'
import { type Converted, convertFile } from '../../../src/cli/markdown/converted.ts'
import { readDependencies } from '../../../src/cli/markdown/dependencies.ts'
import { findMarkdown } from '../../../src/cli/markdown/folder.ts'
import { folderOf } from '../support/admin.ts'

const FILES = { 'blog/a.md': 'A', 'blog/b.md': 'B', 'blog/c.md': '[[a]]' }
const cascade = (date: string) => `+++\n[cascade]\ndate = ${date}\n+++\n`
const defaults = (title: string) => `defaults: [{ scope: { path: b }, values: { title: ${title} } }]`

async function sourceAt(root: string) {
  const { files, others } = await findMarkdown(root)
  return { root, files, others }
}

async function opened(home: string, root = join(home, 'blog')) {
  const cache = await openCache({ env: { HOME: home } }, await sourceAt(root))
  if (!cache) throw new Error('no cache')
  return cache
}

async function resultsOf(root: string): Promise<Converted[]> {
  const source = await sourceAt(root)
  const dependencies = await readDependencies(source)
  const answers = await Promise.all(source.files.map((file) => convertFile(root, file, dependencies)))
  return answers.filter((answer) => 'outline' in answer)
}

async function save(home: string, root = join(home, 'blog')): Promise<Converted[]> {
  const results = await resultsOf(root)
  const cache = await opened(home, root)
  await cache.save(
    (async function* () {
      yield* results
    })(),
  )
  return results
}

async function restored(home: string, root = join(home, 'blog')) {
  const taken: Converted[] = []
  const cache = await opened(home, root)
  const left = await cache.restore(async (one) => void taken.push(one))
  return { taken, left }
}

const kept = (home: string) => join(home, '.cache/headless-content-api')
const keptFile = async (home: string) => join(kept(home), (await readdir(kept(home)))[0] ?? '')

describe('the cache of a converted folder', () => {
  it('is used again, and readable only by its owner', async () => {
    await using home = await folderOf(FILES)
    const results = await save(home.path)
    expect(await restored(home.path)).toEqual({ taken: results, left: [] })
    expect((await stat(await keptFile(home.path))).mode & 0o777).toBe(0o600)
    expect((await stat(kept(home.path))).mode & 0o777).toBe(0o700)
  })

  it('is not used for a file that was changed, added, or replaced under the same name', async () => {
    await using home = await folderOf(FILES)
    await save(home.path)
    await writeFile(join(home.path, 'blog/a.md'), 'A changed')
    await writeFile(join(home.path, 'blog/d.md'), 'D')
    expect((await restored(home.path)).left).toEqual(['a.md', 'd.md'])
    await mkdir(join(home.path, 'elsewhere/blog'), { recursive: true })
    await writeFile(join(home.path, 'elsewhere/blog/b.md'), 'B')
    expect((await restored(home.path, join(home.path, 'elsewhere/blog'))).left).toEqual(['b.md'])
  })

  it('is not used for a file whose links depend on a deleted page', async () => {
    await using home = await folderOf(FILES)
    await save(home.path)
    expect((await restored(home.path)).left).toEqual([])
    await rm(join(home.path, 'blog/a.md'))
    expect((await restored(home.path)).left).toEqual(['c.md'])
  })

  it.each<[what: string, files: Record<string, string>, changed: Record<string, string>, left: string[]]>([
    [
      "Hugo's configuration",
      { 'hugo.toml': '', 'content/posts/a.md': 'A' },
      { 'hugo.toml': '[permalinks]\nposts = "/:slug/"' },
      ['content/posts/a.md'],
    ],
    [
      'a cascade',
      {
        'hugo.toml': '',
        'content/a/_index.md': cascade('2024-01-01'),
        'content/a/b.md': 'B',
        'content/c.md': 'C',
      },
      { 'content/a/_index.md': cascade('"2024-01-01"') },
      ['content/a/b.md'],
    ],
    [
      "Jekyll's defaults",
      { '_config.yml': defaults('One'), '_posts/2024-01-02-a.md': 'A', 'b/c.md': 'C' },
      { '_config.yml': defaults('Two') },
      ['b/c.md'],
    ],
    [
      "Jekyll's permalink pattern",
      { '_config.yml': '', '_posts/2024-01-02-a.md': 'A', 'about.md': 'B' },
      { '_config.yml': 'permalink: /:title.html' },
      ['_posts/2024-01-02-a.md'],
    ],
    [
      'a data file',
      { '.eleventy.js': '', 'posts/posts.json': '{"tags":"a"}', 'posts/a.md': 'A', 'b.md': 'B' },
      { 'posts/posts.json': '{"tags":"b"}' },
      ['posts/a.md'],
    ],
    [
      'a new data file',
      { '.eleventy.js': '', 'posts/a.md': 'A', 'b.md': 'B' },
      { 'b.11tydata.json': '{"title":"T"}' },
      ['b.md'],
    ],
    [
      'the authors',
      { 'docusaurus.config.js': '', 'authors.yml': 'a: { name: A }', 'a.md': 'A' },
      { 'authors.yml': 'a: { name: B }' },
      ['a.md'],
    ],
    ['the generator', { 'a.md': 'A' }, { '.obsidian/app.json': '{}' }, ['a.md']],
    ['its translation source', { 'a.fr.md': 'A', 'b.md': 'B' }, { 'a.md': 'A' }, ['a.fr.md', 'a.md']],
    [
      'a linked file of a vault',
      { '.obsidian/app.json': '{}', 'a.md': '[[a.pdf]]', 'b.md': 'B' },
      { 'a.pdf': '' },
      ['a.md'],
    ],
  ])('is not used for a file after a change of %s', async (_, files, changed, left) => {
    await using home = await folderOf({})
    await using blog = await folderOf(files)
    await save(home.path, blog.path)
    expect((await restored(home.path, blog.path)).left).toEqual([])
    for (const [file, text] of Object.entries(changed)) {
      await mkdir(dirname(join(blog.path, file)), { recursive: true })
      await writeFile(join(blog.path, file), text)
    }
    expect((await restored(home.path, blog.path)).left).toEqual(left)
  })
})

describe('a damaged cache', () => {
  it.each([
    ['truncated', async (file: string) => truncate(file, (await stat(file)).size - 40), ['c.md']],
    ['of another program', (file: string) => writeFile(file, '{"a":1}\n\0\n[]\n'), ['a.md', 'b.md', 'c.md']],
    [
      'changed in one character',
      async (file: string) =>
        writeFile(file, (await readFile(file, 'utf8')).replace('"slug":"b"', '"slug":"x"')),
      ['b.md'],
    ],
    [
      'of another converter',
      async (file: string) => {
        const lines = (await readFile(file, 'utf8')).split('\n')
        await writeFile(file, lines.map((line) => line && '0'.repeat(64) + line.slice(64)).join('\n'))
      },
      ['a.md', 'b.md', 'c.md'],
    ],
  ] as const)('%s: the missing files are converted', async (_, damage, left) => {
    await using home = await folderOf(FILES)
    const results = await save(home.path)
    await damage(await keptFile(home.path))
    const after = await restored(home.path)
    expect(after.left).toEqual(left)
    expect(after.taken).toEqual(
      results.filter(({ outline }) => !(left as readonly string[]).includes(outline.file)),
    )
  })

  it('a folder in its place is not used, and stays', async () => {
    await using home = await folderOf(FILES)
    await save(home.path)
    const file = await keptFile(home.path)
    await rm(file)
    await mkdir(file)
    expect((await restored(home.path)).left).toHaveLength(3)
    await save(home.path)
    expect((await restored(home.path)).left).toHaveLength(3)
    expect(await readdir(kept(home.path))).toHaveLength(1)
  })

  it('an impossible location keeps nothing', async () => {
    expect(await openCache({ env: {} }, { root: '/blog', files: [], others: [] })).toBeNull()
    expect(
      await openCache({ env: { HOME: 'relative' } }, { root: '/blog', files: [], others: [] }),
    ).toBeNull()
    await using home = await folderOf({ ...FILES, '.cache': 'a file' })
    await save(home.path)
    expect((await restored(home.path)).left).toHaveLength(3)
  })
})

describe('the cache of all folders', () => {
  it('is bounded: the least recently used files are deleted, and so are those of killed runs', async () => {
    await using home = await folderOf(FILES)
    const name = (digit: string, rest = '') => join(kept(home.path), `${digit.repeat(64)}.ndjson${rest}`)
    await mkdir(kept(home.path), { recursive: true })
    const long = new Date(Date.now() - 3 * 86_400_000)
    for (const [path, size, at] of [
      [name('1'), 600 * 2 ** 20, new Date()],
      [name('2'), 600 * 2 ** 20, long],
      [name('3', '.unfinished'), 1, long],
      [name('4', '.unfinished'), 1, new Date()],
      [join(kept(home.path), 'not-ours'), 1, long],
    ] as const) {
      await writeFile(path, '')
      await truncate(path, size)
      await utimes(path, at, at)
    }
    await save(home.path)
    const left = (await readdir(kept(home.path))).map((each) => each.replace(/^(.)\1{63}/, '$1'))
    expect(left).toEqual(expect.arrayContaining(['1.ndjson', '4.ndjson.unfinished', 'not-ours']))
    expect(left).toHaveLength(4)
  })
})
