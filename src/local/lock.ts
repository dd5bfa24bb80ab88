/** Locks a folder for one service: two would destroy its data. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const SETTLE_MS = 100
const PRIVATE = 0o700
const OTHERS = 0o077

/**
 * Creates `dir` if missing, and takes over the lock of a process that is gone. Returns a function that releases the lock.
 * @throws Error with the folder and process when another service has the lock
 */
export async function takeLock(dir: string): Promise<() => void> {
  prepare(dir)
  const file = join(dir, 'lock')
  const mine = describe(process.pid)
  if (!create(file, mine)) {
    const theirs = read(file)
    const pid = Number.parseInt(theirs, 10)
    if (pid !== process.pid && describe(pid) === theirs && isAlive(pid)) {
      throw new Error(
        `Another service (process ${pid}) uses the folder ${dir}: stop it, or set LOCAL_DIR to another`,
      )
    }
    rmSync(file, { force: true })
    create(file, mine)
    // If two take over at once, the later one gets the lock.
    await sleep(SETTLE_MS)
    if (read(file) !== mine) throw new Error(`Another service has just taken the folder ${dir}`)
  }
  return () => {
    if (read(file) === mine) rmSync(file, { force: true })
  }
}

function prepare(dir: string): void {
  try {
    makeFolder(dir)
    // The embedded database creates files that everyone can write.
    makePrivate(dir)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!code) throw error
    throw new Error(`The folder ${dir} cannot be used (${code}): set LOCAL_DIR to another`)
  }
}

// `recursive` never returns where folders cannot be created, for example in /proc.
function makeFolder(dir: string): void {
  if (existsSync(dir) && statSync(dir).isDirectory()) return
  if (!existsSync(dirname(dir))) makeFolder(dirname(dir))
  mkdirSync(dir, { mode: PRIVATE })
}

/** Leaves a folder with files alone, since others may use it. */
function makePrivate(dir: string): void {
  if ((statSync(dir).mode & OTHERS) === 0) return
  if (readdirSync(dir).length > 0) {
    throw new Error(
      `Other users can open the folder ${dir}, and it is not empty: set LOCAL_DIR to a new one, or close it with chmod 700`,
    )
  }
  chmodSync(dir, PRIVATE)
}

// Adds the start time (Linux only), since process ids are reused.
function describe(pid: number): string {
  return `${pid} ${statOf(pid)[19] ?? ''}`
}

/** Fields of /proc/PID/stat from the state on; empty without /proc. The name before them may contain spaces. */
function statOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** A zombie has ended, and only waits for its parent. */
function isAlive(pid: number): boolean {
  if (statOf(pid)[0] === 'Z') return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function create(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
