/** How long tests wait for something that happens by itself: longer than it takes on a busy machine. */
import { inject } from 'vitest'

export const IN_TIME = { timeout: 20_000 * inject('pace') }
