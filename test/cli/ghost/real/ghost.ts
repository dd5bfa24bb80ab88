/**
 * A real Ghost from npm with SQLite, in a temporary folder, with content of its own.
 * The first run installs it, which takes some minutes. Where npm has no SQLite binary for the machine, it is compiled with
 * Python, make and a C++ compiler.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../../support/free-port.ts'
import { type Row, signIn } from './admin-api.ts'
import { fill } from './content.ts'

const VERSION = '5.130.6'
const INSTALLED = join(tmpdir(), `ghost-${VERSION}`)
const READY_TIMEOUT_MS = 120_000

/** The data to compare: the answers of the Admin API, and the export. */
export type Site = {
  /** Without a trailing slash. */
  url: string
  /** Posts and pages from the Admin API, in no order. */
  rows(): Promise<Row[]>
  /** The file of Settings → Export. */
  exported(): Promise<string>
  redirects(): Promise<string>
}

export async function startGhost(): Promise<Site & AsyncDisposable> {
  await install()
  const content = await mkdtemp(join(tmpdir(), 'ghost-content-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const ghost = spawn(process.execPath, ['index.js'], {
    cwd: INSTALLED,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settingsOf(content, url, port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const close = async () => {
    const exited = ghost.exitCode === null && once(ghost, 'exit')
    ghost.kill('SIGKILL')
    await exited
    await rm(content, { recursive: true, force: true })
  }
  try {
    await cp(join(INSTALLED, 'content/themes'), join(content, 'themes'), { recursive: true })
    for (const folder of ['data', 'files', 'images', 'logs', 'media', 'public', 'settings'])
      await mkdir(join(content, folder))
    await answers(ghost, `${url}/ghost/api/admin/site/`)
    const api = await signIn(url)
    await fill(api, url)
    const listed = async (kind: 'posts' | 'pages'): Promise<Row[]> =>
      (await api(`${kind}/?limit=all&formats=html&include=tags,authors`))[kind].map((row: Row) => ({
        kind: kind === 'pages' ? 'guides' : 'posts',
        ...row,
      }))
    return {
      url,
      rows: async () => [...(await listed('posts')), ...(await listed('pages'))],
      exported: async () => JSON.stringify(await api('db/')),
      redirects: async () => JSON.stringify(await api('redirects/download/')),
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Like Ghost's own installer: in the package's folder, whose `yarn.lock` has the versions. Only SQLite has a script that
 * matters.
 */
async function install(): Promise<void> {
  if (existsSync(INSTALLED)) return
  const folder = await mkdtemp(join(tmpdir(), 'ghost-install-'))
  const run = (command: string, args: string[], cwd = folder) =>
    promisify(execFile)(command, args, { cwd, maxBuffer: 1e8 })
  try {
    process.stderr.write(`Installing Ghost ${VERSION} in ${INSTALLED}\n`)
    await run('npm', ['pack', '--silent', `ghost@${VERSION}`])
    await run('tar', ['xzf', `ghost-${VERSION}.tgz`])
    const root = join(folder, 'package')
    // Some development dependencies are not on npm.
    await run('npm', ['pkg', 'delete', 'devDependencies', 'scripts'], root)
    const flags = ['--omit=dev', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', '--ignore-scripts', ...flags], root)
    await run('npm', ['rebuild', 'sqlite3', '--loglevel=error'], root)
    await rename(root, INSTALLED)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function settingsOf(content: string, url: string, port: number): Record<string, string> {
  return {
    NODE_ENV: 'production',
    url,
    server__host: '127.0.0.1',
    server__port: String(port),
    database__client: 'sqlite3',
    database__connection__filename: join(content, 'data/ghost.db'),
    database__useNullAsDefault: 'true',
    paths__contentPath: content,
    logging__transports: '["stdout"]',
    logging__level: 'error',
    // Nothing reaches the internet, and no sign-in codes are mailed.
    privacy__useTinfoil: 'true',
    security__staffDeviceVerification: 'false',
  }
}

async function answers(ghost: ChildProcess, address: string): Promise<void> {
  let log = ''
  for (const stream of [ghost.stdout!, ghost.stderr!])
    stream.on('data', (chunk) => {
      log = (log + chunk).slice(-4_000)
    })
  for (const deadline = Date.now() + READY_TIMEOUT_MS; ; await sleep(200)) {
    const response = await fetch(address).catch(() => null)
    await response?.body?.cancel()
    if (response?.ok) return
    if (ghost.exitCode !== null || Date.now() > deadline) throw new Error(`Ghost does not start:\n${log}`)
  }
}
