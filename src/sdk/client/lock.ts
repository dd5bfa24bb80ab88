/**
 * A lock on a folder: the file `lock.N` with the highest N. It names its process, and is taken over by making `lock.N+1`
 * when that process is gone or has emptied it. Numbers are not used again, so that nobody takes away a newer lock.
 */
import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const RETRY_MS = 10
/** Of a lock on another machine, whose processes cannot be seen. A commit takes less. */
const STALE_MS = 30_000
/** Old locks that stay, so that a slow process which makes one of their successors sees a higher number. */
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

/** False if there is one. It never exists without its content. */
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
    // The holder of a higher number has removed it.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Process ids are reused; with its start time, which Linux tells, one is unique. One that has ended but is listed is none. */
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
