/**
 * A lock on a folder: the file `lock.N` with the highest N, which names its process. When that process is gone or has
 * emptied the file, another takes over by creating `lock.N+1`. Numbers are never reused, so nobody removes a newer lock.
 */
import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const RETRY_MS = 10
/** For a lock of another machine, whose processes are not visible. A commit takes less time. */
const STALE_MS = 30_000
/** Old locks stay for a while, so that a slow process that creates a successor of one sees a higher number. */
const KEPT = 8

export async function withLock<Result>(dir: string, work: () => Promise<Result>): Promise<Result> {
  const file = await take(dir)
  try {
    return await work()
  } finally {
    await writeFile(file, '')
  }
}

async function take(dir: string): Promise<string> {
  const fileOf = (number: number) => join(dir, `lock.${number}`)
  const highest = async () => Math.max(0, ...(await numbersIn(dir)))
  for (;;) {
    const last = await highest()
    if (last > 0 && (await isHeld(fileOf(last)))) {
      await sleep(RETRY_MS * (1 + Math.random()))
      continue
    }
    const mine = last + 1
    if (!(await create(fileOf(mine)))) continue
    if ((await highest()) === mine) {
      const old = (await numbersIn(dir)).filter((number) => number < mine - KEPT)
      await Promise.all(old.map((number) => rm(fileOf(number), { force: true })))
      return fileOf(mine)
    }
    await rm(fileOf(mine), { force: true })
  }
}

async function numbersIn(dir: string): Promise<number[]> {
  const matches = (await readdir(dir)).map((name) => /^lock\.(\d+)$/.exec(name))
  return matches.flatMap((match) => (match ? [Number(match[1])] : []))
}

/** Returns false if the file exists. It is linked into place with its content, so it is never empty by accident. */
async function create(file: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, await describe(process.pid))
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft)
  }
}

async function isHeld(file: string): Promise<boolean> {
  try {
    const holder = await readFile(file, 'utf8')
    if (holder === '') return false
    const [host, pid] = holder.split(' ')
    if (host !== hostname()) return Date.now() - (await stat(file)).mtimeMs < STALE_MS
    return (await describe(Number(pid))) === holder && isAlive(Number(pid))
  } catch (error) {
    // The holder of a later lock has removed this one.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Adds the start time (Linux only), since process ids are reused. A zombie counts as gone. */
async function describe(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = status.slice(status.lastIndexOf(')')).split(' ')
  return fields[1] === 'Z' ? '' : `${hostname()} ${pid} ${fields[20] ?? ''}`
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
