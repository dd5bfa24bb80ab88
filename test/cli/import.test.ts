import { execFileSync } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reasonOf } from '../../src/cli/markdown/folder.ts'
import { convertFiles } from '../../src/cli/markdown/pool.ts'
import { admin, adminJson, folderOf } from './support/admin.ts'
import { startManageServer, storingScript, TOKEN } from './support/manage-server.ts'

const post = (title: string) => `---\ntitle: ${title}\n---\nbody`
const putPaths = (asked: { method: string; path: string }[]) =>
  asked.filter(({ method }) => method === 'PUT').map(({ path }) => path)

describe('import markdown', () => {
  it('imports a folder, and a second import changes nothing', async () => {
    const { script, stored } = storingScript()
    await using server = await startManageServer(script)
    await using folder = await folderOf({
      'en/a.md': post('A'),
      'fr/a.md': post('A en français'),
      'b.mdx': '# B\n\n<Chart data={[1]}>kept</Chart>',
      'c.markdown': '+++\ntitle = "C"\n+++\nc',
      'notes.txt': 'not Markdown',
      '.git/d.md': post('D'),
    })
    const first = await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
    expect(first.json).toEqual({
      imported: 4,
      updated: 0,
      unchanged: 0,
      skipped: [],
      notTakenOver: [
        { file: 'b.mdx', field: 'contentHtml', reason: 'left out, but its text is kept: <Chart>' },
      ],
      images: [],
    })
    expect(first.code).toBe(0)
    expect([...stored.keys()].sort()).toEqual(['a', 'a-fr', 'b', 'c'])

    const again = await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
    expect(again.json).toMatchObject({ imported: 0, updated: 0, unchanged: 4 })
  })

  it('skips each bad file with its reason, and imports the rest', async () => {
    await using server = await startManageServer(storingScript().script)
    await using folder = await folderOf({
      'good.md': post('Good'),
      'bad-yaml.md': '---\ntitle: [\n---\n',
      'bad-mdx.mdx': '# A\n\n{',
      'deep.md': `${'>'.repeat(5_000)} x`,
      'empty.md': '',
      'nul.md': '# a\0',
      'latin1.md': new Uint8Array([0x23, 0x20, 0xe9]),
      'README.md': post('R'),
      'blog/_index.md': post('Blog'),
      'huge.md': `# x\n\n${'x'.repeat(8 * 1024 * 1024)}`,
    })
    await symlink('.', join(folder.path, 'loop'))
    await symlink('ring.md', join(folder.path, 'ring.md'))
    await symlink('/etc/hostname', join(folder.path, 'outside.md'))
    await symlink('nowhere.md', join(folder.path, 'dangling.md'))
    execFileSync('mkfifo', [join(folder.path, 'pipe.md')])
    const { code, json } = await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
    expect(code).toBe(1)
    expect(json.imported).toBe(1)
    expect(
      Object.fromEntries(json.skipped.map((one: { file: string; reason: string }) => [one.file, one.reason])),
    ).toEqual({
      'README.md': 'a README, not a post',
      'blog/_index.md': 'a section page of Hugo, not a post',
      'bad-mdx.mdx': expect.stringMatching(/^Unexpected end of file in expression/),
      'bad-yaml.md': expect.stringMatching(/^front matter is not valid YAML: /),
      'dangling.md': 'a broken symbolic link, or deleted in the meantime',
      'deep.md': expect.stringMatching(/^nested too deeply/),
      'empty.md': 'empty',
      'huge.md': 'larger than 8 MiB',
      'latin1.md': 'not valid UTF-8',
      loop: 'a symbolic link to a folder that contains it',
      'nul.md': 'contains a NUL byte',
      'outside.md': 'a symbolic link to outside the folder',
      'pipe.md': 'not a regular file',
      'ring.md': 'symbolic links form a loop',
    })
  })

  it('puts a refused batch item by item, so that only the bad ones are skipped', async () => {
    const blank = { path: 'title', message: 'must not be blank' }
    const { script } = storingScript(({ slug }) => (slug === 'b' ? blank : undefined))
    await using server = await startManageServer(script)
    await using folder = await folderOf({ 'a.md': post('A'), 'b.md': post('B'), 'c.md': post('C') })
    const { code, json } = await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
    expect(code).toBe(1)
    expect(json).toMatchObject({
      imported: 2,
      skipped: [{ file: 'b.md', reason: 'Invalid body: title must not be blank' }],
    })
    expect(putPaths(server.asked)).toEqual(Array(4).fill('/sites/s1/posts?events=none'))
  })

  it('sends no events by default, and says how many it would have sent', async () => {
    const { script } = storingScript()
    await using server = await startManageServer((asked) => {
      const answer = script(asked)
      if (asked.path.endsWith('?events=none'))
        Object.assign((answer as { body: object }).body, { eventsNotSent: 2 })
      return answer
    })
    await using folder = await folderOf({ 'a.md': post('A') })
    const run = ['import', 'markdown', 's1', folder.path]
    expect((await adminJson(server.url, ...run)).json).toMatchObject({ imported: 1, eventsNotSent: 2 })
    expect((await adminJson(server.url, ...run, '--send-events')).json).not.toHaveProperty('eventsNotSent')
    expect(putPaths(server.asked)).toEqual(['/sites/s1/posts?events=none', '/sites/s1/posts'])
  })

  it('stops when the service fails, and reports its progress', async () => {
    const { script } = storingScript()
    let puts = 0
    await using server = await startManageServer((asked) => {
      if (asked.method === 'PUT' && ++puts > 1) return { status: 500, body: { error: 'Internal error' } }
      return script(asked)
    })
    await using folder = await folderOf(
      Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`p${i}.md`, post('P')])),
    )
    const { code, json, stderr } = await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
    expect(code).toBe(1)
    expect(json.error).toBe(
      'Internal error (100 of 120 were saved before; run the same command again to continue)',
    )
    expect(stderr).toContain(json.error)
  })

  it('puts sources before their translations', async () => {
    const { script } = storingScript()
    await using server = await startManageServer(script)
    const files = Object.fromEntries(
      Array.from({ length: 120 }, (_, i) =>
        ['ar', 'en'].map((language) => [`${language}/p${i}.md`, post('P')]),
      ).flat(),
    )
    await using folder = await folderOf(files)
    const { json } = await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
    expect(json.imported).toBe(240)
    const put = server.asked.flatMap(({ body }) => body?.posts ?? []) as { sourceSlug?: string }[]
    const firstTranslation = put.findIndex(({ sourceSlug }) => sourceSlug)
    expect(put.slice(firstTranslation).every(({ sourceSlug }) => sourceSlug)).toBe(true)
    expect(firstTranslation).toBe(120)
  })

  it('takes --as, --status and --language', async () => {
    await using server = await startManageServer(storingScript().script)
    await using folder = await folderOf({ 'a.md': post('A') })
    const flags = ['--status', 'published', '--language', 'de']
    await adminJson(server.url, 'import', 'markdown', 's1', folder.path, ...flags)
    await adminJson(server.url, 'import', 'markdown', 's1', folder.path, ...flags, '--as', 'guides')
    const bodies = server.asked.filter(({ method }) => method === 'PUT').map(({ body }) => body)
    const origin = { originId: 'markdown:a.md', originSlug: 'a' }
    const common = { slug: 'a', title: 'A', contentHtml: '<p>body</p>', status: 'published', ...origin }
    expect(bodies).toEqual([{ posts: [{ ...common, language: 'de' }] }, { guides: [common] }])
  })

  it('prints a summary', async () => {
    await using server = await startManageServer(storingScript().script)
    await using folder = await folderOf({ 'a.md': '# A\n\n<Foo/>', 'b.md': 'b', 'c.md': '' })
    const run = await admin(['--url', server.url, '--token', TOKEN, 'import', 'markdown', 's1', folder.path])
    expect(run.stdout).toBe(
      'Skipped c.md: empty\n' +
        'Not imported: contentHtml (a.md): left out, but its text is kept: <Foo>\n' +
        'Changed: title (b.md): it has no title: the name of its file is used: B\n' +
        '2 imported, 0 updated, 0 unchanged, 1 skipped\n',
    )
  })

  it('says how many new articles are published without a date', async () => {
    await using server = await startManageServer(storingScript().script)
    const files = {
      'a.md': '# A\n\na',
      'b.md': '# B\n\nb',
      'c.md': '---\ntitle: C\ndate: 2024-05-06\n---\nc',
    }
    await using folder = await folderOf({ ...files, 'd.md': '---\ntitle: D\ndraft: true\n---\nd' })
    const args = ['--url', server.url, '--token', TOKEN, 'import', 'markdown', 's1', folder.path]
    const line = '2 articles have no date: they are published as of now\n'
    expect((await admin([...args, '--status', 'published', '--dry-run'])).stdout).toContain(line)
    expect((await admin([...args, '--status', 'draft', '--dry-run'])).stdout).not.toContain('no date')
    expect((await admin([...args, '--status', 'published'])).stdout).toContain(line)
    expect((await admin([...args, '--status', 'published'])).stdout).not.toContain('no date')
  })

  it.each([
    ['nowhere', 'Cannot read nowhere: the folder does not exist'],
    [import.meta.filename, `${import.meta.filename} is not a folder`],
  ])('of something that is not a folder fails in one line: %s', async (dir, error) => {
    const { json, code } = await adminJson('http://127.0.0.1:1', 'import', 'markdown', 's1', dir)
    expect(json).toEqual({ error })
    expect(code).toBe(1)
  })

  it('of a folder without Markdown fails in one line', async () => {
    await using server = await startManageServer(storingScript().script)
    await using folder = await folderOf({ 'a.txt': '' })
    const { json } = await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
    expect(json).toEqual({
      error: `No .md, .markdown or .mdx file, and no .html with front matter, in ${folder.path}`,
    })
  })
})

