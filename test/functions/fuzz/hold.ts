/** Runs a property over requests, and reports the smallest one that breaks it. */
import fc from 'fast-check'
import type { FuzzRequest } from './request.ts'

const MAX_REPORT_LENGTH = 8_000

type Options = { seed: number; numRuns: number; examples: FuzzRequest[] }

/** @throws with fast-check's seed and path, the shrunk request and its faults */
export async function hold(
  requests: fc.Arbitrary<FuzzRequest>,
  faultsOf: (request: FuzzRequest) => Promise<string[]>,
  { seed, numRuns, examples }: Options,
): Promise<void> {
  const property = fc.asyncProperty(requests, async (request) => {
    const faults = await faultsOf(request)
    if (faults.length > 0) throw new Error(faults.join('\n'))
  })
  const outcome = await fc.check(property, { seed, numRuns, examples: examples.map((example) => [example]) })
  if (!outcome.failed) return
  const faults =
    outcome.errorInstance instanceof Error ? outcome.errorInstance.message : outcome.errorInstance
  throw new Error(printable(`${faults}\n${fc.defaultReportMessage(outcome)}`))
}

/** Lone surrogates and NUL would be lost in the output. */
function printable(text: string): string {
  return text.slice(0, MAX_REPORT_LENGTH).toWellFormed().replaceAll('\0', '\\0')
}
