/**
 * `npm run screenshots -- [FOLDER]`: every page of the console at both widths, light and dark.
 * `npm run screenshots -- --readme`: the pictures in the README, without scrolling.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { BrowserContextOptions } from 'playwright-core'
import { launchChromium } from './chromium.ts'
import { OUTSIDE, PAGES, SCHEMES, signIn, WIDTHS } from './pages.ts'
import { startService } from './service.ts'

type Picture = { page: string; after?: readonly string[]; colorScheme?: 'dark' }

/** By file name: the page, the pages to visit before it, and whether it is dark. */
const PICTURES = {
  overview: { page: 'overview', after: ['post-marked-ready', 'usage-used-up'] },
  post: { page: 'post' },
  edit: { page: 'post-edit' },
  webhook: { page: 'integrations-tested' },
  signature: { page: 'signature-checked' },
  usage: { page: 'usage', colorScheme: 'dark' },
} as const satisfies Record<string, Picture>
const VIEWPORT = { width: 1_200, height: 860 }

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { readme: { type: 'boolean', default: false } },
})
const folder = options.readme
  ? join(import.meta.dirname, 'pictures')
  : resolve(positionals[0] ?? '.local/screenshots')
mkdirSync(folder, { recursive: true })

const browser = await launchChromium()
const service = await startService()

type Shot = Pick<BrowserContextOptions, 'viewport' | 'colorScheme'> & {
  visits: typeof PAGES
  /** Without the file extension. */
  nameOf: (page: string) => string
  fullPage: boolean
}

/** `OUTSIDE` pages are visited before sign-in. */
async function shoot({ visits, nameOf, fullPage, ...look }: Shot) {
  const context = await browser.newContext({ baseURL: service.origin, ...look })
  const page = await context.newPage()
  const isOutside = (visit: (typeof PAGES)[number]) => OUTSIDE.includes(visit)
  const shootAll = async (some: typeof PAGES) => {
    for (const { name, open } of some) {
      await open(page, service)
      await page.screenshot({ path: join(folder, `${nameOf(name)}.png`), fullPage })
    }
  }
  await shootAll(visits.filter(isOutside))
  await signIn(page, service)
  await shootAll(visits.filter((visit) => !isOutside(visit)))
  await context.close()
}

try {
  if (options.readme) {
    for (const [name, { page, after = [], ...look }] of Object.entries<Picture>(PICTURES)) {
      const visits = [...after, page].map((each) => PAGES.find((visit) => visit.name === each)!)
      await shoot({ visits, nameOf: () => name, fullPage: false, viewport: VIEWPORT, ...look })
    }
  } else {
    for (const width of WIDTHS) {
      for (const colorScheme of SCHEMES) {
        const nameOf = (page: string) => `${page}-${width}-${colorScheme}`
        const viewport = { width, height: 800 }
        await shoot({ visits: [...OUTSIDE, ...PAGES], nameOf, fullPage: true, viewport, colorScheme })
      }
    }
  }
  console.log(`Screenshots are in ${folder}`)
} finally {
  await browser.close()
  await service.stop()
}
