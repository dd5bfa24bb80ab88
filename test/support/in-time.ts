/** How long tests wait for background work: longer than it takes on a busy machine. */
export const IN_TIME = { timeout: 120_000 }
