/** The Worker in a process group of its own, without prompts, downloads, or processes left behind. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { writePrivate } from './private-file.ts'
import { redactor } from './redact.ts'
import type { RuntimeOptions } from './worker-runtime.ts'

const PROJECT = join(import.meta.dirname, '../..')
const TERM_MS = 2_500
const LEFTOVER_MS = 250
const KILL_MS = 500

export type WorkerProcess = {
  /** Of the process and its group. Undefined when it could not be started. */
  pid: number | undefined
  /** Resolves when the process has ended, by itself or through `stop`. */
  exited: Promise<void>
  /** The last lines of its log. */
  logTail(): string
  /** Stops the whole group, with SIGKILL after 2.5 s. */
  stop(): Promise<void>
}

type WorkerOptions = {
  port: number
  /** Folder of its data, secrets and log. */
  dir: string
  vars: Record<string, string>
  secrets: Record<string, string>
  /** Whether to open V8's inspector, which shows every secret to anyone who can reach the port. */
  inspect?: boolean
}

/** Starts the Worker on 127.0.0.1. Secrets are passed in a private file, so that no process list shows them. */
export function startWorker({ port, dir, vars, secrets, inspect = false }: WorkerOptions): WorkerProcess {
  const envFile = join(dir, 'worker.env')
  const logFile = join(dir, 'worker.log')
  writePrivate(
    envFile,
    Object.entries(secrets)
      .map(([name, value]) => `${name}="${value}"\n`)
      .join(''),
  )
  const options: RuntimeOptions = { port, envFile, persistTo: join(dir, 'wrangler'), vars, inspect }
  const watch = ['--no-warnings', '--import', join(import.meta.dirname, 'leave-with-parent.ts')]
  const runtime = join(import.meta.dirname, 'worker-runtime.ts')
  const child = spawn(process.execPath, [...watch, runtime, JSON.stringify(options)], {
    cwd: PROJECT,
    detached: true,
    // Wrangler would use a variable of this environment as the secret of the same name, such as DATABASE_URL.
    env: { ...without(process.env, Object.keys(secrets)), ...quiet(dir) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const log = openSync(logFile, 'w', 0o600)
  const places = { [dir]: 'LOCAL_DIR', [relative(PROJECT, dir)]: 'LOCAL_DIR', [PROJECT]: '.' }
  const redacted = redactor(Object.values(secrets), places)
  for (const input of [child.stdout!, child.stderr!]) {
    createInterface({ input }).on('line', (line) => writeSync(log, `${redacted(line)}\n`))
  }
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    // After its exit, when its log is complete.
    child.once('close', () => {
      closeSync(log)
      resolve()
    })
  })
  return {
    pid: child.pid,
    exited,
    logTail: () => readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-20).join('\n'),
    stop: async () => {
      if (child.pid !== undefined) await stopGroup(child.pid, exited)
    },
  }
}

function quiet(dir: string): Record<string, string> {
  return {
    CI: '1',
    NO_COLOR: '1',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    CLOUDFLARE_INCLUDE_PROCESS_ENV: 'false',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    // The banner checks for a newer version.
    WRANGLER_HIDE_BANNER: 'true',
    // It would store every URL, and that of a sitemap may hold a key.
    X_LOCAL_OBSERVABILITY: 'false',
    // It would show the Worker's data under /cdn-cgi.
    X_LOCAL_EXPLORER: 'false',
    WRANGLER_NO_SKILLS_UPDATE_PROMPTS: 'true',
    // Never from the environment: its debug log would hold secrets.
    WRANGLER_LOG: 'log',
    WRANGLER_LOG_PATH: join(dir, 'wrangler-logs'),
    WRANGLER_REGISTRY_PATH: join(dir, 'wrangler-registry'),
    WRANGLER_CACHE_DIR: join(dir, 'wrangler-cache'),
  }
}

function without(env: NodeJS.ProcessEnv, names: string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)))
}

async function stopGroup(pid: number, exited: Promise<void>): Promise<void> {
  signalGroup(pid, 'SIGTERM')
  await Promise.race([exited, sleep(TERM_MS)])
  // Anything left after this is a zombie that waits for init.
  const deadline = Date.now() + LEFTOVER_MS
  while (Date.now() < deadline && signalGroup(pid, 0)) await sleep(25)
  signalGroup(pid, 'SIGKILL')
  await Promise.race([exited, sleep(KILL_MS)])
}

// False when the group has no process left.
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}
