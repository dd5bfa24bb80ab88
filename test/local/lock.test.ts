import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { takeLock } from '../../src/local/lock.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

// Takes the lock in a separate process and holds it until that ends.
async function holder() {
  const source = `import { takeLock } from '${new URL('../../src/local/lock.ts', import.meta.url)}'
    await takeLock(${JSON.stringify(dir)}); console.log('held'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

describe('the lock of a folder', () => {
  it('is refused while a running process holds it', async () => {
    const other = await holder()
    await expect(takeLock(dir)).rejects.toThrow(
      `Another service (process ${other.pid}) uses the folder ${dir}`,
    )
    other.kill('SIGKILL')
    await once(other, 'exit')
  })

  it('names a folder that cannot be used, and the remedy', async () => {
    writeFileSync(join(dir, 'file'), '')
    const folder = join(dir, 'file/folder')
    await expect(takeLock(folder)).rejects.toThrow(
      `The folder ${folder} cannot be used (ENOTDIR): set LOCAL_DIR to another`,
    )
  })

  it('names a folder that cannot be created, at any depth, instead of retrying for ever', async () => {
    const folders = ['/proc/x', '/proc/x/y/z', '/dev/null/x']
    const source = `import { takeLock } from '${new URL('../../src/local/lock.ts', import.meta.url)}'
      for (const folder of process.argv.slice(1)) await takeLock(folder).catch((error) => console.log(error.message))`
    const args = ['--input-type=module', '-e', source, ...folders]
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 })
    for (const folder of folders) expect(stdout).toContain(`The folder ${folder} cannot be used (`)
  })

  it('makes an empty folder private, and refuses one that others may be using, without changing it', async () => {
    chmodSync(dir, 0o755)
    ;(await takeLock(dir))()
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    chmodSync(dir, 0o755)
    writeFileSync(join(dir, 'theirs'), '')
    await expect(takeLock(dir)).rejects.toThrow(`Other users can open the folder ${dir}, and it is not empty`)
    expect(statSync(dir).mode & 0o777).toBe(0o755)
  })

  it('is taken over from a dead process', async () => {
    const other = await holder()
    other.kill('SIGKILL')
    await once(other, 'exit')
    const release = await takeLock(dir)
    expect(readFileSync(join(dir, 'lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} `))
    release()
    expect(existsSync(join(dir, 'lock'))).toBe(false)
  })

  it.skipIf(!existsSync('/proc/self'))(
    'is taken over from a zombie, which has ended although its parent has not noticed',
    async () => {
      const source = `const { spawn } = require('node:child_process'); const { pid } = spawn('true'); console.log(pid)
      process.kill(process.pid, 'SIGSTOP')`
      const parent = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
      const zombie = Number(await once(parent.stdout, 'data'))
      const stat = () => readFileSync(`/proc/${zombie}/stat`, 'utf8').replace(/.*\) /, '').split(' ')
      await expect.poll(() => stat()[0]).toBe('Z')
      writeFileSync(join(dir, 'lock'), `${zombie} ${stat()[19]}`)
      ;(await takeLock(dir))()
      parent.kill('SIGKILL')
      await once(parent, 'exit')
    },
  )

  it('is taken over when its process id has been reused', async () => {
    writeFileSync(join(dir, 'lock'), `${process.ppid} 1`)
    const release = await takeLock(dir)
    release()
  })
})
