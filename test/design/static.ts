/** `npm run check:static`: runs the static checks, two at a time, and lists the failed ones at the end. */
import { execFile } from 'node:child_process'

const CHECKS = [
  'types',
  'lint',
  'schema',
  'unused',
  'openapi:lint',
  'generate -- --check',
  'imports',
  'size bundle client',
]
const AT_ONCE = 2

const waiting = [...CHECKS]
const failed: string[] = []

async function work(): Promise<void> {
  for (let check = waiting.shift(); check; check = waiting.shift()) {
    const begun = performance.now()
    const { isRight, output } = await run(check)
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0)
    console.log(`${isRight ? '✓' : '✗'} npm run ${check} (${seconds} s)${isRight ? '' : `\n${output}`}`)
    if (!isRight) failed.push(check)
  }
}

function run(check: string): Promise<{ isRight: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile('npm', ['run', '--silent', ...check.split(' ')], { maxBuffer: 2 ** 26 }, (error, out, err) =>
      resolve({ isRight: !error, output: out + err }),
    )
  })
}

await Promise.all(Array.from({ length: AT_ONCE }, work))
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`)
  process.exit(1)
}
