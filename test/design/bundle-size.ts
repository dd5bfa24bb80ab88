/** Fails when the bundle, minified and gzipped, has grown past its limit: start-up time on the edge follows it. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const LIMIT_KIB = 250

const bundle = readFileSync('.wrangler/bundle/worker.js')
const kib = gzipSync(bundle, { level: 9 }).length / 1024
console.log(`Bundle: ${kib.toFixed(1)} KiB gzipped of at most ${LIMIT_KIB} KiB`)
if (kib > LIMIT_KIB) process.exitCode = 1
