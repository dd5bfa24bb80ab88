/** The Worker behind the local stand-in of Workers Cache, as `npm start` runs it. */
import worker from '../../functions/worker.ts'
import { withWorkersCache } from '../../src/local/workers-cache.ts'
import { numbered } from './own-calls.ts'

export default numbered(withWorkersCache(worker))
