/**
 * What runs on Workers is tested in their runtime, what runs on Node in Node, the whole in real processes, and the
 * console in a browser, by what a person does.
 *
 * `--mode services` puts the PostgreSQL and Redis of DATABASE_URL and REDIS_URL behind the same gateways.
 */
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Otherwise each file of the Worker's tests begins with warnings of secrets that the harness binds by itself.
process.env.WRANGLER_LOG ??= 'error'

const root = new URL('..', import.meta.url).pathname

/** What asks neither Postgres nor Redis: the embedded stack's run is enough. */
const SERVERLESS = [
  'test/cli/**',
  'test/design/**',
  'test/snippets/**',
  'test/src/**',
  'test/functions/secrets.test.ts',
  'test/local/{lock,migrate,redact,start,worker-role}.test.ts',
  'test/process/webhook-keys.test.ts',
]
/** What takes more than the embedded stack, which is one process with one database and one connection. */
const SERVERS_ONLY = ['test/process/{kill,load,restore}.test.ts', 'test/scale/**']

const excludedIn = (mode: string) => (mode === 'services' ? SERVERLESS : SERVERS_ONLY)

/** What times answers, or leaves no time for others. */
const ALONE = ['test/process/{load,outage}.test.ts']
/** Whoever starts these last waits for them. */
const LONGEST = [
  'process/kill',
  'functions/fuzz',
  'cli/corpus',
  'process/read-your-webhook',
  'process/writer-without-redis',
  'local/start',
  'sync/sync',
  'webhooks/delivery',
  'functions/sitemap-index',
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
    // What is left behind is searched for secrets; out of time, the run would end well without it.
    teardownTimeout: 120_000,
    // On two cores vitest would take one: much of the time is spent waiting for a server, or for time to pass.
    maxWorkers: '150%',
    sequence: { sequencer: LongestFirst },
    globalSetup: [mode === 'services' ? 'test/support/on-services.ts' : 'test/support/on-embedded.ts'],
    projects: [
      {
        root,
        plugins: [
          cloudflareTest(({ inject }) => ({
            // What a test breaks on purpose is not worth a stack of the runtime's own.
            verbose: false,
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: inject('bindings'),
              // As in wrangler.toml, but that no batch is waited for.
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
          // A runtime of its own would cost each file more than most of them take.
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 30_000,
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
            'test/snippets/**/*.test.ts',
            'test/scale/**/*.test.ts',
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
          // A browser takes as much of the machine as it gets.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
}))
