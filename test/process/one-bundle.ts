/** The Worker's code, bundled once for all processes that run it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundleWorker } from '../../src/local/worker-bundle.ts'

declare module 'vitest' {
  interface ProvidedContext {
    bundle: string
  }
}

export default async function setup(project: TestProject) {
  const dir = mkdtempSync(join(tmpdir(), 'bundle-'))
  const file = join(dir, 'worker.js')
  writeFileSync(file, await bundleWorker(false))
  project.provide('bundle', file)
  return () => rmSync(dir, { recursive: true })
}
