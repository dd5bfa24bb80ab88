/** Preloaded into the Worker's process: when the service is killed, the process group ends and frees the port. */
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
