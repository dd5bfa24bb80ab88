/** `npm run screenshots -- [FOLDER]`: every page of the console at both widths, light and dark. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { launchChromium } from './chromium.ts'
import { OUTSIDE, PAGES, SCHEMES, signIn, WIDTHS } from './pages.ts'
import { startService } from './service.ts'

const folder = resolve(process.argv[2] ?? '.local/screenshots')
mkdirSync(folder, { recursive: true })

const browser = await launchChromium()
const service = await startService()
try {
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      const context = await browser.newContext({
        baseURL: service.origin,
        viewport: { width, height: 800 },
        colorScheme,
      })
      const page = await context.newPage()
      const shoot = async (visits: typeof PAGES) => {
        for (const { name, open } of visits) {
          await open(page, service)
          await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true })
        }
      }
      await shoot(OUTSIDE)
      await signIn(page, service)
      await shoot(PAGES)
      await context.close()
    }
  }
  console.log(`Screenshots are in ${folder}`)
} finally {
  await browser.close()
  await service.stop()
}
