import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Atomic, and readable only by its owner, since it holds secrets. */
export function writePrivateJson(file: string, value: unknown): void {
  const unfinished = `${file}.unfinished`
  rmSync(unfinished, { force: true })
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, file)
}

export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
