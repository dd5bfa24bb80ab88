/** Peers that run on Workers. */
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { freePort } from '../../support/free-port.ts'
import type { Cleanups } from '../cleanups.ts'
import { cpuSeconds } from '../cpu.ts'
import { treeOf } from '../process-tree.ts'
import type { Edge, Statement } from './edge-process.ts'
import type { Peer } from './peer.ts'

/** D1 takes no more at once. */
const AT_ONCE = 100

export type EdgeServer = Pick<Peer, 'origin' | 'meters' | 'processes' | 'restart'> & {
  /** Runs statements in D1. */
  write(statements: Statement[]): Promise<void>
}

/** A binding of random text. */
export const secret = () => ({ type: 'text', value: randomBytes(24).toString('hex') }) as const

/** Runs the files of SQL in a folder, in the order of their names. */
export async function migrate({ write }: EdgeServer, dir: string): Promise<void> {
  for (const file of (await readdir(dir)).sort()) {
    const lines = (await readFile(join(dir, file), 'utf8')).split('\n')
    // D1 does not take a comment for a statement, as which it sees one at the end.
    const end = lines.findLastIndex((line) => !/^\s*(--.*)?$/.test(line)) + 1
    if (end > 0) await write([[lines.slice(0, end).join('\n')]])
  }
}

/** Bundles what is at `dir`, of this source, as wrangler does. Returns its main module. */
export async function bundle(dir: string, source: string): Promise<string> {
  const [entry, outfile] = [join(dir, 'entry.js'), join(dir, 'bundle/worker.js')]
  await writeFile(entry, source)
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  })
  return outfile
}

export async function startEdge(
  cleanups: Cleanups,
  dir: string,
  { main, flags, bindings }: Pick<Edge, 'main' | 'flags' | 'bindings'>,
): Promise<EdgeServer> {
  const persistTo = join(dir, 'data')
  await rm(persistTo, { recursive: true, force: true })
  const port = await freePort()
  const edge: Edge = { port, main, persistTo, flags, bindings }
  let process = await startProcess(edge)
  cleanups.push(() => process.stop())
  return {
    origin: `http://127.0.0.1:${port}`,
    // Miniflare and workerd, with D1 in it.
    meters: {
      async serverCpu() {
        const seconds = await Promise.all((await treeOf(process.pid)).map(cpuSeconds))
        return seconds.reduce((sum, each) => sum + each, 0)
      },
    },
    processes: () => treeOf(process.pid),
    async restart() {
      await process.stop()
      process = await startProcess(edge)
    },
    async write(statements) {
      for (let at = 0; at < statements.length; at += AT_ONCE)
        await process.send(statements.slice(at, at + AT_ONCE))
    },
  }
}

async function startProcess(edge: Edge) {
  const child = fork(join(import.meta.dirname, 'edge-process.ts'), { execArgv: [], silent: true })
  child.stdout!.resume()
  let complaints = ''
  child.stderr!.on('data', (chunk) => {
    complaints = (complaints + chunk).slice(-2_000)
  })
  const exited = once(child, 'exit')
  async function stop() {
    // It stops workerd before it ends.
    if (child.connected) child.disconnect()
    await exited
  }
  function send(message: Edge | Statement[]) {
    child.send(message)
    const died = exited.then(() => {
      throw new Error(`The Worker of ${edge.main} has stopped:\n${complaints}`)
    })
    return Promise.race([once(child, 'message'), died])
  }
  await send(edge)
  return { pid: child.pid!, stop, send }
}
