/** Prints at the end of a run which tests were slow, and which were left out and why. */
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

const SHOWN_FILES = 20
const SLOW_TEST_MS = 5_000
const A_FEW = 20

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1).padStart(7)} s`

export class Durations implements Reporter {
  private vitest: Vitest | undefined
  private readonly leftOut: { files: string[]; reason: string }

  /** @param leftOut files that this run lacks, with the reason */
  constructor(leftOut: { files: string[]; reason: string }) {
    this.leftOut = leftOut
  }

  onInit(vitest: Vitest): void {
    this.vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const print = (title: string, lines: string[]) => {
      if (lines.length > 0) this.vitest?.logger.log(['', title, ...lines].join('\n'))
    }
    print(
      'Slowest files',
      modules
        .toSorted((a, b) => timeOf(b) - timeOf(a))
        .slice(0, SHOWN_FILES)
        .map(lineOf),
    )
    print(
      `Tests of more than ${SLOW_TEST_MS / 1_000} s`,
      tests
        .map((test) => ({ test, ms: test.diagnostic()?.duration ?? 0 }))
        .filter(({ ms }) => ms > SLOW_TEST_MS)
        .toSorted((a, b) => b.ms - a.ms)
        .map(({ test, ms }) => `${seconds(ms)}  ${nameOf(test)}`),
    )
    print('Skipped', tests.filter((test) => test.result().state === 'skipped').map(nameOf))
    // A run of selected files needs no list of the others.
    if (modules.length > A_FEW) print(`Left out: ${this.leftOut.reason}`, this.leftOut.files)
  }
}

const timeOf = (module: TestModule): number => {
  const { collectDuration, setupDuration, duration } = module.diagnostic()
  return collectDuration + setupDuration + duration
}

const lineOf = (module: TestModule) => `${seconds(timeOf(module))}  ${module.relativeModuleId}`
const nameOf = (test: TestCase) => `${test.module.relativeModuleId} > ${test.fullName}`
