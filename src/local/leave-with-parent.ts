/**
 * Loaded into the Worker's process before wrangler: if the service is killed without a chance to stop it, the channel to
 * it closes, and the whole group ends instead of holding the port.
 */
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
