import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { depthOf } from '../support/depth.ts'
import { inChromium } from './in-chromium.ts'
import { OUTSIDE, PAGES, signIn, WIDTHS } from './pages.ts'

/**
 * Axe takes a second, so a run of the suite checks each page in one of these, in turn, and no page that is like another. Pages have
 * to fit all widths.
 */
const VARIANTS = [
  ...WIDTHS.map((width) => ({ width, scheme: 'light' as const })),
  { width: Math.max(...WIDTHS), scheme: 'dark' as const },
]

/** Axe checks every rule, or only those that the dark scheme affects. */
const RULES = { light: {}, dark: { runOnly: ['cat.color'] } }

inChromium('every page', (world) => {
  let stranger: Page
  let operator: Page

  beforeAll(async () => {
    // Otherwise axe may see a colour in the middle of a transition.
    const open = () => world.browser.newPage({ baseURL: world.service.origin, reducedMotion: 'reduce' })
    ;[stranger, operator] = await Promise.all([open(), open()])
    await signIn(operator, world.service)
  })

  describe('is accessible and fits the screen, narrow or wide, light or dark', () => {
    it.each(OUTSIDE.map((page, index) => ({ ...page, index })))('$name', async ({ open, ...visit }) => {
      await open(stranger, world.service)
      expect(await problems(stranger, visit)).toEqual([])
    })

    it.each(PAGES.map((page, index) => ({ ...page, index })))('$name', async ({ open, ...visit }) => {
      await open(operator, world.service)
      expect(await problems(operator, visit)).toEqual([])
      // Internal vocabulary that readers do not need.
      expect(await operator.locator('main').innerText()).not.toMatch(/Redis|Postgres|Upstash|Neon/)
    })
  })
})

type Checked = { index: number; isLikeAnother: boolean }

async function problems(page: Page, { index, isLikeAnother }: Checked): Promise<string[]> {
  const found: string[] = []
  const checks = isLikeAnother && !inject('deep') ? 0 : depthOf('accessibility')
  // A click waits for the next document, but not for its content.
  await page.waitForLoadState()
  for (const [at, { width, scheme }] of VARIANTS.entries()) {
    const isChecked = (at + index) % VARIANTS.length < checks
    if (scheme === 'dark' && !isChecked) continue
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme: scheme })
    if (isChecked) {
      await page.evaluate(axe.source)
      // No script runs in a preview, so axe would wait for ever.
      const options = { ...RULES[scheme], resultTypes: ['violations'] }
      const run = `axe.run({ exclude: ['iframe.preview'] }, ${JSON.stringify(options)})`
      const { violations } = await page.evaluate<AxeResults>(run)
      for (const { id, nodes } of violations)
        found.push(`${width} px, ${scheme}: ${id}: ${nodes.map((node) => node.html).join(' ')}`)
    }
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    if (overflow !== 0) found.push(`${width} px, ${scheme}: ${overflow} px wider than the screen`)
  }
  return found
}
