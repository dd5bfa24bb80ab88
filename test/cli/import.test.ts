import { execFileSync } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reasonOf } from '../../src/cli/markdown/folder.ts'
import { convertFiles } from '../../src/cli/markdown/pool.ts'
import { admin, adminJson, folderOf, importMarkdown } from './support/admin.ts'
import { startManageServer, storingScript, TOKEN } from './support/manage-server.ts'

const post = (title: string, fields = '') => `---\ntitle: ${title}\n${fields}\n---\nbody`
/** More than one request takes. */
const MANY = Object.fromEntries(Array.from({ length: 104 }, (_, i) => [`p${i}.md`, post('P')]))
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
      'bad-yaml.md': expect.stringMatching(/^line \d+: the front matter is not valid YAML/),
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

  it.each([
    [500, 'Internal error', 2, 'Internal error (100 of 104 were saved before; import again to continue)'],
    [403, 'Needs the role editor', 1, /^Needs the role editor/],
  ])(
    'stops when the service answers %i, and reports its progress',
    async (status, error, failing, message) => {
      const { script } = storingScript()
      let puts = 0
      await using server = await startManageServer((asked) =>
        asked.method === 'PUT' && ++puts >= failing ? { status, body: { error } } : script(asked),
      )
      await using folder = await folderOf(MANY)
      const { code, json, stderr } = await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
      expect(code).toBe(1)
      expect(json.error).toMatch(message)
      expect(stderr).toContain(json.error)
      expect(puts).toBe(failing)
    },
  )

  it.each([
    ['posts', { language: 'de', tags: ['x'], authors: [{ name: 'Ada' }] }, []],
    ['guides', {}, ['language', 'authors', 'tags']],
  ])(
    'takes --status, --language and --as %s; fields that guides lack are named',
    async (kind, more, lost) => {
      const language = kind === 'guides' ? 'lang: fr\n' : ''
      const files = { 'a.md': post('A', `${language}tags: [x]\nauthor: Ada\ndescription: D`) }
      const flags = ['--as', kind, '--status', 'published', '--language', 'de', '--json']
      const { json, asked } = await importMarkdown(files, ...flags)
      const common = {
        ...{ slug: 'a', title: 'A', contentHtml: '<p>body</p>', excerpt: 'D', status: 'published' },
        ...{ originId: 'markdown:a.md', originSlug: 'a' },
      }
      expect(json.skipped).toEqual([])
      const put = asked.filter(({ method }) => method === 'PUT')
      expect(put.map(({ body }) => body)).toEqual([{ [kind]: [{ ...common, ...more }] }])
      expect(json.notTakenOver).toEqual(
        lost.map((field) => ({ file: 'a.md', field, reason: 'guides have no such field' })),
      )
    },
  )

  it('prints a summary', async () => {
    const { stdout } = await importMarkdown({ 'a.md': '# A\n\n<Foo/>', 'b.md': 'b', 'c.md': '' })
    expect(stdout).toBe(
      'Skipped c.md: empty\n' +
        'Not imported: contentHtml (a.md): left out, but its text is kept: <Foo>\n' +
        'Changed: title (b.md): it has no title: the name of its file is used: B\n' +
        '2 imported, 0 updated, 0 unchanged, 1 skipped\n',
    )
  })

  it('says how many new articles are published without a date', async () => {
    await using server = await startManageServer(storingScript().script)
    await using folder = await folderOf({
      ...{ 'a.md': '# A\n\na', 'b.md': '# B\n\nb', 'c.md': post('C', 'date: 2024-05-06') },
      'd.md': post('D', 'draft: true'),
    })
    const run = async (...flags: string[]) =>
      (
        await admin([
          '--url',
          server.url,
          '--token',
          TOKEN,
          'import',
          'markdown',
          's1',
          folder.path,
          ...flags,
        ])
      ).stdout
    const line = '2 articles have no date: they are published as of now\n'
    expect(await run('--status', 'published', '--dry-run')).toContain(line)
    expect(await run('--status', 'draft', '--dry-run')).not.toContain('no date')
    expect(await run('--status', 'published')).toContain(line)
    expect(await run('--status', 'published')).not.toContain('no date')
  })

  it.each([
    ['nowhere', 'Cannot read nowhere: the folder does not exist'],
    [import.meta.filename, `${import.meta.filename} is not a folder`],
    ['--include-drafts .', '--include-drafts needs --status published'],
    ['--include-drafts --status draft .', '--include-drafts needs --status published'],
  ])('is refused in one line: %s', async (args, error) => {
    const { json, code } = await adminJson(
      'http://127.0.0.1:1',
      'import',
      'markdown',
      's1',
      ...args.split(' '),
    )
    expect(json).toEqual({ error })
    expect(code).toBe(1)
  })

  it('of a folder without Markdown fails in one line', async () => {
    const { json } = await importMarkdown({ 'a.txt': '' }, '--json')
    expect(json.error).toMatch(
      /^No \.md, \.markdown or \.mdx file, and no \.html with front matter, in \/\S+$/,
    )
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

  it('converts only changed files, and those whose generator settings changed', async () => {
    const { script, stored } = storingScript()
    await using server = await startManageServer(script)
    const section = (title: string) => `---\ncascade:\n  description: ${title}\n---\n`
    await using home = await folderOf({
      'blog/hugo.toml': 'baseURL = "https://example.org/"',
      'blog/content/a/_index.md': section('One'),
      'blog/content/a/b.md': post('B'),
      'blog/content/c.md': post('C'),
    })
    const write = (file: string, text: string) => writeFile(join(home.path, 'blog', file), text)
    const again = async (fileTimeoutMs?: number, ...flags: string[]) => {
      const args = ['import', 'markdown', 's1', join(home.path, 'blog'), ...flags]
      const all = ['--url', server.url, '--token', TOKEN, ...args, '--json']
      const json = JSON.parse((await admin(all, '/nonexistent', { HOME: home.path }, fileTimeoutMs)).stdout)
      const skipped: { file: string; reason: string }[] = json.skipped
      const late = skipped.filter(({ reason }) => reason === 'takes longer than 0.001 s to convert')
      return { ...json, late: late.map(({ file }) => file) }
    }
    const put = (slug: string) => JSON.parse(stored.get(slug) ?? '')

    expect(await again()).toMatchObject({ imported: 2, late: [] })
    expect(put('b').excerpt).toBe('One')
    expect(await again(AT_ONCE)).toMatchObject({ imported: 0, unchanged: 2, late: [] })
    // The cache does not contain anything from flags.
    const flags = ['--status', 'draft', '--language', 'fr']
    expect(await again(AT_ONCE, ...flags)).toMatchObject({ updated: 2, late: [] })
    expect(put('b')).toMatchObject({ status: 'draft', language: 'fr' })

    await write('content/c.md', post('C two'))
    expect(await again(AT_ONCE)).toMatchObject({ late: ['content/c.md'] })
    expect(await again(AT_ONCE, '--no-cache')).toMatchObject({ late: ['content/a/b.md', 'content/c.md'] })
    await again()
    expect(put('c').title).toBe('C two')

    await write('content/a/_index.md', section('Two'))
    expect(await again(AT_ONCE)).toMatchObject({ late: ['content/a/b.md'] })
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
    await convertFiles({ root: folder.path, files: Object.keys(files) }, { take, skip }, 1_500)
    expect(taken).toHaveLength(8)
    expect(skipped).toEqual([{ file: 'slow.md', reason: 'takes longer than 1.5 s to convert' }])
  })
})
