/** What zod/v4/classic/external.js exports, but for `locales` and for `core`, which brings them along. */

export {
  $brand,
  $input,
  $output,
  clone,
  config,
  flattenError,
  formatError,
  globalRegistry,
  NEVER,
  prettifyError,
  regexes,
  TimePrecision,
  treeifyError,
  util,
} from 'zod/v4/core'
export * from '../../node_modules/zod/v4/classic/checks.js'
export * as coerce from '../../node_modules/zod/v4/classic/coerce.js'
export * from '../../node_modules/zod/v4/classic/compat.js'
export * from '../../node_modules/zod/v4/classic/errors.js'
export * as iso from '../../node_modules/zod/v4/classic/iso.js'
export {
  ZodISODate,
  ZodISODateTime,
  ZodISODuration,
  ZodISOTime,
} from '../../node_modules/zod/v4/classic/iso.js'
export * from '../../node_modules/zod/v4/classic/parse.js'
export * from '../../node_modules/zod/v4/classic/schemas.js'
