/**
 * The weight of the service: its bundle; its startup CPU in workerd, next to an empty route with the same packages; the
 * npm package's client, for a browser; the pages of the reference, with their resources; the size of `npm ci`; and the time
 * of a second `npm start`. Fails when a weight exceeds its limit; times depend on the machine, and are only shown.
 * `node test/design/size.ts [bundle | client | reference | install | startup | ready]…`
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import writePages from '../../docs/build/pages.ts'
import { type Bundle, makeBundle } from '../bench/bundle.ts'
import { startWorker } from '../bench/worker.ts'
import { freePort } from '../support/free-port.ts'

type Figure = { text: string; tooMuch?: boolean }

const PROJECT = join(import.meta.dirname, '../..')
const EMPTY_ROUTE = 'test/design/empty-route.ts'
const INSTALLED = join(PROJECT, 'node_modules')

/** Workers' free plan allows 3 MiB. Readers wait for the start. */
const BUNDLE_KIB = 1_024
const CLIENT_KIB = 6
/** The larger page, with its styles and scripts: 6 s at 50 KB/s. */
const REFERENCE_KIB = 300
const INSTALLED_MB = 650
/** As a multiple of the empty route's. */
const STARTUP_RATIO = 1.5
const READY_S = 8
const STARTS = 9

const FIGURES: Record<string, () => Promise<Figure>> = {
  bundle: bundleSize,
  client: clientSize,
  reference: referenceSize,
  install: installedSize,
  startup: startupCpu,
  ready: readyTime,
}

const asked = process.argv.slice(2)
for (const name of asked.length > 0 ? asked : Object.keys(FIGURES)) {
  const { text, tooMuch } = await FIGURES[name]!()
  console.log(`${name.padEnd(9)} ${text}${tooMuch ? ': too much' : ''}`)
  if (tooMuch) process.exitCode = 1
}

async function bundleSize(): Promise<Figure> {
  const bundle = await makeBundle()
  const kib = gzipSync(await readFile(join(bundle.dir, bundle.main)), { level: 9 }).length / 1024
  await bundle.remove()
  return { text: `${kib.toFixed(1)} KiB gzipped of at most ${BUNDLE_KIB}`, tooMuch: kib > BUNDLE_KIB }
}

/** The whole package, with its engine. A built-in module of Node could not be bundled for browsers. */
async function clientSize(): Promise<Figure> {
  const { outputFiles } = await build({
    entryPoints: [join(PROJECT, 'src/sdk/client.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  })
  const kib = gzipSync(outputFiles[0]!.contents, { level: 9 }).length / 1024
  return { text: `${kib.toFixed(1)} KiB gzipped of at most ${CLIENT_KIB}`, tooMuch: kib > CLIENT_KIB }
}

/** For a first visit, without a cache. */
async function referenceSize(): Promise<Figure> {
  await writePages()
  const kibOf = async (file: string) =>
    gzipSync(await readFile(join(PROJECT, 'functions/public', file)), { level: 6 }).length / 1024
  const shared = [
    'console/theme.css',
    'console/console.css',
    'console/console.js',
    'docs/docs.css',
    'docs/docs.js',
  ]
  const [api, management, ...others] = await Promise.all(
    ['docs/reference.html', 'docs/reference-management.html', ...shared].map(kibOf),
  )
  const loaded = others.reduce((sum, kib) => sum + kib, 0)
  const most = Math.max(api!, management!) + loaded
  return {
    text: `${api!.toFixed(1)} and ${management!.toFixed(1)} KiB gzipped, and ${loaded.toFixed(1)} of styles and scripts, of at most ${REFERENCE_KIB}`,
    tooMuch: most > REFERENCE_KIB,
  }
}

/** The size on disk, without files that tools have added later. */
async function installedSize(): Promise<Figure> {
  const parts = (await readdir(INSTALLED)).filter((part) => !part.startsWith('.') || part === '.bin')
  const sizes = await Promise.all(parts.map((part) => sizeOf(join(INSTALLED, part))))
  const mb = sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20
  return {
    text: `${mb.toFixed(0)} MB in node_modules of at most ${INSTALLED_MB}`,
    tooMuch: mb > INSTALLED_MB,
  }
}

async function sizeOf(path: string): Promise<number> {
  const { blocks } = await lstat(path)
  const below = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => [])
  const files = await Promise.all(below.map(({ parentPath, name }) => lstat(join(parentPath, name))))
  return files.reduce((sum, file) => sum + file.blocks, blocks) * 512
}

/** CPU that workerd needs to get ready with the Worker, less without one: medians of alternating starts. */
async function startupCpu(): Promise<Figure> {
  if (process.platform !== 'linux') return { text: 'is measured on Linux alone' }
  const whole = await makeBundle()
  const packages = await makeBundle(EMPTY_ROUTE)
  const nothing = { ...whole, main: 'nothing.js' }
  await writeFile(join(whole.dir, nothing.main), 'export default { fetch: () => new Response() }')
  const used: { whole: number; packages: number }[] = []
  for (let start = 0; start < STARTS; start += 1) {
    const base = await cpuOfStart(nothing)
    used.push({ whole: (await cpuOfStart(whole)) - base, packages: (await cpuOfStart(packages)) - base })
  }
  await Promise.all([whole.remove(), packages.remove()])
  const [own, theirs] = [median(used.map((each) => each.whole)), median(used.map((each) => each.packages))]
  return {
    text: `${own.toFixed(0)} ms of CPU in workerd, ${(own / theirs).toFixed(2)} times the packages' ${theirs.toFixed(0)}, to be below ${STARTUP_RATIO}`,
  }
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}

async function cpuOfStart(bundle: Bundle): Promise<number> {
  const worker = await startWorker(bundle, { bindings: {}, cacheUrl: 'http://127.0.0.1:9' })
  const tasks = `/proc/${worker.pid}/task`
  const used = await Promise.all(
    (await readdir(tasks)).map(async (task) =>
      Number.parseInt(await readFile(`${tasks}/${task}/schedstat`, 'utf8'), 10),
    ),
  )
  await worker.stop()
  return used.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6
}

/** From the command to the line that says it is ready, with existing data. */
async function readyTime(): Promise<Figure> {
  const dir = await mkdtemp(join(tmpdir(), 'ready-'))
  const env = { ...process.env, LOCAL_DIR: dir, PORT: String(await freePort()) }
  await untilReady(env)
  const seconds = await untilReady(env)
  await rm(dir, { recursive: true })
  return { text: `${seconds.toFixed(1)} s to a second npm start, to be below ${READY_S}` }
}

async function untilReady(env: NodeJS.ProcessEnv): Promise<number> {
  const begun = performance.now()
  const service = spawn('npm', ['start'], {
    cwd: PROJECT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const exited = once(service, 'exit')
  let output = ''
  for await (const chunk of service.stdout) {
    output += chunk
    if (output.includes('is ready')) break
  }
  const seconds = (performance.now() - begun) / 1000
  if (!output.includes('is ready')) throw new Error(`npm start ended:\n${output}`)
  process.kill(-service.pid!, 'SIGINT')
  await exited
  return seconds
}
