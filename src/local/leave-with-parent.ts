/**
 * Preloaded into the Worker's process. When the service is killed, its channel closes, and the whole process group ends and
 * frees the port.
 */
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
