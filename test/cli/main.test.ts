/** The command line as a process, for behaviour that only a process has. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { folderOf, spawnAdmin, startAdmin } from './support/admin.ts'
import { startManageServer, storingScript, TOKEN } from './support/manage-server.ts'

const PROJECT = join(import.meta.dirname, '../..')
const emptyList = () => ({ status: 200, body: { items: [], next: null } })

describe('the process', () => {
  it('exits with 0 when everything succeeded, and finds the service by its environment', async () => {
    await using server = await startManageServer(emptyList)
    const child = spawn('npm', ['run', '-s', 'admin', '--', 'site', 'list'], {
      cwd: PROJECT,
      env: { ...process.env, HCA_URL: server.url, HCA_TOKEN: TOKEN },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'No sites yet\n', stderr: '' })
    expect(server.asked).toMatchObject([{ path: '/sites?limit=100', token: `Bearer ${TOKEN}` }])
  })

  it('exits with 1 when something failed, and ends its threads', async () => {
    await using server = await startManageServer(storingScript().script)
    await using folder = await folderOf({ 'a.md': '# A', 'b.md': '---\ntitle: [\n---\n' })
    const connection = ['--url', server.url, '--token', TOKEN]
    const { code, stdout } = await spawnAdmin([...connection, 'import', 'markdown', 's1', folder.path])
    expect(code).toBe(1)
    expect(stdout).toContain('1 imported, 0 updated, 0 unchanged, 1 skipped\n')
  })

  it('writes a long answer to a pipe completely', async () => {
    const items = Array.from({ length: 100 }, (_, id) => ({ id, name: 'x'.repeat(20_000) }))
    await using server = await startManageServer(() => ({ status: 200, body: { items, next: null } }))
    const list = ['--url', server.url, '--token', TOKEN, 'site', 'list', '--json']
    const { code, stdout } = await spawnAdmin(list)
    expect(code).toBe(0)
    expect(JSON.parse(stdout).items).toHaveLength(100)
  })

  it('ends without an error when the pipe is closed', async () => {
    const items = Array.from({ length: 100 }, (_, id) => ({ id, name: 'x'.repeat(20_000) }))
    await using server = await startManageServer(() => ({ status: 200, body: { items, next: null } }))
    const child = startAdmin(['--url', server.url, '--token', TOKEN, 'site', 'list'])
    child.stdout!.destroy()
    const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('is ended at once by Ctrl-C', async () => {
    let heard = () => {}
    const asked = new Promise<void>((resolve) => {
      heard = resolve
    })
    await using server = await startManageServer(() => {
      heard()
      return 'hang'
    })
    const child = startAdmin(['--url', server.url, '--token', TOKEN, 'site', 'list'])
    await asked
    child.kill('SIGINT')
    const [code, signal] = await once(child, 'close')
    expect({ code, signal }).toEqual({ code: null, signal: 'SIGINT' })
  })
})
