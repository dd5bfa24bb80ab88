/**
 * The Worker's code is tested in workerd, code for Node in Node, the whole service in real processes, and the console in a
 * browser: on the PostgreSQL and Redis of DATABASE_URL and REDIS_URL, or without them on the embedded stack.
 *
 * `--mode installs` runs what we hand out in the programs that it is for, and `--mode deep` runs the long searches completely.
 */

import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { unstable_readConfig } from 'wrangler'
import { SEARCHES } from './support/depth.ts'
import { Durations } from './support/durations.ts'

// Otherwise each file of the Worker's tests starts with warnings about secrets that the harness binds.
process.env.WRANGLER_LOG ??= 'error'

const root = new URL('..', import.meta.url).pathname
type Consumer = { queue: string; max_batch_size: number; max_retries: number; retry_delay: number }
const { consumers } = unstable_readConfig({ config: join(root, 'wrangler.toml') }).queues

// The tests start hundreds of Node processes, which need not compile the same modules again.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/node-compile')
// The command line's cache in the user's cache directory.
const cache = mkdtempSync(join(tmpdir(), 'cache-'))
process.env.XDG_CACHE_HOME = cache
process.on('exit', () => rmSync(cache, { recursive: true, force: true }))

/** These need more than the embedded stack, which is one process with one connection. */
const SERVERS_ONLY = [
  'test/process/{cut-body,hanging-writes,kill,load,outage,publication-schedule,read-your-webhook,restore,rotation,round-trip,site-deletion,writer-without-redis}.test.ts',
  'test/process/runbooks/*.test.ts',
  'test/functions/sitemap-index.test.ts',
  'test/scale/**/*.test.ts',
  'test/sync/**/*.test.ts',
]

/** They install, build or start programs of others. */
const INSTALLS = ['test/installs/*.test.ts']

/** Only `--mode deep` runs these: whole searches, large sites, and faults that take a minute to show. */
const DEEP_ONLY = [
  'test/{model,scale}/**/*.test.ts',
  'test/functions/sitemap-index.test.ts',
  'test/process/{console-import,hanging-writes,load,publication-schedule,resend-killed,round-trip,site-deletion}.test.ts',
  'test/sync/client.test.ts',
  'test/cli/**/memory.test.ts',
]

/** Their clients need the whole machine. */
const ALONE = ['test/process/{load,outage}.test.ts']
/** Started first, so that the run does not end with waiting for one of them. */
const LONGEST = [
  'functions/fuzz',
  'cli/corpus',
  'process/kill',
  'process/writer-without-redis',
  'local/start',
  'sync/sync',
  'snippets/guide',
  'functions/webhooks/delivery',
  'browser/accessibility',
  'browser/story',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      [...LONGEST, ''].findIndex((name) => moduleId.includes(name))
    const lane = ({ project }: TestSpecification) => (project.name === 'worker' ? 0 : 1)
    return (await super.sort(files)).toSorted((a, b) => lane(a) - lane(b) || rank(a) - rank(b))
  }
}

/** Their files. A pattern without matches would silently leave tests out. */
function filesOf(patterns: string[]): string[] {
  const found = patterns.map((pattern) => {
    const files = globSync(pattern, { cwd: root })
    if (files.length === 0)
      throw new Error(`${pattern} in test/vitest.config.ts or test/support/depth.ts is no file`)
    return files
  })
  return [...new Set(found.flat())].sort()
}

