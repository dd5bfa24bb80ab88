/** Names that people give: of sites, keys and operators. */
import * as z from 'zod/mini'

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u

export const Name = z.string().check(
  z.trim(),
  z.normalize('NFC'),
  z.minLength(1),
  z.maxLength(200),
  // With them, a name could look like another's.
  z.refine((name) => !INVISIBLE.test(name), 'must not contain invisible characters'),
)
