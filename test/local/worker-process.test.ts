import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { appender, lastLines, openLog } from '../../src/local/worker-process.ts'

const GIB = 1024 ** 3
const DEVICE = '/dev/full'

it('the log of the previous start is kept beside the new one', () => {
  const dir = mkdtempSync(join(tmpdir(), 'log-'))
  const file = join(dir, 'worker.log')
  for (const line of ['first', 'second', 'third']) {
    const log = openLog(file)
    appender(log, file)(line)
    closeSync(log)
  }
  expect(readFileSync(file, 'utf8')).toBe('third')
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('second')
  expect(statSync(`${file}.1`).mode & 0o777).toBe(0o600)
  rmSync(dir, { recursive: true })
})

describe('the end of the log', () => {
  it('can be read from a log that is too large to be read completely', () => {
    const dir = mkdtempSync(join(tmpdir(), 'log-'))
    const file = join(dir, 'worker.log')
    writeFileSync(file, '')
    // Without a block on the disk.
    truncateSync(file, 3 * GIB)
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n}`)
    appendFileSync(file, `\n${lines.join('\n')}\n`)
    expect(lastLines(file)).toBe(lines.slice(-20).join('\n'))
    rmSync(dir, { recursive: true })
  })

  it.skipIf(!existsSync(DEVICE))(`is empty for ${DEVICE}, which has no end (skipped without it)`, () => {
    expect(lastLines(DEVICE)).toBe('')
  })
})

it.skipIf(!existsSync(DEVICE))(
  `a full disk costs log lines, and is reported once (skipped without ${DEVICE})`,
  () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => {})
    const log = openSync(DEVICE, 'w')
    const append = appender(log, 'worker.log')
    for (let line = 0; line < 3; line++) append('line\n')
    closeSync(log)
    expect(report.mock.calls).toEqual([[expect.stringMatching(/^Lines of worker\.log are lost: ENOSPC/)]])
    report.mockRestore()
  },
)
