/** One service for all tests in the browser. It starts while other tests run, and `openService` waits for it. */
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { type Launched, launchService, type Service, untilReady } from './service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    launched: Launched
  }
}

export default async function setup(project: TestProject) {
  const { stop, ...launched } = await launchService()
  project.provide('launched', launched)
  return stop
}

export const openService = (): Promise<Service> => untilReady(inject('launched'))
