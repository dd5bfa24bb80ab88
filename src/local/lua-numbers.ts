/** Import it before fengari, which then writes numbers as Redis does: `5`, not `5.0`. */
process.env.FENGARICONF = JSON.stringify({ LUA_COMPAT_FLOATSTRING: true })
