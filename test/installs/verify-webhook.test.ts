/** Runs the guide's code that verifies a POST with a library, with POSTs signed by the service's own code. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { afterEach, expect, it, vi } from 'vitest'
import { generateSecret } from '../../src/webhooks/secret.ts'
import { signatureHeaders } from '../../src/webhooks/signature.ts'
import { blocksOf } from '../snippets/blocks.ts'

const secret = generateSecret()
const payload = { event: 'article.ready', slug: 'a-post', fetch: { path: '/api/v1/sites/s/posts/a-post' } }

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

async function load(): Promise<(request: Request) => Promise<void>> {
  const guide = readFileSync('docs/guide/webhooks.md', 'utf8')
  const [, imports, statements] = /```js\n(import { verify }.*\n)([\s\S]*?)```/.exec(guide)!
  const { outputFiles } = await build({
    stdin: { contents: `${imports}export default async (request) => {${statements}}`, resolveDir: '.' },
    ...{ bundle: true, format: 'esm', write: false },
    alias: { 'headless-content-api/webhooks': './src/sdk/webhooks.ts' },
  })
  const url = `data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`
  return (await import(/* @vite-ignore */ url)).default
}

it('accepts a genuine POST, and throws with the reason for an altered one', async () => {
  vi.stubEnv('WEBHOOK_SECRET', secret)
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
  const run = await load()
  const body = JSON.stringify(payload)
  const signing = { id: 'an-event', at: new Date(), secret, previousSecret: null }
  const headers = await signatureHeaders({ ...signing, body: new TextEncoder().encode(body) })
  const post = (sent: string) =>
    new Request('http://localhost/hooks', { method: 'POST', headers, body: sent })
  await run(post(body))
  expect(printed.mock.calls).toEqual([[`an-event: a-post is ready at ${payload.fetch.path}`]])
  const refused = { name: 'WebhookError', reason: 'no signature matches' }
  await expect(run(post(`${body} `))).rejects.toMatchObject(refused)
  expect(printed).toHaveBeenCalledTimes(1)
})

/** The part of each library that reads headers: https://github.com/standard-webhooks/standard-webhooks/tree/main/libraries */
const LIBRARIES = [
  {
    language: 'php',
    command: (code: string) => ['php', '-r', code],
    program: (block: string, names: string[], body: string) => `
      namespace StandardWebhooks {
        class Webhook {
          function __construct(private string $secret) {}
          function verify($payload, $headers) {
            foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name)
              if (!isset($headers[$name])) throw new \\Exception('Missing required headers');
            return [$this->secret, $payload, $headers['webhook-id'], $headers['webhook-timestamp'], $headers['webhook-signature']];
          }
        }
      }
      namespace Receiver {
        function getallheaders() { return ['Host' => 'a.example', ${names.map((name) => `'${name}' => 'the ${name}'`).join(', ')}]; }
        function file_get_contents($path) { return '${body}'; }
        ${block}
        echo json_encode($event);
      }`,
    names: ['Webhook-Id', 'Webhook-Timestamp', 'Webhook-Signature'],
  },
  {
    language: 'ruby',
    command: (code: string) => ['ruby', '-rjson', '-rstringio', '-e', code],
    program: (block: string, names: string[], body: string) => `
      module StandardWebhooks
        Webhook = Struct.new(:secret) do
          def verify(payload, headers)
            given = %w[webhook-id webhook-timestamp webhook-signature].map { |name| headers[name] }
            raise "Missing required headers" unless given.all?
            [secret, payload, *given]
          end
        end
      end
      env = { "REQUEST_METHOD" => "POST", "rack.input" => StringIO.new('${body}'), ${names.map((name) => `"${name}" => "the ${name}"`).join(', ')} }
      ${block}
      puts JSON.generate(event)`,
    names: ['HTTP_WEBHOOK_ID', 'HTTP_WEBHOOK_TIMESTAMP', 'HTTP_WEBHOOK_SIGNATURE'],
  },
]

for (const { language, command, program, names } of LIBRARIES) {
  const missing = spawnSync(language, ['--version']).error ? ` (skipped: ${language} is not installed)` : ''
  it.skipIf(missing)(`gives the library for ${language} header names in lower case${missing}`, () => {
    const block = blocksOf('webhooks.md').find(
      (each) => each.language === language && each.code.includes('StandardWebhooks'),
    )!
    const [file, ...given] = command(program(block.code, names, '{}'))
    const env = { ...process.env, WEBHOOK_SECRET: secret }
    const printed = execFileSync(file!, given, { env, encoding: 'utf8' })
    expect(JSON.parse(printed)).toEqual([secret, '{}', ...names.map((name) => `the ${name}`)])
  })
}
