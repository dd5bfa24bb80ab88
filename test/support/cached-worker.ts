/** The Worker behind the local stand-in of Workers Cache, as `npm start` runs it. */
import * as worker from '../../functions/worker.ts'
import { withCacheBefore, withWorkersCache } from '../../src/local/workers-cache.ts'
import { numbered, numberedEntrypoint } from './own-calls.ts'

export default numbered(withWorkersCache(worker.default))
export const Bodies = numberedEntrypoint(withCacheBefore('Bodies', worker.Bodies))
