import AxeBuilder from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from './chromium.ts'
import { OUTSIDE, PAGES, SCHEMES, signIn, WIDTHS } from './pages.ts'
import { type Service, startService } from './service.ts'

describe.skipIf(!chromiumPath)('every page, in Chromium (skipped where none is installed)', () => {
  let browser: Browser
  let service: Service

  beforeAll(async () => {
    ;[browser, service] = await Promise.all([launchChromium(), startService()])
  })

  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  const looks = WIDTHS.flatMap((width) => SCHEMES.map((scheme) => ({ width, scheme })))

  it.each(looks)('is accessible and not wider than the screen at $width px, $scheme', async (look) => {
    const context = await open(browser, service, look)
    const page = await context.newPage()
    for (const visit of OUTSIDE) await inspect(page, service, visit)
    await signIn(page, service)
    for (const visit of PAGES) await inspect(page, service, visit)
    await context.close()
  })
})

function open(
  browser: Browser,
  service: Service,
  { width, scheme }: { width: number; scheme: 'light' | 'dark' },
): Promise<BrowserContext> {
  return browser.newContext({
    baseURL: service.origin,
    viewport: { width, height: 800 },
    colorScheme: scheme,
    // Otherwise axe may see a colour that is still on its way to another.
    reducedMotion: 'reduce',
  })
}

async function inspect(page: Page, service: Service, { name, open }: (typeof PAGES)[number]): Promise<void> {
  await open(page, service)
  // In a preview no script runs, axe neither: it would wait for it for ever.
  const { violations } = await new AxeBuilder({ page }).exclude('iframe.preview').analyze()
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
  expect({ name, found }).toEqual({ name, found: [] })
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  expect({ name, overflow }).toEqual({ name, overflow: 0 })
}