describe('a file without read permission', () => {
  it('is skipped with that reason', () => {
    expect(reasonOf(Object.assign(new Error('EACCES: …'), { code: 'EACCES' }))).toBe(
      'no permission to read it',
    )
  })
})

describe('a second run', () => {
  // No thread answers within a millisecond.
  const AT_ONCE = 1

  it('converts only changed files', async () => {
    const { script, stored } = storingScript()
    await using server = await startManageServer(script)
    await using home = await folderOf({ 'blog/a.md': post('A'), 'blog/b.md': post('B') })
    const again = async (flags: string[] = [], fileTimeoutMs?: number) => {
      const flagsOfAll = ['--url', server.url, '--token', TOKEN, '--json']
      const args = ['import', 'markdown', 's1', join(home.path, 'blog'), ...flags, ...flagsOfAll]
      const { stdout } = await admin(args, '/nonexistent', { HOME: home.path }, fileTimeoutMs)
      return JSON.parse(stdout)
    }
    const first = { imported: 2, updated: 0, unchanged: 0, skipped: [] }
    expect(await again(['--status', 'published'])).toMatchObject(first)
    const asBefore = { imported: 0, updated: 0, unchanged: 2, skipped: [] }
    expect(await again(['--status', 'published'], AT_ONCE)).toMatchObject(asBefore)
    // The cache does not contain anything from flags.
    const changed = { imported: 0, updated: 2, unchanged: 0, skipped: [] }
    expect(await again(['--status', 'draft', '--language', 'fr'], AT_ONCE)).toMatchObject(changed)
    expect(JSON.parse(stored.get('a') ?? '')).toMatchObject({ status: 'draft', language: 'fr' })

    await writeFile(join(home.path, 'blog/b.md'), post('B two'))
    expect((await again([], AT_ONCE)).skipped).toEqual([
      { file: 'b.md', reason: 'takes longer than 0.001 s to convert' },
    ])
    expect((await again(['--no-cache'], AT_ONCE)).skipped).toHaveLength(2)
    expect(await again()).toMatchObject({ skipped: [] })
    expect(JSON.parse(stored.get('b') ?? '')).toMatchObject({ title: 'B two' })
  })

  it('converts again files whose generator settings changed', async () => {
    const { script, stored } = storingScript()
    await using server = await startManageServer(script)
    const section = (title: string) => `---\ncascade:\n  description: ${title}\n---\n`
    await using home = await folderOf({
      'blog/hugo.toml': 'baseURL = "https://example.org/"',
      'blog/content/a/_index.md': section('One'),
      'blog/content/a/b.md': post('B'),
      'blog/content/c.md': post('C'),
    })
    const again = async (fileTimeoutMs?: number) => {
      const flags = ['--url', server.url, '--token', TOKEN, '--json']
      const args = ['import', 'markdown', 's1', join(home.path, 'blog'), ...flags]
      const { stdout } = await admin(args, '/nonexistent', { HOME: home.path }, fileTimeoutMs)
      return JSON.parse(stdout)
    }
    const lateFiles = ({ skipped }: { skipped: { file: string; reason: string }[] }) =>
      skipped.filter(({ reason }) => reason.startsWith('takes longer')).map(({ file }) => file)
    const descriptionOf = (slug: string) => JSON.parse(stored.get(slug) ?? '').excerpt
    await again()
    expect(descriptionOf('b')).toBe('One')
    const second = await again(AT_ONCE)
    expect(second).toMatchObject({ updated: 0, unchanged: 2 })
    expect(lateFiles(second)).toEqual([])

    await writeFile(join(home.path, 'blog/content/a/_index.md'), section('Two'))
    expect(lateFiles(await again(AT_ONCE))).toEqual(['content/a/b.md'])
    expect(await again()).toMatchObject({ updated: 1, unchanged: 1 })
    expect(descriptionOf('b')).toBe('Two')
    await writeFile(join(home.path, 'blog/hugo.toml'), 'baseURL = "https://example.org/blog/"')
    expect(lateFiles(await again(AT_ONCE))).toEqual(['content/a/b.md', 'content/c.md'])
  })
})

describe('a file that takes too long', () => {
  it('is skipped, and the rest is imported', async () => {
    const files: Record<string, string> = {
      'slow.md': `# x\n\n${'*a '.repeat(20_000)}${'b* '.repeat(20_000)}`,
    }
    for (let i = 0; i < 8; i++) files[`p${i}.md`] = post('P')
    await using folder = await folderOf(files)
    const taken: string[] = []
    const skipped: object[] = []
    const take = async ({ outline }: { outline: { file: string } }) => {
      taken.push(outline.file)
    }
    const skip = (one: object) => {
      skipped.push(one)
    }
    await convertFiles({ root: folder.path, files: Object.keys(files) }, { take, skip }, 3_000)
    expect(taken).toHaveLength(8)
    expect(skipped).toEqual([{ file: 'slow.md', reason: 'takes longer than 3 s to convert' }])
  })
})
