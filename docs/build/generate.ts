/**
 * `npm run generate`: writes the generated files that are committed, in the order of their dependencies. `--check` fails if one is
 * out of date. `--examples` also records the examples of the OpenAPI documents by requesting every documented response, which
 * takes a minute or two.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const EXAMPLES = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--project', 'process']
const PROGRAMS = ['openapi.ts', 'mcp-tools.ts', 'client-types.ts']

const args = process.argv.slice(2)
const [unknown] = args.filter((arg) => !['--check', '--examples'].includes(arg))
if (unknown) throw new Error(`${unknown}: there are --check and --examples`)

if (args.includes('--examples')) {
  // The test compares the answers with the documents, which must know a new field.
  run(process.execPath, [join(import.meta.dirname, 'openapi.ts')])
  run('npx', [...EXAMPLES, 'test/process/openapi-answers.test.ts', '--update'])
}
const check = args.filter((arg) => arg === '--check')
for (const program of PROGRAMS) run(process.execPath, [join(import.meta.dirname, program), ...check])

function run(command: string, parameters: string[]): void {
  try {
    execFileSync(command, parameters, { stdio: 'inherit' })
  } catch {
    // It has said why.
    process.exit(1)
  }
}
