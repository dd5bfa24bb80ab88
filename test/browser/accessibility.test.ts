import axe, { type AxeResults } from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { depthOf } from '../support/depth.ts'
import { chromiumPath, launchChromium } from './chromium.ts'
import { openService } from './one-service.ts'
import { OUTSIDE, PAGES, signIn, WIDTHS } from './pages.ts'
import type { Service } from './service.ts'

type Variant = { width: number; scheme: 'light' | 'dark'; isChecked: boolean }

const VARIANTS = [
  ...WIDTHS.map((width) => ({ width, scheme: 'light' as const })),
  { width: Math.max(...WIDTHS), scheme: 'dark' as const },
]

/** Axe takes a second each, so a page's variants are split: these here, the others in the next test. */
function variantsOf(index: number): Variant[] {
  const turn = (at: number) => (at + index) % VARIANTS.length
  return VARIANTS.map((variant, at) => ({ ...variant, isChecked: turn(at) < depthOf('accessibility') }))
}

/** Axe checks every rule, or only those that the dark scheme affects. */
const RULES = { light: {}, dark: { runOnly: ['cat.color'] } }

describe.skipIf(!chromiumPath)('every page, in Chromium (skipped where none is installed)', () => {
  let browser: Browser
  let service: Service
  let stranger: Page
  let operator: Page

  beforeAll(async () => {
    ;[browser, service] = await Promise.all([launchChromium(), openService()])
    stranger = await (await open(browser, service)).newPage()
    operator = await (await open(browser, service)).newPage()
    await signIn(operator, service)
  })

  afterAll(async () => {
    await browser?.close()
  })

  describe('is accessible and fits the screen, narrow or wide, light or dark', () => {
    it.each(OUTSIDE.map((page, index) => ({ ...page, index })))('$name', async ({ open, index }) => {
      await open(stranger, service)
      expect(await problems(stranger, variantsOf(index))).toEqual([])
    })

    it.each(PAGES.map((page, index) => ({ ...page, index })))('$name', async ({ open, index }) => {
      await open(operator, service)
      expect(await problems(operator, variantsOf(index))).toEqual([])
      // Internal vocabulary that readers do not need.
      await expect.poll(() => operator.locator('main').innerText()).not.toMatch(/Redis|Postgres|Upstash|Neon/)
    })
  })
})

function open(browser: Browser, service: Service): Promise<BrowserContext> {
  return browser.newContext({
    baseURL: service.origin,
    // Otherwise axe may see a colour in the middle of a transition.
    reducedMotion: 'reduce',
  })
}

async function problems(page: Page, variants: Variant[]): Promise<string[]> {
  const found: string[] = []
  // A click waits for the next document, but not for its content.
  await page.waitForLoadState()
  await page.evaluate(axe.source)
  for (const { width, scheme, isChecked } of variants) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme: scheme })
    // No script runs in a preview, so axe would wait for ever.
    const run = `axe.run({ exclude: ['iframe.preview'] }, ${JSON.stringify(RULES[scheme])})`
    const { violations } = isChecked ? await page.evaluate<AxeResults>(run) : { violations: [] }
    for (const { id, nodes } of violations) {
      found.push(`${width} px, ${scheme}: ${id}: ${nodes.map((node) => node.html).join(' ')}`)
    }
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    if (overflow !== 0) found.push(`${width} px, ${scheme}: ${overflow} px wider than the screen`)
  }
  return found
}
