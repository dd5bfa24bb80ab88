/**
 * What runs on Workers is tested in their runtime, what runs on Node in Node, the whole in real processes, and the
 * console in a browser, by what a person does.
 *
 * `--mode services` puts the PostgreSQL and Redis of DATABASE_URL and REDIS_URL behind the same gateways.
 */
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

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

export default defineConfig(({ mode }) => ({
  root,
  test: {
    exclude: mode === 'services' ? SERVERLESS : SERVERS_ONLY,
    silent: 'passed-only',
    // What is left behind is searched for secrets; out of time, the run would end well without it.
    teardownTimeout: 120_000,
    // On two cores vitest would take one: much of the time is spent waiting for a server.
    maxWorkers: '100%',
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
          // Otherwise the console's stylesheet would be imported as an empty text.
          css: true,
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
          // What loads and kills processes gets the machine for itself.
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
          // One browser at a time, when nothing else needs the machine.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
}))
