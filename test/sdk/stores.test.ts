import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { folderStore } from '../../src/sdk/client/folder.ts'
import { sqliteStore } from '../../src/sdk/client/sqlite.ts'
import { memoryStore, type Store } from '../../src/sdk/client.ts'
import { commit, guide, idOf, post, titlesIn } from './support/content.ts'

const COMMITTER = join(import.meta.dirname, 'support/committer.ts')

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'store-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const openFolder = () => folderStore(join(dir, 'copy'))
const openSqlite = () => sqliteStore(join(dir, 'copy.sqlite'))
const KINDS: [string, () => Store][] = [
  ['memory', memoryStore],
  ['folder', openFolder],
  ['sqlite', openSqlite],
]
const ON_DISK = KINDS.slice(1)

describe.each(KINDS)('the %s store', (_, open) => {
  it('is empty at first', async () => {
    const store = open()
    expect([await store.state(), await store.get('post', 'a'), await titlesIn(store)]).toEqual([
      null,
      null,
      [],
    ])
    await store.close()
  })

  it('puts and removes by id, and finds by slug', async () => {
    const store = open()
    await store.commit(commit(null, '1', { put: [post('a', 'First', 'old'), post('b'), guide('old')] }))
    expect((await store.get('post', 'old'))?.title).toBe('First')
    const remove = [
      { resource: 'post', id: idOf('b') } as const,
      { resource: 'guide', id: idOf('missing') } as const,
    ]
    expect(await store.commit(commit('1', '2', { put: [post('a', 'Second', 'new')], remove }))).toBe(true)
    expect(await titlesIn(store)).toEqual(['Second', 'old'])
    expect(await store.get('post', 'old')).toBeNull()
    expect((await store.get('post', 'new'))?.title).toBe('Second')
    expect((await store.get('guide', 'old'))?.title).toBe('old')
    expect(await store.state()).toBe('2')
    await store.close()
  })

  it('writes nothing when the state has changed', async () => {
    const store = open()
    await store.commit(commit(null, '1', { put: [post('a')] }))
    const late = { put: [post('b')], remove: [{ resource: 'post', id: idOf('a') } as const] }
    for (const from of [null, '0']) expect(await store.commit(commit(from, '2', late))).toBe(false)
    expect([await store.state(), await titlesIn(store)]).toEqual(['1', ['a']])
    await store.close()
  })

  it('lists more than it reads at once', async () => {
    const store = open()
    const ids = Array.from({ length: 450 }, (_, i) => `p${String(i).padStart(3, '0')}`)
    await store.commit(commit(null, '1', { put: [...ids.map((id) => post(id)), guide('g')] }))
    expect(await titlesIn(store)).toEqual(['g', ...ids])
    await store.close()
  })
})

describe.each(ON_DISK)('the %s store', (kind, open) => {
  it('keeps its content when it is opened again', async () => {
    const first = open()
    await first.commit(commit(null, '1', { put: [post('a')] }))
    await first.close()
    const second = open()
    expect([await second.state(), (await second.get('post', 'a'))?.title]).toEqual(['1', 'a'])
    await second.close()
  })

  it('shows writes by others', async () => {
    const [one, other] = [open(), open()]
    await one.commit(commit(null, '1', { put: [post('a')] }))
    expect((await other.get('post', 'a'))?.title).toBe('a')
    await one.commit(commit('1', '2', { put: [post('a', 'Second')] }))
    expect((await other.get('post', 'a'))?.title).toBe('Second')
    expect(await other.commit(commit('1', '3'))).toBe(false)
    await Promise.all([one.close(), other.close()])
  })

  it('accepts one commit at a time from many processes, some of which are killed', async () => {
    const heard: number[] = []
    const start = (times: number) => {
      const child = startCommitter(kind, times, 1)
      createInterface(child.stdout!).on('line', (line) => heard.push(Number(line)))
      return child
    }
    const lasting = [start(10), start(10)]
    const ended = lasting.map((child) => once(child, 'exit'))
    for (let killed = 0; killed < 2; killed++) await killAfterLine(start(1_000_000))
    for (const [code] of await Promise.all(ended)) expect(code).toBe(0)
    // Each sum was reached once; killed processes may not have printed theirs.
    expect(new Set(heard).size).toBe(heard.length)
    const store = open()
    const state = Number(await store.state())
    expect(state).toBeGreaterThanOrEqual(Math.max(...heard))
    expect(state - heard.length).toBeLessThanOrEqual(2)
    await store.commit(commit(String(state), 'end', { put: [post('counter-0', 'end')] }))
    expect(await titlesIn(store)).toEqual(['end'])
    await store.close()
  })
})

const MANY = 60

describe('a killed commit', () => {
  it.each([
    ['sqlite', openSqlite, [0]],
    ['folder', openFolder, [0, 1]],
  ])('leaves no state without its articles, in the %s store', async (kind, open, ahead) => {
    for (let kills = 0; kills < 4; kills++) {
      await killAfterLine(startCommitter(kind, 1_000_000, MANY))
      const store = open()
      const state = Number(await store.state())
      const titles = await titlesIn(store)
      expect(titles).toHaveLength(MANY)
      expect(ahead).toEqual(expect.arrayContaining(titles.map((title) => Number(title) - state)))
      await store.close()
    }
  })
})

function startCommitter(kind: string, times: number, posts: number): ChildProcess {
  const path = join(dir, kind === 'folder' ? 'copy' : 'copy.sqlite')
  return spawn(process.execPath, [COMMITTER, kind, path, String(times), String(posts)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function killAfterLine(child: ChildProcess): Promise<void> {
  await once(child.stdout!, 'data')
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 30))
  child.kill('SIGKILL')
  await once(child, 'exit')
}

describe('the folder store', () => {
  const files = () => readdirSync(join(dir, 'copy'))

  it('has a JSON file for each post and guide', async () => {
    const store = openFolder()
    await store.commit(commit(null, '1', { put: [post('a'), guide('g')] }))
    expect(readdirSync(join(dir, 'copy/posts'))).toEqual([`${idOf('a')}.json`])
    expect(JSON.parse(readFileSync(join(dir, `copy/guides/${idOf('g')}.json`), 'utf8')).content.title).toBe(
      'g',
    )
  })

  it('keeps few lock files', async () => {
    const store = openFolder()
    for (let i = 0; i < 30; i++) await store.commit(commit(i ? String(i) : null, String(i + 1)))
    expect(files().length).toBeLessThan(15)
  })

  it('waits for a process on another machine, until its lock is too old', async () => {
    const store = openFolder()
    await store.commit(commit(null, '1'))
    const lock = join(dir, 'copy/lock.2')
    writeFileSync(lock, 'another-machine 1 1')
    let isDone = false
    const waiting = store.commit(commit('1', '2')).then(() => {
      isDone = true
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(isDone).toBe(false)
    const longAgo = new Date(Date.now() - 31_000)
    utimesSync(lock, longAgo, longAgo)
    await waiting
    expect(await store.state()).toBe('2')
  })
})
