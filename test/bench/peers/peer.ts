/** An alternative content API, installed with npm and run in production mode next to ours. */
import { type ExecFileOptions, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Post } from '../../../src/content/posts/post.ts'
import type { Cleanups } from '../cleanups.ts'
import { cpuSeconds, watchDatabase } from '../cpu.ts'
import type { Meters } from '../measure.ts'

const READY_TIMEOUT_MS = 120_000

export type Peer = {
  name: string
  runsOn: 'node' | 'workers'
  origin: string
  headers: Record<string, string>
  /** A page of 12 posts with their bodies and the total of all, newest update first. */
  list(page: number): string
  /** The contents of such a response. `total` is missing if the peer has none. */
  read(answer: object): { posts: unknown[]; total?: number }
  /** A post, by its number, which is the peer's fastest way. */
  post(number: number): string
  meters: Meters
  /** Processes that serve. */
  processes(): Promise<number[]>
  /** Starts a new isolate with the same posts. Only on Workers. */
  restart?(): Promise<void>
  does: Does
  /** True if it caches responses, so that it reads a page from the database only once. */
  caches: boolean
}

/** Its work besides reading: checking a key, counting requests, and how many seconds a response may be stale. */
export type Does = { key: boolean; quota: boolean; staleSeconds: number }

/** Where the peers are: their folders, their PostgreSQL server, and what they hold. */
export type Setting = { dir: string; server: string; posts: Post[] }

type Package = { type?: string; dependencies: Record<string, string>; overrides?: Record<string, string> }

/** Installs exact versions into a folder outside the repository; what an earlier run has installed is used again. */
export async function install(dir: string, wanted: Package): Promise<void> {
  const file = join(dir, 'package.json')
  const text = JSON.stringify({ private: true, ...wanted }, null, 2)
  const kept = existsSync(join(dir, 'node_modules/.package-lock.json')) && (await readFile(file, 'utf8'))
  if (kept === text) return
  await mkdir(dir, { recursive: true })
  await writeFile(file, text)
  console.error(`Installing ${Object.keys(wanted.dependencies).join(' and ')} in ${dir}`)
  // Peer dependencies are the admin's, which is not served; what scripts would compile is not used.
  const args = [
    'install',
    '--legacy-peer-deps',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  await run('npm', args, { cwd: dir })
}

/** Clones what has this tag into a folder, if it is not there. */
export async function clone(repository: string, tag: string, dir: string): Promise<void> {
  if (existsSync(dir)) return
  await run('git', ['clone', '--quiet', '--depth=1', `--branch=${tag}`, repository, dir])
}

/** Runs a command to its end. */
export const run = (file: string, args: string[], options: ExecFileOptions = {}) =>
  promisify(execFile)(file, args, { ...options, encoding: 'utf8', maxBuffer: 1e8 })

/** Builds a project of Astro for production. Returns the main module of its Worker. */
export async function buildAstro(dir: string): Promise<string> {
  await runOnce({ dir, script: 'node_modules/astro/bin/astro.mjs', args: ['build', '--silent'], env: {} })
  return join(dir, 'dist/server/entry.mjs')
}

/** Writes the files of a project, by their paths. */
export async function writeProject(dir: string, files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(dir, dirname(file)), { recursive: true })
    await writeFile(join(dir, file), text)
  }
}

type Command = { dir: string; script: string; args: string[]; env: Record<string, string> }

const environment = ({ dir, env }: Command) => ({
  cwd: dir,
  env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...env },
})

/** Runs a script of the peer to its end. */
export async function runOnce(command: Command): Promise<void> {
  await run(process.execPath, [command.script, ...command.args], environment(command))
}

/** Starts the peer's server; `message` is what it says to its parent, if anything. */
export async function startServer(cleanups: Cleanups, command: Command & { healthUrl: string }) {
  const child = fork(command.script, command.args, { ...environment(command), execArgv: [], silent: true })
  let log = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk) => {
      log = (log + chunk).slice(-4_000)
    })
  }
  const exited = once(child, 'exit')
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  cleanups.push(async () => {
    process.off('exit', kill)
    kill()
    await exited
  })
  let message: unknown
  child.once('message', (given) => {
    message = given
  })
  for (const deadline = Date.now() + READY_TIMEOUT_MS; ; await sleep(200)) {
    const response = await fetch(command.healthUrl).catch(() => null)
    await response?.body?.cancel()
    if (response?.ok) return { pid: child.pid!, message }
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`${command.dir} does not start:\n${log}`)
  }
}

/** For a Node server. */
export function measuredBy(pid: number, databaseUrl: string): Pick<Peer, 'meters' | 'processes'> {
  return {
    meters: { serverCpu: () => cpuSeconds(pid), postgresCpu: watchDatabase(databaseUrl) },
    processes: async () => [pid],
  }
}
