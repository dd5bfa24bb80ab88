/** How long tests wait for background work: longer than it takes on a busy machine. */
import { inject } from 'vitest'

export const IN_TIME = { timeout: 20_000 * inject('pace') }
