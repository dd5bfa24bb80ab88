/** An installed Chromium; none is downloaded. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const USUAL = [
  // Takes two thirds of the CPU of a Chromium with a window.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Images on other hosts fail at once, where a closed network would let them wait.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/** CHROMIUM_PATH, or the usual place; undefined if there is none. */
export const chromiumPath: string | undefined =
  process.env.CHROMIUM_PATH || USUAL.find((path) => existsSync(path))

export function launchChromium(): Promise<Browser> {
  if (!chromiumPath) throw new Error('No Chromium found: set CHROMIUM_PATH to its executable')
  // Its sandbox does not run for root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath: chromiumPath, args: [...FLAGS, ...sandbox] })
}
