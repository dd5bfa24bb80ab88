import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../support/service.ts'

const PROJECT = join(import.meta.dirname, '../..')
const CLIENT = join(PROJECT, 'src/sdk')
const { dependencies, exports: entries, version } = readPackage(CLIENT)
/** The package's engine, with its own types, from this installation. */
const ENGINE = ['openapi-fetch', 'openapi-typescript-helpers']

const run = promisify(execFile)

/** The machine's Node binaries that the package supports, one per version. */
const NODES = new Map(
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((dir) => join(dir, 'node'))
    .filter((file) => existsSync(file))
    .map((file) => [execFileSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim(), file]),
)

let user: string
let installed: string
let service: Service

beforeAll(async () => {
  user = mkdtempSync(join(tmpdir(), 'user-'))
  installed = join(user, 'node_modules/headless-content-api')
  writeFileSync(join(user, 'package.json'), '{ "type": "module", "private": true }')
  ;[service] = await Promise.all([startService(), install()])
})

afterAll(async () => {
  await service?.stop()
  rmSync(user, { recursive: true, force: true })
})

/** Only from files, as a user would install from the registry. */
async function install(): Promise<void> {
  const npm = (dir: string, ...parts: string[]) => run('npm', ['--prefix', dir, ...parts], { cwd: dir })
  const folders = ENGINE.map((name) => join(PROJECT, 'node_modules', name))
  await npm(CLIENT, 'pack', '--pack-destination', user)
  await npm(user, 'pack', '--ignore-scripts', '--pack-destination', user, ...folders)
  const tarballs = readdirSync(user).filter((name) => name.endsWith('.tgz'))
  await npm(user, 'install', '--offline', '--no-audit', '--no-fund', ...tarballs.map((name) => `./${name}`))
}

function readPackage(dir: string) {
  return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
}

/** The loader's types need Astro's, and are checked with its example. */
const needsNothing = (entry: string) => entry !== './astro'

const filesBelow = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))

describe('the npm package', () => {
  it('has everything that a user needs, and nothing else', () => {
    const files = filesBelow(installed)
    const built = files.filter((file) => /^dist\/[a-z/]+\.(js|d\.ts)$/.test(file))
    expect(files.filter((file) => !built.includes(file)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ])
    for (const file of built.filter((each) => each.endsWith('.js'))) {
      expect(files).toContain(file.replace(/\.js$/, '.d.ts'))
    }
  })

  it('includes its engine, and nothing from the service', () => {
    expect(Object.keys(dependencies)).toEqual(ENGINE.slice(0, 1))
    const packages = readdirSync(join(user, 'node_modules')).filter((name) => !name.startsWith('.'))
    expect(packages.sort()).toEqual(['headless-content-api', ...ENGINE])
  })

  it('runs no script at installation', () => {
    const ran = ['preinstall', 'install', 'postinstall'].filter(
      (name) => name in readPackage(installed).scripts,
    )
    expect(ran).toEqual([])
  })

  it('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true })
    expect(pkg?.version).toBe(version)
    expect(messages.map((message) => formatMessage(message, pkg!))).toEqual([])
  })

  it.each(['nodenext', 'bundler'])(
    'has types for %s, which are complete without those of Node',
    async (resolution) => {
      const config = {
        compilerOptions: {
          target: 'es2022',
          lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
          module: resolution === 'bundler' ? 'esnext' : 'nodenext',
          moduleResolution: resolution,
          types: [],
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
        },
        files: ['types.ts'],
      }
      const imports = Object.keys(entries)
        .filter(needsNothing)
        .map((each, i) => `import * as entry${i} from 'headless-content-api${each.slice(1)}'`)
      writeFileSync(join(user, 'tsconfig.json'), JSON.stringify(config))
      writeFileSync(
        join(user, 'types.ts'),
        `${imports.join('\n')}
       import { type Client, createClient, memoryStore, type Post, type PostList, type Query } from 'headless-content-api/client'
       export const all = [${imports.map((_, i) => `entry${i}`)}]
       const client = createClient({ url: 'https://content.example', site: 'id', key: 'key' })
       const { items } = await client.listPosts({ status: 'draft', pageSize: 5 }, { signal: AbortSignal.timeout(1) })
       export const title: string = items[0]!.title
       for await (const { rows } of client.trainingPages()) rows[0]!.prompt.at(0)
       export const guide: { contentHtml: string } | null = await memoryStore().get('guide', 'slug')
       export const listed = (query: Query<'listPosts'>): Promise<PostList> => client.listPosts(query)
       export const read = (query: Query<'getPost'>): Promise<Post> => client.getPost('a', query)
       export const html = (list: Awaited<ReturnType<Client['listPosts']>>): string => list.items[0]!.contentHtml
       export const changed = (list: Awaited<ReturnType<Client['listChanges']>>) => list.items.length
       for await (const list of client.postPages({} as Query<'listPosts'>)) html(list)
       const { excerpt } = await client.getPost('a', { fields: 'excerpt' })
       export const given: string | null | undefined = excerpt
       // @ts-expect-error it may be left out
       export const whole: Promise<PostList> = client.listPosts({ fields: 'title' })
       // @ts-expect-error there is no such status
       await client.listPosts({ status: 'hidden' })
       // @ts-expect-error a slug is text
       await client.getPost(1)`,
      )
      const checked = await run(process.execPath, [
        join(PROJECT, 'node_modules/typescript/bin/tsc'),
        '-p',
        user,
      ]).catch((error: { stdout: string }) => error)
      expect(checked.stdout).toBe('')
    },
  )

  it.each([...NODES])('keeps a copy with Node %s', async (version, node) => {
    const major = Number.parseInt(version, 10)
    const site = await service.makeSite()
    await service.manage('PUT', `${site.path}/posts/a`, {
      title: `Read by Node ${major}`,
      contentHtml: '<p>a</p>',
    })
    const hasSqlite = major >= 22
    const dir = mkdtempSync(join(user, 'copy-'))
    const program = `
      import { createClient, ContentApiError, memoryStore } from 'headless-content-api/client'
      import { folderStore } from 'headless-content-api/client/folder'
      ${hasSqlite ? "import { sqliteStore } from 'headless-content-api/client/sqlite'" : ''}
      const client = createClient(${JSON.stringify({ url: service.origin, site: site.id, key: site.key })})
      const stores = [memoryStore(), folderStore('${dir}/folder')]
      ${hasSqlite ? `stores.push(sqliteStore('${dir}/copy.sqlite'))` : ''}
      const seen = []
      for (const store of stores) {
        await client.sync(store)
        seen.push((await store.get('post', 'a')).title)
        await store.close()
      }
      const error = await client.getPost('missing').catch((each) => each)
      seen.push(error instanceof ContentApiError && error.message)
      console.log(JSON.stringify(seen))`
    writeFileSync(join(user, 'program.js'), program)
    const { stdout } = await run(node, [join(user, 'program.js')])
    const title = `Read by Node ${major}`
    expect(JSON.parse(stdout)).toEqual([title, title, ...(hasSqlite ? [title] : []), 'Post not found'])
  })
})
