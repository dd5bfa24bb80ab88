/** A PostgreSQL server whose clock is wrong, by libfaketime. */
import { execFileSync } from 'node:child_process'
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

const [LIBRARY] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
const [BINARIES] = globSync('/usr/lib/postgresql/*/bin').sort().reverse()
export const hasWrongClocks = Boolean(LIBRARY && BINARIES)

/** A server with the right time at first. */
export async function startPostgresWithClock() {
  const dir = mkdtempSync(join(tmpdir(), 'postgres-'))
  const port = await freePort()
  // PostgreSQL refuses to run as root.
  const isRoot = userInfo().uid === 0
  if (isRoot) {
    const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
    chownSync(dir, id('-u'), id('-g'))
  }
  const run = (program: string, args: string[], env: string[] = []) => {
    const command = ['env', ...env, join(BINARIES!, program), ...args]
    const [file, ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command
    execFileSync(file!, rest, { stdio: 'ignore', cwd: '/' })
  }
  const data = join(dir, 'data')
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'])
  const options = `-p ${port} -k ${dir} -c fsync=off -c listen_addresses=127.0.0.1`
  // PostgreSQL waits by the monotonic clock.
  const startAt = (offset: string) =>
    run(
      'pg_ctl',
      ['-D', data, '-o', options, '-l', join(dir, 'log'), '-w', 'start'],
      [`LD_PRELOAD=${LIBRARY}`, `FAKETIME=${offset}`, 'FAKETIME_DONT_FAKE_MONOTONIC=1'],
    )
  const stop = () => run('pg_ctl', ['-D', data, '-m', 'fast', '-w', 'stop'])
  startAt('+0')
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    /** Restarts it with a clock that is off, as in `+2d` or `-1h`. */
    setClock(offset: string) {
      stop()
      startAt(offset)
    },
    stop() {
      stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
