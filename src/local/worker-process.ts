/** `wrangler dev` as a process group of our own: nothing asked, nothing fetched, nothing left behind. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writePrivate } from './private-file.ts'

const PROJECT = join(import.meta.dirname, '../..')
const WRANGLER = join(PROJECT, 'node_modules/wrangler/wrangler-dist/cli.js')
const TERM_MS = 2_500
const LEFTOVER_MS = 250
const KILL_MS = 500

export type WorkerProcess = {
  /** Of the process and its group; undefined when it could not be started. */
  pid: number | undefined
  /** Settles when the process has ended by itself or by `stop`. */
  exited: Promise<void>
  /** The last lines of its log. */
  logTail(): string
  /** Ends the whole group, by force after 2.5 s. */
  stop(): Promise<void>
}

type WorkerOptions = {
  port: number
  /** Folder of its data, secrets and log. */
  dir: string
  vars: Record<string, string>
  secrets: Record<string, string>
}

/** Starts the Worker on 127.0.0.1. Secrets go by a private file, where no list of processes shows them. */
export function startWorker({ port, dir, vars, secrets }: WorkerOptions): WorkerProcess {
  const envFile = join(dir, 'worker.env')
  const logFile = join(dir, 'worker.log')
  writePrivate(
    envFile,
    Object.entries(secrets)
      .map(([name, value]) => `${name}="${value}"\n`)
      .join(''),
  )
  const log = openSync(logFile, 'w', 0o600)
  const watch = ['--no-warnings', '--import', join(import.meta.dirname, 'leave-with-parent.ts')]
  const flags = {
    ip: '127.0.0.1',
    port,
    'env-file': envFile,
    'persist-to': join(dir, 'wrangler'),
    'inspector-port': 0,
    'log-level': 'log',
    'show-interactive-dev-session': false,
    'live-reload': false,
  }
  const args = [
    ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    // Of an environment file wrangler takes only what wrangler.toml lists as secrets.
    ...Object.entries(vars).map(([name, value]) => `--var=${name}:${value}`),
  ]
  const child = spawn(process.execPath, [...watch, WRANGLER, 'dev', ...args], {
    cwd: PROJECT,
    detached: true,
    // Wrangler would take a secret of the same name from here, such as the DATABASE_URL behind the gateway.
    env: { ...without(process.env, Object.keys(secrets)), ...quiet(dir) },
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
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
    // The banner looks for a newer version.
    WRANGLER_HIDE_BANNER: 'true',
    // It would keep every URL, and a sitemap's may hold a key.
    X_LOCAL_OBSERVABILITY: 'false',
    WRANGLER_NO_SKILLS_UPDATE_PROMPTS: 'true',
    // Whatever the environment says: its debug log would hold secrets.
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
  // What is left after this is dead and waits for init to notice, or deserves no better.
  const deadline = Date.now() + LEFTOVER_MS
  while (Date.now() < deadline && signalGroup(pid, 0)) await sleep(25)
  signalGroup(pid, 'SIGKILL')
  await Promise.race([exited, sleep(KILL_MS)])
}

// False when no process of the group is left.
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}
