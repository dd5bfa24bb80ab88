import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Writes atomically. Only the owner can read the file, because it holds secrets. */
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
