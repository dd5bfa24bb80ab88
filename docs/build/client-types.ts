/**
 * A part of `npm run generate`: writes the types of the client from the OpenAPI document of `/api/v1`. The registry is asked for
 * the generator only when the document or the types have changed since; with `--check` that is a failure.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PROJECT = join(import.meta.dirname, '../..')
const DOCUMENT = join(PROJECT, 'functions/public/api/v1/openapi.json')
const TYPES = join(PROJECT, 'src/sdk/client/openapi.ts')
/** Not installed with the rest: with the compiler that it needs it weighs 42 MB. */
const GENERATOR = ['openapi-typescript@7.13.0', 'typescript@5.9.3']

const document = readFileSync(DOCUMENT)
const written = readFileSync(TYPES, 'utf8')

if (written === withHeader(written.slice(written.indexOf('\n') + 1))) {
  console.log('The types of the client are those of the OpenAPI document')
} else if (process.argv.includes('--check')) {
  console.error(`${TYPES} is not what the OpenAPI document says: npm run generate`)
  process.exitCode = 1
} else {
  const packages = GENERATOR.map((each) => `--package=${each}`)
  const body = execFileSync('npm', ['exec', '--yes', ...packages, '--', 'openapi-typescript', DOCUMENT], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  writeFileSync(TYPES, withHeader(body))
}

/** The first line tells what was read, and what was written. */
function withHeader(body: string): string {
  const [read, wrote] = [document, body].map((text) => createHash('sha256').update(text).digest('hex'))
  return `// Document ${read}, types ${wrote}: npm run generate\n${body}`
}
