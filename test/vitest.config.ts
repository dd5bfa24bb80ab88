/**
 * The Worker's code is tested in workerd, code for Node in Node, the whole service in real processes, and the console in
 * a browser.
 *
 * `--mode services` puts the PostgreSQL and Redis of DATABASE_URL and REDIS_URL behind the same gateways.
 */
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Otherwise each file of the Worker's tests starts with warnings about secrets that the harness binds.
process.env.WRANGLER_LOG ??= 'error'

const root = new URL('..', import.meta.url).pathname

/** Tests without Postgres and Redis, or of pages over verbs that are tested on both: only with the embedded stack. */
const SERVERLESS = [
  'test/cli/**',
  'test/design/**',
  'test/sdk/**',
  'test/functions/console/**',
  'test/model/**',
  'test/snippets/**',
  'test/src/**',
  'test/functions/secrets.test.ts',
  'test/local/{lock,redact,start,worker-role}.test.ts',
  'test/process/{astro-loader,examples,openapi-clients,receivers,redirect-formats,sitemap-proxies,webhook-keys}.test.ts',
]
/** Tests that need more than the embedded stack, which is one process with one connection, or that take long. */
const SERVERS_ONLY = [
  'test/process/{cut-body,hanging-writes,kill,load,outage,read-your-webhook,restore,round-trip,site-deletion,writer-without-redis}.test.ts',
  'test/functions/sitemap-index.test.ts',
  'test/scale/**',
  'test/sync/**',
]

const excludedIn = (mode: string) => (mode === 'services' ? SERVERLESS : SERVERS_ONLY)

/** Tests that measure times, or use the whole machine. */
const ALONE = ['test/process/{load,outage}.test.ts']
/** Started first, so that the run does not end with waiting for one of them. */
const LONGEST = [
  'process/kill',
  'process/round-trip',
  'functions/fuzz',
  'cli/corpus',
  'process/examples',
  'process/read-your-webhook',
  'process/receivers',
  'process/writer-without-redis',
  'local/start',
  'model/gate',
  'sync/sync',
  'webhooks/delivery',
  'functions/sitemap-index',
  'browser/accessibility',
  'browser/story',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.findIndex((name) => moduleId.includes(name))
    const rank = (file: TestSpecification) => (isLong(file) < 0 ? LONGEST.length : isLong(file))
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig(({ mode }) => ({
  root,
  test: {
    exclude: excludedIn(mode),
    silent: 'passed-only',
    // The teardown searches for leaked secrets; if it timed out, the run would pass without it.
    teardownTimeout: 120_000,
    // On two cores vitest would use one worker, but much of the time is spent waiting.
    maxWorkers: '150%',
    sequence: { sequencer: LongestFirst },
    globalSetup: [
      'docs/build/pages.ts',
      mode === 'services' ? 'test/support/on-services.ts' : 'test/support/on-embedded.ts',
    ],
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
              queueConsumers: {
                'webhook-events': { maxBatchSize: 6, maxBatchTimeout: 0, maxRetries: 10, retryDelay: 10 },
              },
            },
          })),
        ],
        test: {
          name: 'worker',
          include: ['test/functions/**/*.test.ts', 'test/src/**/*.test.ts'],
          setupFiles: ['test/support/guarded.ts'],
          // Starting a runtime per file would take longer than most files do.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        root,
        test: {
          name: 'node',
          include: [
            'test/local/**/*.test.ts',
            'test/cli/**/*.test.ts',
            'test/design/**/*.test.ts',
            'test/sdk/**/*.test.ts',
            'test/snippets/**/*.test.ts',
            // Runs wherever a receiver does: in workerd too.
            'test/src/sdk/webhooks.test.ts',
            'test/scale/**/*.test.ts',
            'test/model/**/*.test.ts',
          ],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        root,
        test: {
          name: 'process',
          include: ['test/process/**/*.test.ts', 'test/sync/**/*.test.ts'],
          exclude: [...excludedIn(mode), ...ALONE],
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
      {
        root,
        test: {
          name: 'alone',
          include: ALONE,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 300_000,
          hookTimeout: 60_000,
        },
      },
      {
        root,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          // A browser uses as much of the machine as it gets.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
}))
