/** Runs the Worker in its own process group, so that nothing is left behind. */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { redactor } from './redact.ts'
import type { RuntimeOptions } from './worker-runtime.ts'

const PROJECT = join(import.meta.dirname, '../..')
const TERM_MS = 2_500
const LEFTOVER_MS = 250
const KILL_MS = 500
const TAIL_LINES = 20
const TAIL_BYTES = 16 * 1024

export type WorkerProcess = {
  /** Also the group's id; undefined when the process could not start. */
  pid: number | undefined
  exited: Promise<void>
  logTail(): string
  /** Stops the whole group, with SIGKILL after 2.5 s. */
  stop(): Promise<void>
}

type WorkerOptions = {
  port: number
  dir: string
  vars: Record<string, string>
  secrets: Record<string, string>
  /** Opens V8's inspector, which shows every secret to anyone who can reach the port. */
  inspect?: boolean
  bundle?: string
  /** The queues keep their messages. */
  isPaused?: boolean
}

export function startWorker({
  port,
  dir,
  vars,
  secrets,
  inspect = false,
  bundle,
  isPaused = false,
}: WorkerOptions): WorkerProcess {
  const logFile = join(dir, 'worker.log')
  const watch = ['--no-warnings', '--import', join(import.meta.dirname, 'leave-with-parent.ts')]
  const child = spawn(process.execPath, [...watch, join(import.meta.dirname, 'worker-runtime.ts')], {
    detached: true,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const bindings = { ...vars, ...secrets }
  const persistTo = join(dir, 'miniflare')
  child.send({ port, persistTo, bindings, inspect, bundle, isPaused } satisfies RuntimeOptions)
  const log = openLog(logFile)
  const append = appender(log, logFile)
  const places = { [dir]: 'LOCAL_DIR', [PROJECT]: '.' }
  const redacted = redactor(Object.values(secrets), places)
  for (const input of [child.stdout!, child.stderr!]) {
    createInterface({ input }).on('line', (line) => append(`${redacted(line)}\n`))
  }
  const exited = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    // Unlike `exit`, `close` comes after the log is complete.
    child.once('close', () => {
      closeSync(log)
      resolve()
    })
  })
  return {
    pid: child.pid,
    exited,
    logTail: () => lastLines(logFile),
    stop: async () => {
      if (child.pid !== undefined) await stopGroup(child.pid, exited)
    },
  }
}

/** Keeps the log of the previous start as `.1`, because a crash is often looked at after the restart. */
export function openLog(file: string): number {
  if (existsSync(file)) renameSync(file, `${file}.1`)
  return openSync(file, 'w', 0o600)
}

/** A full disk may refuse lines: they are lost, and the first failure is reported. */
export function appender(log: number, file: string): (line: string) => void {
  let isLosing = false
  return (line) => {
    try {
      writeSync(log, line)
      isLosing = false
    } catch (error) {
      if (!isLosing) console.error(`Lines of ${file} are lost: ${(error as Error).message}`)
      isLosing = true
    }
  }
}

export function lastLines(file: string): string {
  const opened = openSync(file, 'r')
  try {
    const { size } = fstatSync(opened)
    const end = Buffer.alloc(Math.min(size, TAIL_BYTES))
    readSync(opened, end, 0, end.length, size - end.length)
    return end.toString().trimEnd().split('\n').slice(-TAIL_LINES).join('\n')
  } finally {
    closeSync(opened)
  }
}

async function stopGroup(pid: number, exited: Promise<void>): Promise<void> {
  signalGroup(pid, 'SIGTERM')
  await Promise.race([exited, sleep(TERM_MS)])
  // After this, only zombies that wait for init are left.
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

/** Resolves after two calls in a row without an answer, since one may only be slow. */
export async function untilUnanswered(answers: () => Promise<boolean>): Promise<void> {
  for (let missed = 0; missed < 2; ) missed = (await answers()) ? 0 : missed + 1
}
