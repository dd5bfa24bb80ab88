/** The production bundle, as a deployment would upload it. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'smol-toml'

export const PROJECT = join(import.meta.dirname, '../..')
const WRANGLER = join(PROJECT, 'node_modules/wrangler/wrangler-dist/cli.js')
const QUIET = { CI: '1', NO_COLOR: '1', WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' }

/** Parts of wrangler.toml that say nothing of the Worker's world, or whose stand-in worker.ts knows. */
const UNDERSTOOD = [
  ...['name', 'main', 'minify', 'keep_names', 'workers_dev', 'assets', 'placement', 'triggers', 'build'],
  // Without Workers Cache, published files are made anew each time.
  ...['observability', 'secrets', 'compatibility_date', 'compatibility_flags', 'queues', 'cache'],
  // Another Worker, and a version that the bench has none of.
  ...['env', 'version_metadata'],
]

type Settings = {
  main: string
  compatibility_date: string
  compatibility_flags: string[]
  queues: { producers: { binding: string }[] }
  assets: { directory: string; binding: string }
}

export type Bundle = {
  /** The folder of the module. */
  dir: string
  main: string
  settings: Settings
  /** With the sources named from the project's folder. */
  sourceMap(): Promise<SourceMap>
  remove(): Promise<void>
}

/** Bundles the Worker of wrangler.toml, or another one in the same way. */
export async function makeBundle(entry?: string): Promise<Bundle> {
  const settings = parse(await readFile(join(PROJECT, 'wrangler.toml'), 'utf8')) as unknown as Settings
  const foreign = Object.keys(settings).filter((part) => !UNDERSTOOD.includes(part))
  if (foreign.length > 0) throw new Error(`wrangler.toml has ${foreign}, for which the bench has no stand-in`)
  const dir = await mkdtemp(join(tmpdir(), 'bench-bundle-'))
  const args = ['deploy', ...(entry ? [entry] : []), '--dry-run', '--outdir', dir]
  await promisify(execFile)(process.execPath, ['--no-warnings', WRANGLER, ...args], {
    cwd: PROJECT,
    env: { ...process.env, ...QUIET },
  })
  const main = basename(entry ?? settings.main).replace(/\.ts$/, '.js')
  // Keeps the packages' names of their own sources.
  const inProject = (source: string) =>
    source.startsWith('..') ? relative(PROJECT, resolve(dir, source)) : source
  return {
    ...{ dir, main, settings },
    async sourceMap() {
      const map = JSON.parse(await readFile(join(dir, `${main}.map`), 'utf8'))
      return new SourceMap({ ...map, sources: map.sources.map(inProject) })
    },
    remove: () => rm(dir, { recursive: true }),
  }
}
