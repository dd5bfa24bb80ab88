/** Runs the command line, in this process or in one of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { run } from '../../../src/cli/run.ts'
import { type Answer, startManageServer, storingScript, TOKEN } from './manage-server.ts'

export const MAIN = join(import.meta.dirname, '../../../src/cli/main.ts')

type Run = { code: number | null; stdout: string; stderr: string }

/** Runs `admin` with `args`. It sees no service except `localDir` and `environment`. */
export async function admin(
  args: string[],
  localDir = '/nonexistent',
  environment: Record<string, string> = {},
  // On a busy machine an ordinary file may exceed the default.
  fileTimeoutMs = 300_000,
): Promise<Run> {
  const written = { stdout: '', stderr: '' }
  const streamOf = (name: 'stdout' | 'stderr') => ({
    write: (piece: string) => {
      written[name] += piece
    },
  })
  const code = await run(args, {
    stdout: streamOf('stdout'),
    stderr: streamOf('stderr'),
    env: { LOCAL_DIR: localDir, ...environment },
    cwd: process.cwd(),
    fetch,
    fileTimeoutMs,
  })
  return { code, ...written }
}

/** Starts `admin` with `args` as a process that knows no service of the machine. */
export function startAdmin(args: string[]): ChildProcess {
  const { HCA_URL: _url, HCA_TOKEN: _token, NODE_OPTIONS: _options, ...env } = process.env
  return spawn(process.execPath, [MAIN, ...args], {
    env: { ...env, LOCAL_DIR: '/nonexistent' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export async function spawnAdmin(args: string[]): Promise<Run> {
  const child = startAdmin(args)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, stdout, stderr }
}

/** Runs `admin --json` against a server, and parses the one value that it writes. */
export async function adminJson(url: string, ...args: string[]) {
  const run = await admin(['--url', url, '--token', TOKEN, ...args, '--json'])
  return { ...run, json: JSON.parse(run.stdout) }
}

/** Runs `admin` against a server with these answers, the last of which it repeats. */
export async function adminWith(answers: Answer | Answer[], ...args: string[]) {
  const left = [answers].flat()
  await using server = await startManageServer(() => (left.length > 1 ? left.shift()! : left[0]!))
  const run = await admin(['--url', server.url, '--token', TOKEN, ...args])
  const asked = server.asked.map(({ method, path, body }) => ({ asks: `${method} ${path}`, body }))
  return { ...run, asked, json: args.includes('--json') ? JSON.parse(run.stdout) : undefined }
}

/** Imports these files as Markdown into an empty site. In `flags`, `DIR` is their folder. */
export async function importMarkdown(files: Record<string, string | Uint8Array>, ...flags: string[]) {
  const { script, stored, redirects } = storingScript()
  await using server = await startManageServer(script)
  await using folder = await folderOf(files)
  const args = ['import', 'markdown', 's1', folder.path, ...flags].map((arg) =>
    arg.replace('DIR', folder.path),
  )
  const run = await admin(['--url', server.url, '--token', TOKEN, ...args])
  const articles = Object.fromEntries([...stored].map(([slug, text]) => [slug, JSON.parse(text)]))
  const json = args.includes('--json') ? JSON.parse(run.stdout) : undefined
  return { ...run, json, articles, redirects: Object.fromEntries(redirects), asked: server.asked }
}

/** A folder with the given files, deleted at the end of the `using` scope. */
export async function folderOf(files: Record<string, string | Uint8Array>) {
  const path = await mkdtemp(join(tmpdir(), 'admin-'))
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, file)), { recursive: true })
    await writeFile(join(path, file), content)
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
