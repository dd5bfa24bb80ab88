/**
 * Zod as the bundle has it: the package without its messages in forty languages, which nothing here shows and no
 * bundler can leave out by itself. `[alias]` in wrangler.toml puts it in the package's place.
 */
import * as z from './zod-exports.ts'

export * from './zod-exports.ts'
export { z }
