/** Tests in a browser, of the one service. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'
import { chromiumPath, launchChromium } from './chromium.ts'
import { openService } from './one-service.ts'
import type { Service } from './service.ts'

export type World = {
  browser: Browser
  service: Service
  /** A request to the management API. @throws with its answer unless it succeeds */
  manage: <Answer = { id: string }>(
    method: string,
    below: string,
    body?: object,
    token?: string,
  ) => Promise<Answer>
}

/** The world is complete when the tests start. */
export function inChromium(name: string, tests: (world: World) => void): void {
  describe.skipIf(!chromiumPath)(`${name}, in Chromium (skipped where none is installed)`, () => {
    const world = {
      async manage(method, below, body, token = world.service.operatorToken) {
        const answer = await fetch(`${world.service.origin}/manage/v1${below}`, {
          method,
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
        if (!answer.ok) throw new Error(await answer.text())
        return answer.status === 204 ? null : answer.json()
      },
    } as World
    beforeAll(async () => {
      ;[world.browser, world.service] = await Promise.all([launchChromium(), openService()])
    })
    afterAll(() => world.browser?.close())
    tests(world)
  })
}
