/**
 * Part of `npm run generate`: writes the client's types from the OpenAPI document of `/api/v1`, and the command line's from that
 * of `/manage/v1`. Installs the generator only if a document or its types have changed; with `--check` that is a failure.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PROJECT = join(import.meta.dirname, '../..')
/** Installed only when needed: with its compiler it weighs 42 MB. */
const GENERATOR = ['openapi-typescript@7.13.0', 'typescript@5.9.3']

type Operation = { responses: Record<string, { headers?: object }> }
type Document = { paths: Record<string, Record<string, Operation>> }

const GENERATED = [
  {
    document: 'functions/public/api/v1/openapi.json',
    types: 'src/sdk/client/openapi.ts',
    read: (document: string) => document,
  },
  {
    document: 'functions/public/manage/v1/openapi.json',
    types: 'src/transfer/openapi.ts',
    read: withoutErrors,
  },
]

for (const { document, types, read } of GENERATED) {
  const source = readFileSync(join(PROJECT, document), 'utf8')
  const file = join(PROJECT, types)
  const written = readFileSync(file, 'utf8')
  if (written === withHeader(source, written.slice(written.indexOf('\n') + 1))) {
    console.log(`${types} is what ${document} says`)
  } else if (process.argv.includes('--check')) {
    console.error(`${types} is not what ${document} says: npm run generate`)
    process.exitCode = 1
  } else {
    writeFileSync(file, withHeader(source, typesOf(read(source))))
  }
}

function typesOf(document: string): string {
  const packages = GENERATOR.map((each) => `--package=${each}`)
  return execFileSync('npm', ['exec', '--yes', ...packages, '--', 'openapi-typescript'], {
    input: document,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

/** The command line reads errors and headers in one place. With examples they are nine tenths of the types. */
function withoutErrors(document: string): string {
  const { paths, ...rest }: Document = JSON.parse(document)
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    if (!operation.responses) continue
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, { headers: _, ...response }]) => [status, response]),
    )
  }
  return JSON.stringify({ ...rest, paths }, (key, value) =>
    key === 'example' || key === 'examples' ? undefined : value,
  )
}

/** The first line names the input and the output. */
function withHeader(document: string, body: string): string {
  const [read, wrote] = [document, body].map((text) => createHash('sha256').update(text).digest('hex'))
  return `// Document ${read}, types ${wrote}: npm run generate\n${body}`
}
