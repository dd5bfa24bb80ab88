/** The Worker behind the local stand-in of Workers Cache, as `npm start` runs it. */
import * as worker from '../../functions/worker.ts'
import { withCacheBefore, withWorkersCache } from '../../src/local/workers-cache.ts'
import { withTracking } from './deferred.ts'

export default withTracking(withWorkersCache(worker.default))
export const Bodies = withCacheBefore('Bodies', worker.Bodies)
