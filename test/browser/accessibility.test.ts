import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { depthOf } from '../support/depth.ts'
import { inChromium } from './in-chromium.ts'
import { OUTSIDE, PAGES, signIn, WIDTHS } from './pages.ts'

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
    it.each(OUTSIDE.map((page, index) => ({ ...page, index })))('$name', async ({ open, index }) => {
      await open(stranger, world.service)
      expect(await problems(stranger, variantsOf(index))).toEqual([])
    })

    it.each(PAGES.map((page, index) => ({ ...page, index })))('$name', async ({ open, index }) => {
      await open(operator, world.service)
      expect(await problems(operator, variantsOf(index))).toEqual([])
      // Internal vocabulary that readers do not need.
      await expect.poll(() => operator.locator('main').innerText()).not.toMatch(/Redis|Postgres|Upstash|Neon/)
    })
  })
})

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
