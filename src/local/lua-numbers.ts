/** Imported before anything that loads fengari: its numbers are then written as in Redis, `5` and never `5.0`. */
process.env.FENGARICONF = JSON.stringify({ LUA_COMPAT_FLOATSTRING: true })