export default defineConfig(({ mode }) => {
  const onServers = Boolean(process.env.DATABASE_URL && process.env.REDIS_URL)
  const isDeep = mode === 'deep'
  const chosen = isDeep
    ? filesOf([...Object.values(SEARCHES).map(({ file }) => file), ...DEEP_ONLY])
    : mode === 'installs'
      ? filesOf(INSTALLS)
      : null
  const leftOut = [...(onServers ? [] : SERVERS_ONLY), ...(chosen ? [] : [...INSTALLS, ...DEEP_ONLY])]
  filesOf([...SERVERS_ONLY, ...ALONE, ...LONGEST.map((name) => `test/${name}.test.ts`)])
  filesOf(Object.values(SEARCHES).map(({ file }) => file))
  const included = (patterns: string[]) =>
    chosen?.filter((file) => patterns.some((pattern) => matchesGlob(file, pattern))) ?? patterns
  // A separate runtime, or module cache, for each file would take longer than most files do.
  const isolate = false
  // Only a test that hangs reaches these, also on a slow machine.
  const limit = isDeep ? 7_200_000 : 300_000
  const expect = { poll: { timeout: isDeep ? limit : 120_000 } }

  return {
    root,
    test: {
      silent: 'passed-only',
      // The teardown searches for leaked secrets; if it timed out, the run would pass without it.
      teardownTimeout: limit,
      // Some of the time is spent waiting. More workers would only wait for each other, and a percentage would be capped at
      // the number of cores.
      maxWorkers: availableParallelism() + 1,
      sequence: { sequencer: LongestFirst },
      reporters: [
        'default',
        new Durations({
          files: filesOf(leftOut).filter((file) => chosen?.includes(file) ?? true),
          reason: 'these need the servers of DATABASE_URL and REDIS_URL',
        }),
      ],
      globalSetup: [
        'docs/build/pages.ts',
        onServers ? 'test/support/on-services.ts' : 'test/support/on-embedded.ts',
      ],
      provide: { deep: isDeep },
      projects: [
        {
          root,
          plugins: [
            cloudflareTest(({ inject }) => ({
              // Errors that tests cause on purpose need no stack trace of the runtime.
              verbose: false,
              // With the stand-in of Workers Cache.
              main: './test/support/cached-worker.ts',
              wrangler: { configPath: './wrangler.toml' },
              miniflare: {
                bindings: inject('bindings'),
                // As in wrangler.toml, but without waiting for a batch.
                queueConsumers: Object.fromEntries(
                  consumers.map((consumer: Consumer) => [
                    consumer.queue,
                    {
                      maxBatchSize: consumer.max_batch_size,
                      maxBatchTimeout: 0,
                      maxRetries: consumer.max_retries,
                      retryDelay: consumer.retry_delay,
                    },
                  ]),
                ),
              },
            })),
          ],
          test: {
            name: 'worker',
            isolate,
            include: included(['test/functions/**/*.test.ts', 'test/src/!(convert)/**/*.test.ts']),
            exclude: leftOut,
            setupFiles: ['test/support/guarded.ts'],
            expect,
            testTimeout: limit,
            hookTimeout: limit,
          },
        },
        {
          root,
          test: {
            name: 'node',
            setupFiles: ['test/support/own-connections.ts'],
            isolate,
            include: included([
              'test/local/**/*.test.ts',
              'test/cli/**/*.test.ts',
              'test/design/**/*.test.ts',
              'test/sdk/**/*.test.ts',
              'test/snippets/**/*.test.ts',
              // They measure CPU time, and read folders of real content.
              'test/src/convert/**/*.test.ts',
              // Runs where receivers do: in workerd too.
              'test/src/sdk/webhooks.test.ts',
              'test/scale/**/*.test.ts',
              'test/model/**/*.test.ts',
            ]),
            exclude: leftOut,
            expect,
            testTimeout: limit,
            hookTimeout: limit,
          },
        },
        {
          root,
          test: {
            name: 'process',
            setupFiles: ['test/support/own-connections.ts'],
            isolate,
            globalSetup: 'test/process/one-bundle.ts',
            include: included(['test/{process,installs,sync}/**/*.test.ts']),
            exclude: [...leftOut, ...ALONE],
            expect,
            testTimeout: limit,
            hookTimeout: limit,
          },
        },
        {
          root,
          test: {
            name: 'alone',
            setupFiles: ['test/support/own-connections.ts'],
            globalSetup: 'test/process/one-bundle.ts',
            include: included(ALONE),
            exclude: leftOut,
            fileParallelism: false,
            sequence: { groupOrder: 1 },
            expect,
            testTimeout: limit,
            hookTimeout: limit,
          },
        },
        {
          root,
          test: {
            name: 'browser',
            setupFiles: ['test/support/own-connections.ts'],
            isolate,
            globalSetup: 'test/browser/one-service.ts',
            include: included(['test/browser/**/*.test.ts']),
            expect,
            testTimeout: limit,
            hookTimeout: limit,
          },
        },
      ],
    },
  }
})
