import { describe, expect, it, vi } from 'vitest'
import { progress } from '../../src/cli/output.ts'

/** The output of a run of ten steps, each long after the one before. */
function shown(isTTY: boolean, total: number | null): string {
  vi.useFakeTimers()
  try {
    let written = ''
    const stream = { isTTY, write: (text: string) => (written += text) }
    const bar = progress({ stdout: stream, stderr: stream, env: {}, cwd: '/', fetch }, 'Importing', total)
    for (const done of [5, 10]) {
      vi.advanceTimersByTime(10_000)
      bar.at(done)
    }
    bar.end()
    return written
  } finally {
    vi.useRealTimers()
  }
}

describe('progress', () => {
  it('is a bar on a terminal, and disappears at the end', () => {
    const clear = '\r\u001b[K'
    const half = `${'#'.repeat(12)}${' '.repeat(12)}`
    expect(shown(true, 10)).toBe(
      `${clear}Importing [${half}] 5/10${clear}Importing [${'#'.repeat(24)}] 10/10${clear}`,
    )
    expect(shown(true, null)).toBe(`${clear}Importing 5${clear}Importing 10${clear}`)
  })

  it('is JSON lines without a terminal', () => {
    const lines = shown(false, null).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { progress: 'Importing', done: 5, total: null },
      { progress: 'Importing', done: 10, total: null },
    ])
  })
})
