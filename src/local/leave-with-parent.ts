/**
 * Loaded into the Worker's process before Miniflare. If the service is killed and cannot stop the Worker, the channel to it
 * closes, and the whole process group ends instead of keeping the port.
 */
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
